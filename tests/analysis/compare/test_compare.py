import json
from pathlib import Path

import numpy as np
import pytest

from vehbench_hf.analysis.compare import compare_runs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError
from vehbench_hf.runlog.differences import require_comparable
from vehbench_hf.statistics import holm_adjusted

GOOD, NEAR, BAD = "abcde", "abced", "edcba"  # tau 1, 0.8, -1


def compare(*compared, **options):
    return compare_runs(compared, convention="defined", **{"headline_splits": ["test_id"], **options})


def only(result):
    (entry,) = result["comparisons"]
    return entry


def test_the_difference_is_second_minus_first_and_counts_its_tasks(runs):
    first = runs.run("a", [GOOD, BAD, NEAR, NEAR] * 4)
    second = runs.run("b", [NEAR, GOOD, NEAR, NEAR] * 4)
    entry = only(compare(first, second))
    assert entry["values"] == pytest.approx([0.4, 0.85])
    assert entry["difference"] == pytest.approx(0.45)
    assert entry["moved"] == {"up": 4, "down": 4, "same": 8}
    assert (entry["n"], entry["clusters"]) == (16, 8)
    low, high = entry["interval"]
    assert low < 0.45 < high
    assert entry["detectable"] > 2.8 * entry["standard_error"]


def test_every_two_runs_are_compared_and_adjusted_together(runs):
    rng = np.random.default_rng(0)
    compared = [runs.run(name, [[GOOD, NEAR, BAD][i] for i in rng.integers(0, 3, 40)]) for name in "abc"]
    found = compare(*compared)["comparisons"]
    assert [(entry["first"], entry["second"]) for entry in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    adjusted = holm_adjusted([entry["p_value"] for entry in found])
    assert [entry["p_adjusted"] for entry in found] == adjusted
    assert adjusted != [entry["p_value"] for entry in found]


def test_tasks_of_one_run_alone_do_not_count(runs):
    first = runs.run("a", [GOOD] * 12)
    second = runs.of("b", [runs.row(runs.pool(number), BAD if number > 11 else NEAR) for number in range(4, 20)])
    result = compare(first, second)
    entry = only(result)
    assert (entry["n"], entry["left_out"]) == (8, {"first": 4, "second": 8})
    assert entry["values"] == pytest.approx([1.0, 0.8])
    (note,) = result["notes"]
    assert "only the 8 tasks" in note


def test_a_task_of_another_bank_with_the_same_name_is_another_task(runs):
    changed = [runs.row(runs.pool(i, subtype="other") if i < 5 else runs.pool(i), GOOD) for i in range(12)]
    entry = only(compare(runs.run("a", [NEAR] * 12), runs.of("b", changed)))
    assert entry["n"] == 7


def test_runs_without_a_shared_task_have_no_difference(runs):
    second = runs.of("b", [runs.row(runs.pool(i), GOOD) for i in range(20, 30)])
    entry = only(compare(runs.run("a", [GOOD] * 10), second))
    assert (entry["difference"], entry["p_adjusted"], entry["moved"]) == (None, None, None)
    assert "share no scored task" in entry["undefined"]


def test_tasks_outside_the_splits_do_not_count(runs):
    rows = [runs.row(runs.pool(i, split="dev" if i < 6 else "test_id"), BAD if i < 6 else GOOD) for i in range(12)]
    entry = only(compare(runs.of("a", rows), runs.of("b", rows)))
    assert (entry["n"], entry["values"]) == (6, [1.0, 1.0])


def test_a_probe_of_one_run_alone_is_not_compared_and_named(runs):
    found = compare(runs.run("a", [GOOD] * 4), runs.of("b", []))
    assert found["comparisons"] == []
    assert "P4: b has no scored row and is not compared." in found["notes"]


def test_more_repeats_give_a_task_no_more_weight(runs):
    """One run repeats two of its tasks; each still counts once."""
    rows = [runs.row(runs.pool(i), BAD if i == 0 else GOOD, e) for i in range(8) for e in range(3 if i < 2 else 1)]
    entry = only(compare(runs.run("a", [GOOD] * 8), runs.of("b", rows, epochs=3)))
    assert entry["values"] == pytest.approx([1.0, 0.75])
    assert entry["moved"] == {"up": 0, "down": 1, "same": 7}


def test_equal_runs_have_no_detectable_difference(runs):
    entry = only(compare(runs.run("a", [GOOD, BAD] * 6), runs.run("b", [GOOD, BAD] * 6)))
    assert (entry["difference"], entry["p_value"], entry["interval"]) == (0.0, 1.0, None)
    assert entry["detectable"] is None
    assert "no spread" in entry["undefined"]


def test_one_paper_has_no_interval(runs):
    first, second = ([runs.row(runs.pool(i, papers=1), order) for i in range(6)] for order in (GOOD, NEAR))
    entry = only(compare(runs.of("a", first), runs.of("b", second)))
    assert (entry["interval"], entry["detectable"], entry["p_value"]) == (None, None, None)
    assert "one paper" in entry["undefined"]


def test_equal_calls_agree_and_the_method_is_said(runs):
    compared = runs.run("a", [GOOD, NEAR, BAD] * 6), runs.run("b", [NEAR, NEAR, GOOD] * 6)
    first = compare(*compared)
    assert json.dumps(first, allow_nan=False) == json.dumps(compare(*compared), allow_nan=False)
    assert "power 0.8 at level 0.05" in first["method"]["detectable"]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"sampling.temperature": 0.7}, "temperature 0.7"),
        ({"sampling.temperature": None}, "provider's temperature"),
        ({"sampling.temperature": None, "kind": "recorded"}, "does not hold"),
        ({"sampling.temperature": 0.0}, None),
        ({"sampling.temperature": 0.7, "epochs": 3}, None),
        ({"sampling.temperature": None, "model": "baseline/a"}, None),
    ],
)
def test_noise_of_a_whole_run_is_said_to_be_left_out(runs, fields, word):
    notes = compare(runs.run("a", [GOOD] * 8, **fields), runs.run("b", [NEAR] * 8))["notes"]
    notes = [note for note in notes if "incomplete" not in note]  # one of three epochs is there
    assert len(notes) == (word is not None)
    assert all(word in note and "common to a whole run" in note and note.startswith("a:") for note in notes)


