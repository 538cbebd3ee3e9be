"""P2 reference powers. The task bank holds none; each run shows those it was scored with.

There are two tables of them. Which one a run used is read from the numbers: the newer one agrees with the
oracle power of the reference designs in the P4 bank, the older one with the source powers in the P3 bank.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Literal

from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.brief import common_spec, design_of
from vehbench_hf.paper.release.jsonl import Row, number, number_or_none, read_rows
from vehbench_hf.paper.release.manifest import task_file
from vehbench_hf.paper.release.rows import LogRow, Place, model_folders, read_model_rows
from vehbench_hf.types import Design
from vehbench_oracle.veh.domain import problem_of_brief

Generation = Literal["newer", "older"]


@dataclass(frozen=True)
class References:
    """What a release tells about P2 references: powers in uW and designs by task id, tables by run.

    A task is absent from `newer` or `older` when no run of that generation shows a value for it. A value of
    0.0 is what the logs say, and is kept. `designs` are those of the P4 bank as stored: rounded, not judged.
    `generation` is by folder name; None when a run shows no value that could tell, or values of both tables.
    """

    newer: dict[str, float]
    older: dict[str, float]
    designs: dict[str, Design]
    generation: dict[str, Generation | None]


def read_references(release_dir: Path) -> References:
    """The reference powers that the runs of a release show. Raises ReleaseError for a damaged task file."""
    try:
        designs = _stored_designs(release_dir)
        newer_sign, older_sign = _signs(release_dir, designs)
        rows = read_rows(release_dir / task_file("p2"))
        places: dict[str, Place] = {row["task_id"]: ("p2", row["split"]) for row in rows}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, ReleaseError):
            raise
        raise ReleaseError(f"{release_dir}: the P2, P3 or P4 tasks are not those of a release: {error!r}") from None
    generation: dict[str, Generation | None] = {}
    tables: dict[Generation, dict[str, Counter[float]]] = {
        "newer": defaultdict(Counter),
        "older": defaultdict(Counter),
    }
    for folder in model_folders(release_dir):
        lines = read_model_rows(folder, places).lines
        shown = shown_references(row for rows in lines.values() for row in rows)
        table = generation[folder.name] = _generation(shown, newer_sign, older_sign)
        if table is not None:
            for task_id, values in shown.items():
                tables[table][task_id] += values
    return References(_most_shown_by_task(tables["newer"]), _most_shown_by_task(tables["older"]), designs, generation)


def shown_references(rows: Iterable[LogRow]) -> dict[str, Counter[float]]:
    """Which reference powers occur for each P2 task, and how often, in result rows and verdicts of steps."""
    shown: dict[str, Counter[float]] = defaultdict(Counter)
    for row in rows:
        for source in [row.result, *_verdicts(row.trace)]:
            # Null on every infeasible result row: nothing is shown there.
            if (power := _power(source)) is not None:
                shown[row.result["task_id"]][power] += 1
    return dict(shown)


def _stored_designs(release_dir: Path) -> dict[str, Design]:
    """The design from which each P4 pool was made, by the P2 task it solves; the P2 bank stores none."""
    rows = read_rows(release_dir / task_file("p4"))
    return {row["source_task_id"]: design_of(row["best_known_feasible"]) for row in rows}


def _signs(release_dir: Path, designs: Mapping[str, Design]) -> tuple[dict[str, float], dict[str, float]]:
    """Powers in uW by P2 task that belong to the newer table, and to the older one."""
    newer = {}
    for row in read_rows(release_dir / task_file("p2")):
        if row["task_id"] in designs:
            power = problem_of_brief(common_spec(row)).judge(designs[row["task_id"]]).objective
            if power is not None:
                newer[row["task_id"]] = power
    rows = read_rows(release_dir / task_file("p3"))
    return newer, {row["source_task_id"]: number(row["source_bkf"]["objective_value"]) for row in rows}


def _generation(
    shown: Mapping[str, Counter[float]], newer_sign: Mapping[str, float], older_sign: Mapping[str, float]
) -> Generation | None:
    """The table a run used: it departs from the signs of the other one, and from none of its own."""
    not_newer = sum(_departs(values, newer_sign.get(task_id)) for task_id, values in shown.items())
    not_older = sum(_departs(values, older_sign.get(task_id)) for task_id, values in shown.items())
    if not_older and not not_newer:
        return "newer"
    return "older" if not_newer and not not_older else None


def _verdicts(trace: Row | None) -> list[Row]:
    steps = trace.get("steps") if trace else None
    if not isinstance(steps, list):
        return []
    responses = [step.get("verifier_response") for step in steps if isinstance(step, dict)]
    return [verdict for verdict in responses if isinstance(verdict, dict)]


def _power(source: Row) -> float | None:
    try:
        return number_or_none(source.get("bkf_objective_value"))
    except ValueError:
        return None  # not a number: the row itself is reported where it is turned into a record


def _most_shown_by_task(table: Mapping[str, Counter[float]]) -> dict[str, float]:
    return {task_id: _most_shown(values) for task_id, values in sorted(table.items())}


def _departs(values: Counter[float], sign: float | None) -> bool:
    # Powers are logged with 6 decimals; the newer signs come from designs that are rounded to 8.
    return sign is not None and not isclose(_most_shown(values), sign, rel_tol=2e-6, abs_tol=2e-6)


def _most_shown(values: Counter[float]) -> float:
    return min(values, key=lambda value: (-values[value], value))
