"""Is every row whole: its schema, its numbers, its id, its box, and the canary in the files it came in?"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from vehbench_builder.audit.report import Check, Findings, each, skipped, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.schema import CANARY, arrow_schema, task_to_row
from vehbench_hf.types import PROBES, Task
from vehbench_oracle import DECLARED_DOMAIN, LIMITS, VARIABLES

LEAST_WIDTH = 1e-3
"""Smallest width of a range, as a share of its upper end, that leaves something to choose."""


def integrity_checks(bank: Bank) -> list[Check]:
    """What must hold for every row of every bank."""
    complete = [t for t in bank.tasks if t.probe != "p1" or t.gold["action"] == "declare_infeasible"]
    listed = bank.manifest.get("files")
    return [
        whole(canary_in_every_file, bank)
        if listed
        else skipped(canary_in_every_file, "the bank was not read from files"),
        whole(rows_fit_the_schema, bank.tasks),
        whole(ids_are_unique, bank.tasks),
        whole(briefs_are_unique, bank.tasks),
        each(numbers_are_finite, bank.tasks),
        each(briefs_are_complete, complete),
        each(ranges_have_width, bank.tasks),
        each(boxes_lie_in_the_domain, bank.tasks),
    ]


def canary_in_every_file(bank: Bank) -> Findings:
    """Every data file carries the canary string, and the card names it."""
    import pyarrow.parquet as pq

    for file in bank.data_files:
        found = (pq.read_metadata(bank.path / file.path).metadata or {}).get(b"canary", b"")
        yield None if found.decode() == CANARY else f"{file.path}: no canary in its metadata"
    card = bank.path / "README.md"
    named = card.is_file() and "canary" in card.read_text(encoding="utf-8").lower()
    yield None if named else f"{card.name}: no word about the canary"


def rows_fit_the_schema(tasks: Sequence[Task]) -> Findings:
    """Every row survives the way through the Arrow schema of its config unchanged."""
    import pyarrow as pa

    for probe in PROBES:
        for task in tasks:
            if task.probe != probe:
                continue
            row = task_to_row(task)
            try:
                back = pa.Table.from_pylist([row], schema=arrow_schema(probe)).to_pylist()[0]
            except (pa.ArrowException, TypeError, ValueError) as error:
                yield f"{task.task_id}: {error}"
                continue
            yield None if canonical_json(back) == canonical_json(row) else f"{task.task_id}: fields outside the schema"


def ids_are_unique(tasks: Sequence[Task]) -> Findings:
    """No two tasks have one id."""
    seen: set[str] = set()
    for task in tasks:
        yield f"{task.task_id}: used again in {task.split}" if task.task_id in seen else None
        seen.add(task.task_id)


def briefs_are_unique(tasks: Sequence[Task]) -> Findings:
    """No two tasks show a model the same brief."""
    first: dict[str, Task] = {}
    for task in tasks:
        brief = canonical_json([task.probe, task.spec])
        twin = first.setdefault(brief, task)
        yield None if twin is task else f"{task.task_id}: the same brief as {twin.task_id} ({twin.split})"


def numbers_are_finite(task: Task) -> Findings:
    """No number of a row is NaN or infinite."""
    bad = [place for place, value in _numbers({"spec": task.spec, "gold": task.gold}, "") if not math.isfinite(value)]
    yield f"not finite: {', '.join(bad[:4])}" if bad else None


def briefs_are_complete(task: Task) -> Findings:
    """A brief that can be judged states all bounds, limits, the excitation and the materials."""
    spec = task.spec
    missing = [
        *(name for name in VARIABLES if spec["variable_bounds"].get(name) is None),
        *(name for name in LIMITS if spec["constraints"].get(name) is None),
        *(name for name in ("frequency_hz", "acceleration_g") if spec["excitation"].get(name) is None),
        *(name for name in ("piezo", "substrate") if spec["materials"].get(name) is None),
    ]
    yield f"withholds {', '.join(missing)}" if missing else None


def ranges_have_width(task: Task) -> Findings:
    """The bounds of every variable are in order and leave a range to choose from."""
    for name, box in task.spec["variable_bounds"].items():
        if box is None:
            continue
        wide = box["max"] - box["min"] >= LEAST_WIDTH * box["max"] > 0
        yield None if wide else f"{name} from {box['min']!r} to {box['max']!r}"


def boxes_lie_in_the_domain(task: Task) -> Findings:
    """All bounds of a task lie inside the declared domain of the oracle."""
    outside = [
        f"{name} {box['min']:g} to {box['max']:g}"
        for name, (lowest, highest) in DECLARED_DOMAIN.items()
        if (box := task.spec["variable_bounds"].get(name)) is not None
        and not (lowest <= box["min"] and box["max"] <= highest)
    ]
    yield f"outside the domain: {', '.join(outside)}" if outside else None


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _numbers(inner, f"{place}[{number}]")
