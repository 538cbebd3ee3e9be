"""A damaged or foreign folder must be refused, naming what is wrong."""

import json
import shutil
from pathlib import Path

import pytest

from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.manifest import RELEASE_MANIFEST, split_file, task_file, verify_release

P2, P4_DEV = task_file("p2"), split_file("p4", "dev")


@pytest.fixture
def copy(release_dir: Path, tmp_path: Path) -> Path:
    """A copy of the task files that a test may damage."""
    folder = tmp_path / "copy"
    shutil.copytree(release_dir / "data", folder / "data", copy_function=shutil.copyfile)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def test_the_release_agrees_with_its_manifests(release_dir: Path) -> None:
    sums = verify_release(release_dir)
    listed = json.loads((release_dir / RELEASE_MANIFEST).read_text(encoding="utf-8"))["task_banks"]
    veh = {entry["path"]: entry["sha256"] for entry in listed if entry["path"].startswith("data/veh/")}
    assert veh.items() <= sums.items()
    assert len(sums) == len(veh) * 4  # each bank, and its three splits


@pytest.mark.parametrize("name", [P2, P4_DEV])
def test_a_changed_byte_is_noticed_and_the_file_named(copy: Path, name: str) -> None:
    body = bytearray((copy / name).read_bytes())
    place = body.index(b"interior" if b"interior" in body else b"dev")
    body[place] ^= 1
    (copy / name).write_bytes(bytes(body))
    with pytest.raises(ReleaseError, match=name):
        verify_release(copy)


def test_a_lost_row_is_noticed_even_where_the_manifest_gives_the_new_hash(copy: Path) -> None:
    lines = (copy / P4_DEV).read_bytes().split(b"\n")
    (copy / P4_DEV).write_bytes(b"\n".join(lines[1:]))
    with pytest.raises(ReleaseError) as damaged:
        verify_release(copy)
    manifest = copy / "data/veh/splits/p4_manifest.json"
    listed = json.loads(manifest.read_text(encoding="utf-8"))
    found = str(damaged.value).split("expected, '")[1].split("'")[0]
    listed["splits"]["dev"]["sha256"] = found
    manifest.write_text(json.dumps(listed), encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"p4_dev.*records 93 expected, 92 found"):
        verify_release(copy)


@pytest.mark.parametrize("name", [P2, P4_DEV, "data/veh/splits/p3_manifest.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ReleaseError, match=name):
        verify_release(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{'a': 1}", '{"task_banks": 3}', '{"task_banks": ["x"]}', "[" * 5000])
def test_a_manifest_of_another_form_is_an_error_and_no_crash(copy: Path, text: str) -> None:
    (copy / RELEASE_MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(ReleaseError, match="release_manifest"):
        verify_release(copy)


def test_a_bank_that_the_manifest_does_not_list_is_refused(copy: Path) -> None:
    file = copy / RELEASE_MANIFEST
    listed = json.loads(file.read_text(encoding="utf-8"))
    listed["task_banks"] = [entry for entry in listed["task_banks"] if entry["path"] != P2]
    file.write_text(json.dumps(listed), encoding="utf-8")
    with pytest.raises(ReleaseError, match=P2):
        verify_release(copy)


def test_other_folders_are_told_from_a_release(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="not the authors' release"):
        verify_release(tmp_path)
    with pytest.raises(ReleaseError, match="not a folder"):
        verify_release(tmp_path / "absent")
