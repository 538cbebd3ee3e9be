"""A small example of each metric: what the apps show, and cases with a known result.

The tasks are fresh ones of the training split, so that no page shows an answer of the benchmark. They are sixteen rows
of `vehbench build --split train --per-anchor 1 --seed 763`, four a probe, with all actions among those of P1:

    bank, file = open_bank("train"), Path("vehbench_hf/metrics/example_tasks.json")
    rows = [task_to_row(bank.by_id[row["task_id"]]) for row in json.loads(file.read_text())]
    file.write_text("[\\n" + ",\\n".join(map(json.dumps, rows)) + "\\n]\\n")
"""

import json
from pathlib import Path
from typing import Any

from vehbench_hf.probes import probe_of_metric
from vehbench_hf.types import Task


def example(metric: str) -> tuple[list[Any], list[dict[str, Any]]]:
    """The gold answers and the rows of the four tasks of a metric."""
    from vehbench_hf.bank.schema import row_to_task

    rows = json.loads(Path(__file__).with_name("example_tasks.json").read_text(encoding="utf-8"))
    own = [row for row in rows if row["probe"] == probe_of_metric(metric).probe]
    return [_gold(row_to_task(row)) for row in own], own


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
