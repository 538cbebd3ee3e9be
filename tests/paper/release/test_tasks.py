"""The imported tasks must be the released ones, show a model nothing it may not see, and state computable rules."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judged import judge_for
from vehbench_hf.bank.schema import row_to_task, task_to_row
from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.manifest import split_file, task_file
from vehbench_hf.paper.release.references import References
from vehbench_hf.paper.release.tasks import read_tasks
from vehbench_hf.types import PROBES, SPLITS, Task
from vehbench_oracle import LIMITS, METRICS, VARIABLES


def tasks_of(tasks: list[Task], probe: str) -> list[Task]:
    return [task for task in tasks if task.probe == probe]


def test_no_task_is_lost_doubled_or_moved_to_another_split(release_dir: Path, tasks: list[Task]) -> None:
    for probe in PROBES:
        manifest = json.loads((release_dir / f"data/veh/splits/{probe}_manifest.json").read_text(encoding="utf-8"))
        for split in SPLITS:
            lines = (release_dir / split_file(probe, split)).read_text(encoding="utf-8").splitlines()
            ids = [task.task_id for task in tasks if (task.probe, task.split) == (probe, split)]
            assert ids == [json.loads(line)["task_id"] for line in lines]
            assert len(set(ids)) == manifest["splits"][split]["records"]
    assert len({task.task_id for task in tasks}) == len(tasks) == 763


def test_strata_are_those_of_an_independent_count(reference_dir: Path, tasks: list[Task]) -> None:
    counted = json.loads((reference_dir / "task_statistics.json").read_text(encoding="utf-8"))["release"]
    for probe in PROBES:
        mine, theirs = tasks_of(tasks, probe), counted[probe.upper()]
        assert Counter(task.split for task in mine) == theirs["split"]
        assert Counter(task.difficulty for task in mine) == theirs["difficulty"]
        assert Counter(task.source_group for task in mine) == (theirs["source_group"] or {None: len(mine)})
        assert Counter(str(task.spec["query_budget"]) for task in mine) == theirs["query_budget"]
        assert Counter(task.subtype for task in mine) == theirs["profile" if probe == "p4" else "subtype"]
        assert len({task.anchor["key"] for task in mine if task.anchor}) == theirs["anchors"]["distinct"]
    assert Counter(task.gold["pool_family"] for task in tasks_of(tasks, "p4")) == counted["P4"]["pool_family"]
    traps = [task.gold["trap"] for task in tasks_of(tasks, "p3")]
    assert Counter(trap["variable"] for trap in traps if trap) == counted["P3"]["trap_variable"]


def test_every_row_survives_the_schema(tasks: list[Task]) -> None:
    for task in tasks:
        assert row_to_task(task_to_row(task)) == task


# What a model may see.


def numbers_and_texts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers_and_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_and_texts(inner)
    elif value is not None:
        yield value


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(inner)


def test_no_private_text_reaches_the_brief(tasks: list[Task], released: dict[str, dict[str, Any]]) -> None:
    for task in tasks:
        shown = json.dumps(task.spec, ensure_ascii=False)
        row = released[task.task_id]
        private = [
            task.task_id,
            row["anchor_id"],
            *(row.get(n) for n in ("anchor_paper_doi", "seed_id", "source_task_id")),
        ]
        private += [row.get("p1_subtype"), row.get("p2_subtype"), row.get("p3_subtype"), row.get("base_pool_id")]
        private += [entry[n] for entry in row.get("candidate_pool", []) for n in entry if n.startswith("candidate_")]
        private += [task.gold["action"], *task.gold["missing_fields"], task.gold["pool_id"], task.gold["pool_family"]]
        plain = {entry["candidate_id"] for entry in row.get("candidate_pool", [])}
        for text in private:
            if isinstance(text, str) and text not in plain and text != "load_resistance_ohm":
                assert text not in shown, (task.task_id, text)


def test_no_private_field_name_reaches_the_brief(tasks: list[Task]) -> None:
    public = {
        *("variable_bounds", "min", "max", "constraints", "excitation", "frequency_hz", "acceleration_g", "stated"),
        *("name", "text", "materials", "piezo", "substrate", "damping_ratio", "notes", "query_budget"),
        *("initial_design", "history", "design", "note", "verdict", "feasible", "power_uw", "slack", "violations"),
        *("metrics", "policy", "profile", "candidates", "id", *VARIABLES, *LIMITS, *METRICS),
    }
    for task in tasks:
        assert set(keys(task.spec)) <= public


def test_no_gold_number_reaches_the_brief(tasks: list[Task]) -> None:
    for task in tasks:
        reference = task.gold["reference"] or {}
        hidden = {v for v in numbers_and_texts([reference, task.gold["utilities"]]) if isinstance(v, float) and v}
        shown = {value for value in numbers_and_texts(task.spec) if isinstance(value, float)}
        # A variable of the stored design may sit on its bound; a power or utility has no reason to be shown.
        on_bounds = set(numbers_and_texts(task.spec["variable_bounds"]))
        assert not (hidden & shown) - on_bounds, task.task_id


def test_the_anchor_is_shown_nowhere_as_a_design(tasks: list[Task]) -> None:
    for task in tasks:
        shown = [step["design"] for step in task.spec["history"]] + [c["design"] for c in task.spec["candidates"]]
        assert task.gold["anchor_design"] not in shown
        assert task.spec["initial_design"] is None


# P1.


def test_what_a_brief_withholds_is_null_and_what_it_says_in_words_is_kept(
    tasks: list[Task], released: dict[str, dict[str, Any]]
) -> None:
    for task in tasks_of(tasks, "p1"):
        row, spec = released[task.task_id], task.spec
        excitation = row["excitation_context"]
        assert spec["excitation"]["frequency_hz"] == excitation.get("frequency_hz")
        assert spec["excitation"]["acceleration_g"] == excitation.get("acceleration_g")
        stated = {item["name"]: item["text"] for item in spec["excitation"]["stated"]}
        assert stated.keys() == excitation.keys() - {"frequency_hz", "acceleration_g"}
        for name, text in stated.items():
            parts = excitation[name] if isinstance(excitation[name], list) else [excitation[name]]
            assert all(str(part) in text for part in parts)
        assert {note["name"]: note["text"] for note in spec["notes"]} == row["spec_context"]
        for name in VARIABLES:
            assert (spec["variable_bounds"][name] is None) == (name not in row["variable_bounds"])
    withheld = Counter(
        name
        for task in tasks_of(tasks, "p1")
        for name, gone in {
            "frequency": task.spec["excitation"]["frequency_hz"] is None,
            "acceleration": task.spec["excitation"]["acceleration_g"] is None,
            "load": task.spec["variable_bounds"]["load_resistance_ohm"] is None,
        }.items()
        if gone
    )
    assert withheld == {"frequency": 21, "acceleration": 12, "load": 9}


def test_p1_gold_is_the_released_label(tasks: list[Task], released: dict[str, dict[str, Any]]) -> None:
    assert Counter(task.gold["action"] for task in tasks_of(tasks, "p1")) == {
        "propose_design": 135,
        "declare_infeasible": 60,
        "request_missing_info": 45,
    }
    for task in tasks_of(tasks, "p1"):
        assert task.gold["missing_fields"] == released[task.task_id].get("missing_fields_ground_truth", [])
        assert (task.gold["action"] == "request_missing_info") == bool(task.gold["missing_fields"])


# P2 and P3.


def test_a_reference_design_is_feasible_and_has_the_reference_power(tasks: list[Task]) -> None:
    with_design = [t for t in tasks_of(tasks, "p2") if t.gold["reference"] and t.gold["reference"]["design"]]
    assert len(with_design) == 52  # of 53: one lost its feasibility when the release rounded it
    for task in with_design:
        assert task.gold["reference"] is not None
        verdict = judge_for(task.spec, task.gold["reference"]["design"] or {})
        assert verdict.feasible
        assert verdict.objective == pytest.approx(task.gold["reference"]["power_uw"], rel=1e-6, abs=1e-6)


def test_the_anchor_design_is_feasible_in_every_p2_task(tasks: list[Task]) -> None:
    assert all(judge_for(task.spec, task.gold["anchor_design"] or {}).feasible for task in tasks_of(tasks, "p2"))


def test_p3_has_no_reference_where_the_release_has_none(tasks: list[Task]) -> None:
    for task in tasks_of(tasks, "p3"):
        assert task.gold["reference"] is not None
        assert set(task.gold["reference"].values()) == {None}


def test_a_p3_history_is_the_stored_one(tasks: list[Task], released: dict[str, dict[str, Any]]) -> None:
    for task in tasks_of(tasks, "p3"):
        steps = released[task.task_id]["seed_history"]
        assert len(task.spec["history"]) == len(steps) == released[task.task_id]["trap_metadata"]["seed_step_count"]
        for shown, stored in zip(task.spec["history"], steps, strict=True):
            assert shown["design"] == stored["candidate"]
            assert shown["verdict"]["slack"] == stored["verifier_response"]["constraint_slack"]
            assert shown["verdict"]["power_uw"] == stored["verifier_response"]["objective_value"]
            assert shown["verdict"]["violations"] == stored["verifier_response"]["violations"]
            assert shown["verdict"]["feasible"] == stored["verifier_response"]["feasible"]
            assert shown["verdict"]["metrics"] is None


def test_the_trap_is_the_variable_that_the_history_moves(tasks: list[Task]) -> None:
    for task in tasks_of(tasks, "p3"):
        trap = task.gold["trap"]
        assert trap is not None
        first, last = task.spec["history"][0]["design"], task.spec["history"][-1]["design"]
        assert [name for name in VARIABLES if first[name] != last[name]] == [trap["variable"]]
        assert trap["direction"] == ("increase" if last[trap["variable"]] > first[trap["variable"]] else "decrease")


# Damage.


def test_a_row_of_another_form_is_refused_with_its_id(tmp_path: Path, release_dir: Path) -> None:
    for probe in PROBES:
        file = tmp_path / task_file(probe)
        file.parent.mkdir(parents=True, exist_ok=True)
        row = json.loads((release_dir / task_file(probe)).read_text(encoding="utf-8").splitlines()[0])
        row["constraints"] = [{"name": "stress_limit_mpa", "limit": "many"}]
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"p1_tasks.jsonl: task 'p1v3::dev"):
        read_tasks(tmp_path, References({}, {}, {}, {}))


def test_unknown_references_stay_null(release_dir: Path, tasks: list[Task]) -> None:
    for task in tasks_of(read_tasks(release_dir, References({}, {}, {}, {})), "p2"):
        assert task.gold["reference"] is not None
        assert set(task.gold["reference"].values()) == {None}
        same = next(other for other in tasks if other.task_id == task.task_id)
        assert replace(task, gold=same.gold) == same