def test_unscored_rows_and_problems_of_a_log_are_named(runs):
    notes = compare(runs.run("a", [GOOD] * 8, missing=3), runs.run("b", [GOOD] * 8, problems=("line 7 is broken",)))[
        "notes"
    ]
    assert notes == [
        "a is incomplete: 3 of P4 have no score and are left out, which may favour any run.",
        "b: line 7 is broken",
    ]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("bank", {"bank": Bank(Path("nowhere"), {"version": "other", "fingerprint": "f"}, ())}),
        ("tasks of the bank", {"bank": Bank(Path("nowhere"), {"version": "b", "fingerprint": "other"}, ())}),
        ("prompts", {"prompts_version": "other"}),
        ("protocol", {"protocol_version": "other"}),
        ("protocol.retries", {"protocol.retries": 5}),
        ("prompt texts", {"prompts_fingerprint": "other"}),
    ],
)
def test_runs_that_do_not_compare_are_refused_unless_mixed(runs, name, other):
    first, second = runs.run("a", [GOOD]), runs.run("b", [GOOD])
    assert require_comparable([first, second], mix=False) == []
    changed = runs.run("b", [GOOD], **other)
    with pytest.raises(RunError, match=f"(?s)--mix.*{name}: a .*, b (other|5)"):
        require_comparable([first, changed], mix=False)
    assert len(require_comparable([first, changed], mix=True)) == 1


def test_a_setting_that_one_log_does_not_name_is_not_equal(runs):
    with pytest.raises(RunError, match="b unknown"):
        require_comparable([runs.run("a", [GOOD]), runs.run("b", [GOOD], kind="recorded")], mix=False)


def test_one_run_or_one_run_twice_is_refused(runs):
    with pytest.raises(RunError, match="two or more"):
        require_comparable([runs.run("a", [GOOD])], mix=True)
    with pytest.raises(RunError, match="twice"):
        require_comparable([runs.run("a", [GOOD]), runs.run("a", [BAD])], mix=True)
    with pytest.raises(RunError, match="twice"):
        require_comparable([runs.run("a", [GOOD]), runs.run(str(Path("a").absolute()), [BAD])], mix=True)
