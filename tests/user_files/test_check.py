"""`vehbench check` says of a design what the oracle says, and leaves with the exit code that scripts rely on."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from command_line import vehbench
from judged import judge_for
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped
from vehbench_hf.types import Spec
from vehbench_hf.user_files.brief import read_brief
from vehbench_hf.user_files.check import as_text, check, design_from
from vehbench_oracle import VARIABLES

EXAMPLE = shipped("cards/example_brief.yaml")
FEASIBLE = {
    "beam_length_mm": 54.0,
    "beam_width_mm": 15.1,
    "substrate_thickness_um": 440.0,
    "piezo_thickness_um": 342.0,
    "tip_mass_g": 7.5,
    "load_resistance_ohm": 131000.0,
}
SHORT = {**FEASIBLE, "beam_length_mm": 30.0}


@pytest.fixture
def spec() -> Spec:
    return read_brief(EXAMPLE.read_text(encoding="utf-8"))


def test_a_design_gets_the_verdict_of_the_oracle(spec: Spec, small_bank: Bank) -> None:
    assert check(spec, FEASIBLE).verdict == judge_for(spec, FEASIBLE)
    assert check(spec, FEASIBLE).verdict.feasible
    assert not check(spec, SHORT).verdict.feasible
    for task in small_bank.select(["p2", "p3"]):
        reference = task.gold["reference"]
        assert reference is not None
        assert reference["design"] is not None
        assert check(task.spec, reference["design"]).verdict.feasible
    for task in small_bank.select(["p4"]):
        for candidate in task.spec["candidates"]:
            assert check(task.spec, candidate["design"]).verdict.slack == candidate["slack"]


def test_the_words_name_every_limit_and_violation(spec: Spec) -> None:
    text = as_text(spec, check(spec, FEASIBLE), "b.yaml")
    assert text.startswith("brief: b.yaml\nFeasible: all limits are met")
    assert text.count("  ok") == 4
    assert "VIOLATED" not in text
    for words in (
        "MPa, at most 60, slack +",
        "mm, at most 2, slack +",
        "%, at most 5, slack +",
        "uW, at least 20, slack +",
    ):
        assert words in text
    outside = {**SHORT, "tip_mass_g": 25.0}
    text = as_text(spec, check(spec, outside), "b.yaml")
    broken = check(spec, outside).verdict.violations
    assert {violation.name for violation in broken} >= {"tip_mass_g"}
    assert text.count("VIOLATED") == len(broken)
    assert "tip_mass_g: 25 g, largest allowed 10  VIOLATED" in text
    assert "note: tip_mass_g 25 g lies outside 0 to 20, where the model is declared to hold" in text


def test_what_the_brief_leaves_open_is_noted() -> None:
    stated = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    del stated["materials"]["damping_ratio"], stated["variable_bounds"]["tip_mass_g"]
    spec = read_brief(yaml.safe_dump(stated))
    notes = check(spec, FEASIBLE).notes
    assert notes == (
        "the brief states no damping ratio; 0.01 was taken",
        "the brief states no bounds for tip_mass_g",
    )
    open_limit: Spec = {**spec, "constraints": {**spec["constraints"], "stress_limit_mpa": None}}
    assert any(
        "no stress_limit_mpa; the oracle's default of 50 MPa" in note for note in check(open_limit, FEASIBLE).notes
    )


def test_no_verdict_is_given_under_a_brief_that_withholds_what_it_needs(spec: Spec, small_bank: Bank) -> None:
    withheld = next(task for task in small_bank.tasks if task.spec["excitation"]["frequency_hz"] is None)
    with pytest.raises(UserError, match="cannot be judged under: frequency_hz is missing"):
        check(withheld.spec, FEASIBLE)
    for name in ("piezo", "substrate"):
        without: Spec = {**spec, "materials": {**spec["materials"], name: None}}  # type: ignore[typeddict-item]
        with pytest.raises(UserError, match=f"withholds the {name} material"):
            check(without, FEASIBLE)


@pytest.mark.parametrize(
    "changes",
    [
        {"beam_length_cm": 5.4},
        {"beam_length_mm": "54 mm"},
        {"beam_length_mm": "5.4 cm"},
        {"beam_length_mm": {"value": 5.4, "unit": "cm"}},
        {"Beam length (mm)": 54},
        {"L_mm": 54},
        {"length": "54 mm"},
        {"beam_length_um": 54000},
    ],
)
def test_a_certain_unit_is_converted(spec: Spec, changes: dict[str, Any]) -> None:
    design = {name: value for name, value in FEASIBLE.items() if name != "beam_length_mm"} | changes
    checked = check(spec, design)
    assert checked.design == FEASIBLE
    assert any("beam_length_mm" in note for note in checked.notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"beam_length_inch": 2},
            r"unknown key 'beam_length_inch' in the design; write beam_length_mm, the value in mm",
        ),
        ({"beam_length_hz": 2}, "write beam_length_mm, the value in mm"),
        ({"load_resistance_mohm": 2}, "write load_resistance_ohm, the value in ohm"),
        ({"tip_mass_mm": 2}, "write tip_mass_g, the value in g"),
        ({"L": 54}, r"'L' in the design names no unit; write beam_length_mm, the value in mm"),
        ({"beam_length": 54}, "names no unit; write beam_length_mm"),
        ({"length_value": 54}, "names no unit"),
        ({"colour": "red"}, r"unknown key 'colour' in the design; the six variables are beam_length_mm, beam_width_mm"),
        ({"design": FEASIBLE}, "unknown key 'design'"),
        ({"k" * 9000: 1}, "unknown key 'kkk"),
        ({"beam_length_mm": "54 Hz"}, "beam_length_mm must be a plain number in mm"),
        ({"beam_length_mm": float("nan")}, "beam_length_mm must be a finite number in mm"),
        ({"beam_length_mm": True}, "beam_length_mm must be a plain number in mm"),
        ({"beam_length_mm": None}, "beam_length_mm must be a plain number in mm"),
        ({"beam_length_mm": [54]}, "beam_length_mm must be a plain number in mm"),
        ({"beam_length_cm": 6}, "beam_length_mm is given twice"),
    ],
)
def test_a_doubtful_key_or_value_is_refused(spec: Spec, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        check(spec, {**FEASIBLE, **changes})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", VARIABLES)
def test_a_missing_variable_is_not_filled_in(spec: Spec, name: str) -> None:
    with pytest.raises(UserError, match=f"lacks {name}"):
        check(spec, {key: value for key, value in FEASIBLE.items() if key != name})


@pytest.mark.parametrize("value", [-1.0, 0.0, 1e308, -1e308, 5e-324])
@pytest.mark.parametrize("name", VARIABLES)
def test_an_absurd_value_is_not_feasible(spec: Spec, name: str, value: float) -> None:
    checked = check(spec, {**FEASIBLE, name: value})
    assert not checked.verdict.feasible
    assert "Not feasible" in as_text(spec, checked, "b.yaml")


def test_a_design_is_read_from_json_as_from_yaml(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_text(json.dumps(FEASIBLE))
    (tmp_path / "design.yaml").write_text(yaml.safe_dump(FEASIBLE))
    inline = [json.dumps(FEASIBLE), f" {json.dumps(FEASIBLE)}", "{beam_length_mm: 54.0}"]
    assert design_from(str(tmp_path / "design.json")) == design_from(str(tmp_path / "design.yaml")) == FEASIBLE
    assert [design_from(text) for text in inline] == [FEASIBLE, FEASIBLE, {"beam_length_mm": 54.0}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tip_mass_g": 1, "tip_mass_g": 2}', r"the key 'tip_mass_g' twice"),
        ("{", "the design cannot be read"),
        ('{"a": ' * 2500, "nested deeper"),
        ("{a: !!python/object:os.system x}", "tag"),
        ("{a: &a [1], b: *a}", "anchor or alias"),
        ("no/such/file.json", "'no/such/file.json' cannot be read: No such file"),
        ("", "cannot be read"),
        ("x" * 5000, "cannot be read"),
    ],
)
def test_a_hostile_design_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        design_from(text)


def test_the_exit_code_of_a_feasible_design_is_0(small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "design.yaml").write_text(yaml.safe_dump(FEASIBLE))
    done = vehbench("check", "design.yaml", "--brief", EXAMPLE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Feasible: all limits are met" in done.stdout
    task = small_bank.select(["p2"])[0]
    assert task.gold["reference"] is not None
    done = vehbench(
        "check", json.dumps(task.gold["reference"]["design"]), "--task", task.task_id, "--bank", small_bank.path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"brief: {task.task_id} of bank {small_bank.version}" in done.stdout


def test_the_exit_code_of_an_infeasible_design_is_1(tmp_path: Path) -> None:
    done = vehbench("check", json.dumps(SHORT), "--brief", EXAMPLE)
    assert (done.returncode, done.stderr) == (1, "")
    assert "Not feasible" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([json.dumps(FEASIBLE)], "either --task ID or --brief FILE"),
        ([json.dumps(FEASIBLE), "--task", "x", "--brief", EXAMPLE], "either --task ID or --brief FILE"),
        ([json.dumps(FEASIBLE), "--task", "x"], "no task 'x'"),
        ([json.dumps(FEASIBLE), "--brief", "absent.yaml"], "absent.yaml"),
        (['{"beam_length_inch": 2}', "--brief", EXAMPLE], "write beam_length_mm"),
        (["absent.json", "--brief", EXAMPLE], "absent.json"),
    ],
)
def test_wrong_usage_ends_in_words_and_exit_code_2(arguments: list[object], words: str, tmp_path: Path) -> None:
    done = vehbench("check", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
