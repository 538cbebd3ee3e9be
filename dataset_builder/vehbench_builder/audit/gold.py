"""The gold part of a row with one shape, whatever the probe or the bank leaves empty."""

from vehbench_hf.types import Design, Reference, Task, Trap


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
        **{f"witness for {one['name']}": one["witness"] for one in gold["completions"]},
    }
    return {name: design for name, design in named.items() if design is not None}
