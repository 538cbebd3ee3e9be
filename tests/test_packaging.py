"""The wheel holds what an installation needs, and only our own names."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(out),
        str(REPOSITORY),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (file,) = out.glob("*.whl")
    return file


def test_the_wheel_puts_only_vehbench_names_into_site_packages(wheel: Path) -> None:
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.startswith("vehbench_")} == set()
    assert names >= {"vehbench_hf", "vehbench_oracle", "vehbench_runners", "vehbench_builder", "vehbench_cli"}


def test_an_installed_wheel_runs_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--quiet", "--target", str(site), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    code = (
        "import vehbench_hf, sys; assert vehbench_hf.__file__.startswith(sys.argv.pop()), vehbench_hf.__file__\n"
        "from vehbench_hf.paths import shipped; shipped('cards/published_tables.json'); shipped('bank_v2')\n"
        "from vehbench_cli import main; sys.argv = ['vehbench', 'run', '--limit', '3', '--out', 'r']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(site)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "r/turns.jsonl" in done.stdout
