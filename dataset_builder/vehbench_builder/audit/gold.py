"""What checks read from a bank: the gold part of a row with one shape, stored numbers, and where a bank comes from."""

from collections.abc import Mapping
from math import isclose
from typing import Any, Literal

from vehbench_builder.build_spec import BUILT_HERE
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, Task

EXACT = 1e-9
"""Largest relative difference between a stored number and the same number computed again."""
DECIMALS = 6
"""Decimals to which bank v1 rounds what it stores."""


def not_built_here(bank: Bank) -> str | None:
    """Why what only banks of this builder promise is not looked at; None for such a bank."""
    return None if bank.version.startswith(BUILT_HERE) else f"{bank.version} was not built here"


def agrees(stored: float, computed: float) -> bool:
    """Whether a stored number is the computed one, in full or rounded to six decimals."""
    if isclose(stored, computed, rel_tol=EXACT, abs_tol=1e-12):
        return True
    return round(stored, DECIMALS) == stored and abs(stored - computed) <= 0.6 * 10**-DECIMALS


def action_of(task: Task) -> str:
    """The gold action of a P1 task, "none" where there is none."""
    return task.gold["action"] or "none"


def part_of(task: Task, name: Literal["reference", "trap"]) -> Mapping[str, Any]:
    """A part of the gold, empty where the task has none."""
    part: Mapping[str, Any] | None = task.gold[name]
    return part or {}


def gold_designs(task: Task) -> dict[str, Design]:
    """Every design of the gold part by what it is."""
    gold = task.gold
    named = {
        "reference": part_of(task, "reference").get("design"),
        "witness": gold["witness"],
        "anchor design": gold["anchor_design"],
        **{f"witness for {completion['name']}": completion["witness"] for completion in gold["completions"]},
    }
    return {name: design for name, design in named.items() if design is not None}
