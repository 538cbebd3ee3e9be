"""A few isomorphic probes made of the benchmark's P2 tasks, a bank with them, and what makes runs without a model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judged import judge_for
from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.isomorphic.types import Form, IsomorphicTask
from vehbench_hf.types import Design, Task
from vehbench_oracle import VARIABLES

OPEN = ("beam_length_mm", "load_resistance_ohm")
NOTHING: dict[str, Any] = {"initial_design": None, "candidates": [], "fixed": None}
NO_GOLD: dict[str, Any] = {"answer": None, "verdicts": [], "open_variables": [], "feasible_share": None}
QUESTION = {"selection": "Which one?", "generation": "Which design?", "completion": "Which two values?"}


def infeasible_near(task: Task, witness: Design) -> list[Design]:
    """Four designs within the bounds that break a limit."""
    found = []
    for name in VARIABLES:
        box = task.spec["variable_bounds"][name]
        assert box is not None
        for value in (box["min"], box["max"]):
            design = {**witness, name: value}
            if not judge_for(task.spec, design).feasible:
                found.append(design)
    return found[:4]


def group(number: int, task: Task) -> list[IsomorphicTask]:
    """The three forms of a P2 task; the feasible candidate is B in even groups and D in odd ones."""
    assert task.gold["reference"] is not None
    witness = task.gold["reference"]["design"]
    assert witness is not None
    assert judge_for(task.spec, witness).feasible
    others = infeasible_near(task, witness)
    assert len(others) == 4
    answer = "BD"[number % 2]
    free = iter(others)
    choices = [{"id": name, "design": witness if name == answer else next(free)} for name in "ABCDE"]
    names = ("variable_bounds", "constraints", "excitation", "materials", "notes")
    brief = {name: task.spec[name] for name in names}  # type: ignore[literal-required]
    gold = {"witness": witness, "source_task_id": task.task_id, "pool_id": f"pool-{number}", "group": number}
    forms: dict[Form, tuple[dict[str, Any], dict[str, Any]]] = {
        "selection": ({"candidates": choices}, {"answer": answer}),
        "generation": ({"initial_design": others[0]}, {}),
        "completion": (
            {"fixed": {name: None if name in OPEN else value for name, value in witness.items()}},
            {"open_variables": list(OPEN), "feasible_share": 0.1234567},
        ),
    }
    return [
        IsomorphicTask(
            task_id=f"iso-{number}-{form}",
            probe="isomorphic",
            subtype=form,
            split=task.split,
            difficulty="hard",
            source_group=task.source_group,
            anchor=task.anchor,
            bank_version="test",
            spec={**NOTHING, "question": QUESTION[form], **brief, **spec},  # type: ignore[typeddict-item]
            gold={**NO_GOLD, **gold, **own},  # type: ignore[typeddict-item]
        )
        for form, (spec, own) in forms.items()
    ]


@pytest.fixture(scope="session")
def isomorphic(bank_v2: Bank) -> Sequence[IsomorphicTask]:
    """Eight groups from three splits and several papers."""
    found: list[list[IsomorphicTask]] = []
    for task in bank_v2.select(["p2"])[::20]:
        reference = task.gold["reference"]
        if reference is None or reference["design"] is None:
            continue
        if len(infeasible_near(task, reference["design"])) == 4 and len(found) < 8:
            found.append(group(len(found) + 1, task))
    assert len(found) == 8
    assert len({tasks[0].split for tasks in found}) > 1
    return [task for tasks in found for task in tasks]


@pytest.fixture(scope="session")
def small_group(small_bank: Bank) -> Sequence[IsomorphicTask]:
    """A group of the small bank, whose rows do not change."""
    task = next(task for task in small_bank.tasks if task.probe == "p2")
    return group(1, task)


@pytest.fixture(scope="session")
def experiments_bank(
    bank_v2: Bank, isomorphic: Sequence[IsomorphicTask], tmp_path_factory: pytest.TempPathFactory
) -> Bank:
    """The P3 tasks of the intervention subset and the isomorphic probes."""
    names = bank_v2.manifest["subsets"]["p3_intervention"]
    out: Path = tmp_path_factory.mktemp("bank") / "small"
    write_bank(
        out,
        [replace(bank_v2.by_id[name], bank_version="test") for name in names],
        version="test",
        convention="defined",
        card="",
        extra={"subsets": {"p3_intervention": names}},
        isomorphic=isomorphic,
    )
    return open_bank(out)
