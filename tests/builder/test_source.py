"""No kept result outlives a change of the code that made it."""

from pathlib import Path
from types import ModuleType

import pytest

import vehbench_builder
import vehbench_oracle
from vehbench_builder import build
from vehbench_builder.build_spec import BuildSpec
from vehbench_builder.source import fingerprint_of_files, source_files, source_fingerprint
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors


def package(folder: Path, files: dict[str, str]) -> ModuleType:
    """A package with these files, not imported."""
    for name, text in {"__init__.py": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    module = ModuleType("made")
    module.__file__ = str(folder / "__init__.py")
    return module


def test_a_changed_line_or_name_changes_the_hash_and_the_order_of_files_does_not(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("a.py", "b.py")}
    for file in files.values():
        file.write_text("x = 1\n", encoding="utf-8")
    first = fingerprint_of_files(files)
    assert fingerprint_of_files(dict(reversed(files.items()))) == first
    assert fingerprint_of_files({"a.py": files["a.py"]}) != first
    renamed = fingerprint_of_files({"a.py": files["a.py"], "c.py": files["b.py"]})
    files["b.py"].write_text("x = 2\n", encoding="utf-8")
    assert len({first, renamed, fingerprint_of_files(files)}) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"p1/plan.py": "x = 3\n", "p2/plan.py": "x = 2\n"},
        {"p1/plan.py": "x = 2\n", "p2/plan.py": "x = 1\n"},
        {"p1/plan.py": "x = 1\n", "p3/plan.py": "x = 2\n"},
        {"p1/plan.py": "x = 1\n", "p2/deep/plan.py": "x = 2\n"},
        {"plan.py": "x = 1\n", "p2/plan.py": "x = 2\n"},
        {"p1/plan.py": "x = 1\n", "p2/plan.py": "x = 2\n", "p2/new.py": ""},
    ],
)
def test_a_change_in_a_sub_folder_changes_the_hash(changed: dict[str, str], tmp_path: Path) -> None:
    files = {"p1/plan.py": "x = 1\n", "p2/plan.py": "x = 2\n"}
    first = fingerprint_of_files(source_files(package(tmp_path / "a", files)))
    assert fingerprint_of_files(source_files(package(tmp_path / "b", files))) == first
    assert fingerprint_of_files(source_files(package(tmp_path / "c", changed))) != first


def test_the_hash_is_over_builder_oracle_rows_and_verdicts_without_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Path] = {}
    monkeypatch.setattr("vehbench_builder.source.fingerprint_of_files", seen.update)
    source_fingerprint.__wrapped__()
    for package in (vehbench_builder, vehbench_oracle):
        home = Path(str(package.__file__)).parent
        rest = [file for file in home.rglob("*.py") if "audit" not in file.relative_to(home).parts]
        assert set(rest) <= set(seen.values())
    shared = sorted(name for name in seen if name.startswith("vehbench_hf/"))
    assert shared == [f"vehbench_hf/{name}.py" for name in ("bank/canonical", "bank/schema", "types")]
    assert not [name for name in seen if "/audit/" in name]
    assert "vehbench_builder/veh/p3/wordings.yaml" in seen
    assert all(file.is_file() for file in seen.values())


def test_a_result_of_older_code_is_not_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = p2.units(load_anchors(), BuildSpec(), {})[0]
    name = build._fingerprint(unit)
    assert build._fingerprint(unit) == name
    monkeypatch.setattr(build, "source_fingerprint", lambda: "other code")
    assert build._fingerprint(unit) != name
