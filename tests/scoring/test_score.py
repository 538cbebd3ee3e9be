import dataclasses
import json
import random

import pytest

from vehbench_hf.errors import RunError
from vehbench_hf.scoring import comparability, score
from vehbench_hf.types import Usage

ACTIONS = ("propose_design", "declare_infeasible", "request_missing_info")


@pytest.fixture(scope="module")
def run(make):  # every paper has briefs of all three classes, so that no resample lacks one
    """Twelve P1 briefs and six P4 pools over four papers and all splits, with records."""
    tasks, records = [], {}
    for i in range(12):
        task, record = make.triage(
            ACTIONS[i % 4 % 3], ACTIONS[i % 3], f"p1-{i:02}", subtype=f"s{i % 2}", split="dev" if i < 6 else "test_id"
        )
        tasks.append(_of_paper(make, task, i))
        records[task.task_id] = [record]
    for i in range(6):
        task = _of_paper(make, make.pool(f"p4-{i}", sensitive="ab", dominated="ae", split="test_ood"), i)
        tasks.append(task)
        records[task.task_id] = [make.rank(task, "abced" if i % 2 else "abcde")]
    return tasks, records


def _of_paper(make, task, i):
    return dataclasses.replace(task, anchor=make.anchor(f"paper{i % 4}"))


def scored(tasks, records, **options):
    return score(tasks, records, convention="defined", bank="veh-test", **options)


def test_order_of_log_and_bank_does_not_change_the_scores(run):
    tasks, records = run
    first = json.dumps(scored(tasks, records))
    for seed in range(3):
        shuffled, ids = list(tasks), list(records)
        random.Random(seed).shuffle(shuffled)
        random.Random(seed).shuffle(ids)
        assert json.dumps(scored(shuffled, {i: records[i] for i in ids})) == first


def test_output_is_json_with_all_words_of_the_contract(run):
    found = json.loads(json.dumps(scored(*run, model="m"), allow_nan=False))
    assert {"schema", "versions", "bank", "convention", "model", "complete", "usage", "probes"} <= found.keys()
    assert list(found["probes"]) == ["p1", "p4"]
    for probe in found["probes"].values():
        assert {"headline", "all", "parts", "parts_n", "undefined", "outcomes", "unscored", "splits"} <= probe.keys()
        assert {"name", "value", "interval", "n"} <= probe["headline"].keys()
        assert probe["parts"].keys() == probe["parts_n"].keys()
        low, high = probe["headline"]["interval"]
        assert low <= high
        assert {name for name, value in probe["parts"].items() if value is None} == probe["undefined"].keys()
    assert found["complete"] is True


def test_scores_of_other_conventions_do_not_look_comparable():
    assert comparability("veh-v1", "released") == "veh-v1 | prompts 1 | protocol 1 | scorer 2 | released"
    assert comparability("veh-v1", "defined") != comparability("veh-v1", "released")


def test_headline_is_taken_over_the_splits_asked_for(run):
    tasks, records = run
    found = scored(tasks, records, headline_splits=["test_id"])["probes"]["p1"]
    only = scored(
        [task for task in tasks if task.split == "test_id"],
        {task.task_id: records[task.task_id] for task in tasks if task.split == "test_id"},
    )["probes"]["p1"]
    assert found["headline"] == only["headline"]
    assert found["parts"] == only["parts"] == found["splits"]["test_id"]["parts"]
    assert found["headline"]["n"] == 6
    assert found["all"]["n"] == 12
    assert found["all"]["value"] == scored(tasks, records)["probes"]["p1"]["headline"]["value"]
    assert list(found["splits"]) == ["dev", "test_id"]


