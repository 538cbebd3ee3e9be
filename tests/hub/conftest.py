"""A local Hub, the environment in which the real clients talk to it, and runs to publish."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import made_runs
from hub_stub import Hub
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.hub.submission import make_submission

HERE = Path(__file__).parent
TOKEN = "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"


@pytest.fixture
def hub() -> Iterator[Any]:
    """An empty Hub on a free port."""
    served = Hub()
    yield served
    served.close()


@pytest.fixture(scope="session")
def bank_v2() -> Bank:
    return open_bank("v2")


@pytest.fixture
def at_hub(hub: Any, tmp_path: Path) -> Any:
    """Run Python code in a new process whose clients know only the local Hub; gives its standard output."""

    def run(code: str, *arguments: object, fails: bool = False) -> str:
        environment = {
            **os.environ,
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(tmp_path / "hf-home"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
        environment.pop("HF_HUB_OFFLINE", None)
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
        assert TOKEN not in done.stdout + done.stderr
        assert (done.returncode != 0) == fails, done.stdout + done.stderr[-3000:]
        return done.stdout + (done.stderr if fails else "")

    return run


SMALL = "veh-small-1"


def publish_small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("vehbench_hf.hub.submitted_record.published_bank", lambda: {"version": SMALL, "fingerprint": ""})


@pytest.fixture
def small_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small bank in the place of the published one."""
    publish_small(monkeypatch)


@pytest.fixture
def run_of_small(small_bank: Bank, tmp_path: Path) -> Path:
    """A complete run on the small bank."""
    made: Path = made_runs.make_run(tmp_path / "run", small_bank, made_runs.no_failures)
    return made


@pytest.fixture(scope="session")
def made_once(small_bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The part of a submission for the results dataset; to be copied before it is changed."""
    folder = tmp_path_factory.mktemp("submitted")
    (folder / "bank").symlink_to(small_bank.path)
    with pytest.MonkeyPatch.context() as patch:
        publish_small(patch)
        run = made_runs.make_run(folder / "run", small_bank, made_runs.no_failures)
        return make_submission(run, small_bank, "org/model", "org", folder / "out").results


@pytest.fixture
def record_file(made_once: Path, tmp_path: Path) -> Path:
    """A record beside its log, as in a copy of the results dataset."""
    (file,) = shutil.copytree(made_once, tmp_path / "results").glob("records/*.json")
    return file
