"""An import must be complete or absent, the same each time, and never write where it was not asked to."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.bank.bank import open_bank
from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.importer import import_release, run_names
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.release.manifest import task_file, verify_release
from vehbench_hf.runlog.recorded import read_recorded
from vehbench_hf.types import PROBES, Task

Link = Callable[[Mapping[str, str]], Path]


def contents(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_the_bank_that_is_read_back_is_the_one_that_was_read(
    linked_release: Link, tmp_path: Path, tasks: list[Task], runs: dict[str, ReleasedRun], release_dir: Path
) -> None:
    # Two runs of different generations give both tables of reference powers.
    names = {"model_G": "one", "model_A": "two"}
    summary = import_release(linked_release(names), tmp_path / "out")
    bank = open_bank(tmp_path / "out")
    assert list(bank.tasks) == tasks
    assert (bank.version, bank.convention) == ("veh-v1", "released")
    assert summary.counts == bank.manifest["counts"] == {"p1": 240, "p2": 208, "p3": 156, "p4": 159}
    assert bank.manifest["source"]["sha256"] == verify_release(release_dir)
    assert summary.runs == {"one": 763, "two": 763}
    for real, name in names.items():
        records, problems = read_recorded(tmp_path / "out/runs" / name, bank.tasks)
        assert problems == []
        logged = {task_id: record for probe in PROBES for task_id, record in runs[real].merged(probe).items()}
        assert {task_id: found[0] for task_id, found in records.items()} == logged


@pytest.mark.slow
def test_importing_again_gives_the_same_bytes_and_keeps_other_files(linked_release: Link, tmp_path: Path) -> None:
    folder, out = linked_release({"model_I": "I"}), tmp_path / "out"
    import_release(folder, out)
    before = contents(out)
    (out / "runs/I/scores.json").write_text("mine", encoding="utf-8")
    (out / "data/p1/dev.parquet").write_bytes(b"damaged")
    import_release(folder, out)
    assert (out / "runs/I/scores.json").read_text(encoding="utf-8") == "mine"
    assert contents(out) == {**before, "runs/I/scores.json": hashlib.sha256(b"mine").hexdigest()}
    import_release(folder, tmp_path / "elsewhere")
    assert {n: s for n, s in contents(tmp_path / "elsewhere").items() if n.startswith("data/")} == {
        name: digest for name, digest in before.items() if name.startswith("data/")
    }


def test_nothing_is_left_beside_the_bank(linked_release: Link, tmp_path: Path) -> None:
    import_release(linked_release({}), tmp_path / "deep/out")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]
    assert not (tmp_path / "deep/out/runs").exists()


@pytest.mark.slow
def test_logs_can_be_left_out(linked_release: Link, tmp_path: Path) -> None:
    folder = linked_release({"model_J": "J"})
    assert import_release(folder, tmp_path / "out", log_runs=False).runs == {}
    assert not (tmp_path / "out/runs").exists()
    # The powers still come from the logs: a bank does not depend on whether the runs are written.
    assert import_release(folder, tmp_path / "both").runs == {"J": 448}
    assert open_bank(tmp_path / "out").fingerprint == open_bank(tmp_path / "both").fingerprint


def test_a_damaged_release_is_refused_by_file_and_nothing_is_written(release_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(release_dir / "data", folder / "data", copy_function=shutil.copyfile)
    file = folder / task_file("p3")
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"tip_mass_g", b"tip_mass_q", 1))
    with pytest.raises(ReleaseError, match=r"p3_tasks\.jsonl"):
        import_release(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"version": "veh-v2.0"}'])
def test_a_folder_that_is_no_earlier_import_is_left_alone(
    linked_release: Link, tmp_path: Path, manifest: str | None
) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work", encoding="utf-8")
    if manifest is not None:
        (out / "manifest.json").write_text(manifest, encoding="utf-8")
    before = contents(out)
    with pytest.raises(ReleaseError, match="no earlier import"):
        import_release(linked_release({}), out)
    assert contents(out) == before


def test_a_file_in_the_way_is_named(linked_release: Link, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(ReleaseError, match="is a file"):
        import_release(linked_release({}), tmp_path / "out")


def test_an_empty_folder_may_be_filled(linked_release: Link, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    import_release(linked_release({}), tmp_path / "out")
    assert len(open_bank(tmp_path / "out").tasks) == 763


def test_an_interrupted_import_leaves_neither_a_bank_nor_rubbish(
    linked_release: Link, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("vehbench_hf.paper.release.importer.write_recorded_run", fail)
    folder = linked_release({"model_J": "J"})
    with pytest.raises(ReleaseError, match="disk full"):
        import_release(folder, tmp_path / "place/out")
    assert list((tmp_path / "place").iterdir()) == []


def test_run_folders_have_plain_names_whatever_the_release_calls_them(linked_release: Link, tmp_path: Path) -> None:
    summary = import_release(linked_release({"model_J": "... ünd so\nweiter"}), tmp_path / "out")
    (name,) = summary.runs
    assert json.loads((tmp_path / "out/runs" / name / "run.json").read_text(encoding="utf-8"))["kind"] == "recorded"
    assert name.isascii()


@given(st.lists(st.text(min_size=1), max_size=6))
def test_run_names_are_distinct_and_stay_inside_the_folder(labels: list[str]) -> None:
    names = run_names(labels)
    assert len(names) == len(labels)
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert name
        assert not name.startswith(".")
        assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert run_names(["model_A", "model_B"]) == ["model_A", "model_B"]