def test_a_call_that_failed_outside_the_model_is_not_scored(make, run):
    tasks, records = run
    lost = next(task for task in tasks if task.probe == "p4")
    broken = {**records, lost.task_id: [make.record(lost, outcome="infra_error")]}
    found = scored(tasks, broken)
    kept = scored([t for t in tasks if t is not lost], {k: v for k, v in records.items() if k != lost.task_id})
    assert found["complete"] is False
    assert found["probes"]["p4"]["unscored"] == 1
    assert found["probes"]["p4"]["outcomes"] == {
        "ok": 5, "format_error": 0, "truncated": 0, "refused": 0, "infra_error": 1
    }  # fmt: skip
    assert found["probes"]["p4"]["parts"] == kept["probes"]["p4"]["parts"]
    value = kept["probes"]["p4"]["headline"]["value"]
    assert found["probes"]["p4"]["headline"]["bounds"] == pytest.approx([(5 * value - 1) / 6, (5 * value + 1) / 6])


def test_a_task_without_record_makes_the_run_incomplete(run):
    tasks, records = run
    found = scored(tasks, {k: v for k, v in records.items() if k not in ("p1-00", "p4-0")})
    assert found["complete"] is False
    assert (found["probes"]["p1"]["missing"], found["probes"]["p4"]["missing"]) == (1, 1)
    for probe in ("p1", "p4"):
        low, high = found["probes"][probe]["headline"]["bounds"]
        assert low < found["probes"][probe]["headline"]["value"] < high


def test_a_probe_without_any_record_is_undefined(run):
    tasks, _ = run
    for convention in ("released", "defined"):
        found = score(tasks, {}, convention=convention, bank="b")
        assert set(found["probes"]) == {"p1", "p4"}
        for probe in found["probes"].values():
            assert probe["headline"]["value"] is None
            assert probe["headline"]["interval"] is None
            assert set(probe["parts"].values()) == {None}
            assert all("no record" in reason for reason in probe["undefined"].values())


def test_a_baseline_with_nothing_to_say_is_not_scored(make, run):
    tasks, records = run
    silent = dict(records)
    for task in tasks:
        if task.probe == "p4":
            silent[task.task_id] = [make.record(task, applicable=False, outcome="format_error")]
    found = scored(tasks, silent)
    assert found["complete"] is True
    assert found["probes"]["p4"]["not_applicable"] == 6
    assert found["probes"]["p4"]["headline"]["value"] is None
    assert "not applicable" in found["probes"]["p4"]["undefined"]["tau"]
    assert sum(found["probes"]["p4"]["outcomes"].values()) == 0


def test_records_of_another_bank_are_refused(make, run):
    tasks, records = run
    with pytest.raises(RunError, match="'p4-0'"):
        scored([task for task in tasks if task.probe == "p1"], records)


def test_every_epoch_is_scored(make):
    task = make.pool()
    records = {task.task_id: [make.rank(task, "abcde", epoch=1), make.rank(task, "edcba", epoch=0)]}
    found = scored([task], records, epochs=2)
    assert found["complete"] is True
    assert found["probes"]["p4"]["headline"]["value"] == 0.0
    assert found["probes"]["p4"]["headline"]["n"] == 2
    assert scored([task], records, epochs=3)["complete"] is False


def test_a_single_paper_has_no_interval(make):
    task = make.pool()
    found = scored([task], {task.task_id: [make.rank(task, "abcde")]})
    assert found["probes"]["p4"]["headline"]["value"] == 1.0
    assert found["probes"]["p4"]["headline"]["interval"] is None


def test_tokens_nobody_reported_are_unknown(make):
    task = make.pool()
    records = [
        make.rank(task, "abcde", usage=Usage(input=5), calls=2),
        make.rank(task, "abcde", epoch=1, usage=Usage(input=7, output=1), calls=1),
    ]
    usage = scored([task], {task.task_id: records}, epochs=2)["usage"]
    assert usage == {"calls": 3, "input": 12, "cached": None, "output": 1, "reasoning": None}


def test_a_run_without_a_task_of_the_headline_splits_is_told_so(run):
    tasks, records = run
    dev = [task for task in tasks if task.split == "dev"]
    found = scored(dev, {task.task_id: records[task.task_id] for task in dev}, headline_splits=["test_id"])
    assert found["probes"]["p1"]["headline"]["undefined"] == "the run has no task of the headline splits"
