"""What checks read from a bank: the gold part of a row with one shape, stored numbers, and where a bank comes from."""

from math import isclose

from vehbench_builder.build_spec import BUILT_HERE
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, Reference, Task, Trap

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


def reference_of(task: Task) -> Reference:
    """The reference of a task; every field is null where there is none."""
    return task.gold["reference"] or {
        "design": None,
        "power_uw": None,
        "power_uw_older": None,
        "upper_bound_uw": None,
    }


def trap_of(task: Task) -> Trap:
    """The trap of a P3 task, an empty one for other tasks."""
    return task.gold["trap"] or {
        "type": "",
        "variable": None,
        "direction": None,
        "secondary_constraint": None,
        "claims": [],
    }


def gold_designs(task: Task) -> dict[str, Design]:
    """Every design of the gold part by what it is."""
    gold = task.gold
    named = {
        "reference": reference_of(task)["design"],
        "witness": gold["witness"],
        "anchor design": gold["anchor_design"],
        **{f"witness for {completion['name']}": completion["witness"] for completion in gold["completions"]},
    }
    return {name: design for name, design in named.items() if design is not None}
