"""A small example of each metric from the sample bank: what the apps show, and cases with a known result."""

from typing import Any

from vehbench_hf.bank.bank import open_bank
from vehbench_hf.probes import probe_of_metric
from vehbench_hf.types import Task


def example(metric: str) -> tuple[list[Any], list[dict[str, Any]]]:
    """The gold answers and the rows of all sample tasks of a metric."""
    from vehbench_hf.bank.schema import task_to_row

    tasks = open_bank("sample").select([probe_of_metric(metric).probe])
    return [_gold(task) for task in tasks], [task_to_row(task) for task in tasks]


def cases(metric: str) -> list[dict[str, Any]]:
    """Cases as `tests.py` of a Space lists them; `result` holds the fields to be compared."""
    answers, rows = example(metric)
    worst = probe_of_metric(metric).worst
    return [
        {"predictions": answers, "references": rows, "result": {metric: 1.0, "n": len(rows)}},
        {"predictions": [""] * len(rows), "references": rows, "result": {metric: worst, "n": len(rows)}},
    ]


def _gold(task: Task) -> Any:
    if task.probe == "p1":
        return task.gold["action"]
    if task.probe == "p4":
        return task.gold["ranking"]
    known = task.gold["reference"]
    return known["design"] if known else None
