"""Kept results outlive a change of the code that made them."""

from pathlib import Path

import pytest

from vehbench_builder import build
from vehbench_builder.build_spec import BuildSpec
from vehbench_builder.source import fingerprint_of_files, source_fingerprint
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors


def test_a_changed_line_or_name_leaves_the_hash_as_it_was(tmp_path: Path) -> None:
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for file in files:
        file.write_text("x = 1\n", encoding="utf-8")
    first = fingerprint_of_files(files)
    assert fingerprint_of_files(files[::-1]) == first
    assert fingerprint_of_files(files[:1]) != first
    files[1].write_text("x = 2\n", encoding="utf-8")
    changed = fingerprint_of_files(files)
    files[1].write_text("x = 1\n", encoding="utf-8")
    renamed = fingerprint_of_files([files[0], files[1].rename(tmp_path / "c.py")])
    assert len({first, changed, renamed}) == 3


def test_builder_oracle_or_schema_is_no_part_of_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []
    monkeypatch.setattr("vehbench_builder.source.fingerprint_of_files", seen.extend)
    source_fingerprint.__wrapped__()
    names = {f"{file.parent.name}/{file.name}" for file in seen}
    wanted = {"vehbench_builder/p3_recovery.py", "vehbench_oracle/cantilever.py", "vehbench_hf/schema.py"}
    assert wanted | {"episodes/judging.py"} <= names
    assert all(file.is_file() for file in seen)


def test_a_result_of_older_code_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = p2.units(load_anchors(), BuildSpec(), {})[0]
    name = build._fingerprint(unit)
    assert build._fingerprint(unit) == name
    monkeypatch.setattr(build, "source_fingerprint", lambda: "other code")
    assert build._fingerprint(unit) != name
