"""Which lines of a model's folder count. Kinds of files and ids of tasks decide, names of models do not.

A line counts when its file has one of the known names and its task is in the bank, under the probe of that
file. Of several files for the same probe and split the one with most such lines is the run. Lines below
`retries` then replace lines of the run, in the order of their folder names.
"""

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vehbench_hf.paper.release.jsonl import Row, read_rows_leniently
from vehbench_hf.safe_files import lies_within
from vehbench_hf.types import PROBES, SPLITS, Probe, Split

MODEL_OUTPUTS = "results/model_outputs"
RETRIES = "retries"

RESULT_FILES: dict[str, tuple[Probe, str | None]] = {
    "p1_results.jsonl": ("p1", "p1_trajectories.jsonl"),
    "p1v2_results.jsonl": ("p1", None),
    "main_results.jsonl": ("p2", "main_trajectories.jsonl"),
    "p3_results.jsonl": ("p3", "p3_trajectories.jsonl"),
    "p4_results.jsonl": ("p4", "p4_traces.jsonl"),
}
"""Known result files: their probe, and the file beside them that holds steps or replies."""

TRACE_FILES = frozenset(trace for _, trace in RESULT_FILES.values() if trace)

Place = tuple[Probe, Split]


@dataclass(frozen=True)
class LogRow:
    """A result row, and its row in the file of steps or replies beside it where there is one."""

    result: Row
    trace: Row | None


@dataclass
class ModelRows:
    """The lines of one model that count, in file order, and in words what was left out, merged or broken."""

    lines: dict[Place, list[LogRow]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def model_folders(release_dir: Path) -> list[Path]:
    """Folders of the release that hold result files of a model, whatever their names."""
    root = release_dir / MODEL_OUTPUTS
    if not root.is_dir():
        return []
    # A link may lead anywhere, to the root of the disk as well; only what the release itself holds is looked at.
    folders = [folder for folder in sorted(root.iterdir()) if folder.is_dir() and lies_within(folder, release_dir)]
    return [folder for folder in folders if _files(folder, RESULT_FILES)]


def read_model_rows(folder: Path, places: Mapping[str, Place]) -> ModelRows:
    """The lines of one model's folder. `places` maps the task ids of the bank to their probe and split."""
    model = ModelRows()
    runs: dict[Place, list[tuple[str, list[LogRow]]]] = defaultdict(list)
    retries: list[tuple[str, Place, list[LogRow]]] = []
    for file in _files(folder, RESULT_FILES):
        name = file.relative_to(folder).as_posix()
        for place, rows in _rows_by_place(file, name, places, model.notes).items():
            if RETRIES in file.relative_to(folder).parts[:-1]:
                retries.append((name, place, rows))
            else:
                runs[place].append((name, rows))
    for place in [(probe, split) for probe in PROBES for split in SPLITS]:
        candidates = sorted(runs.get(place, []), key=lambda candidate: len(candidate[1]))
        model.lines[place] = list(candidates[-1][1]) if candidates else []
        model.notes += [
            f"{name}: {len(rows)} rows of {'/'.join(place)} left out; {candidates[-1][0]} is used"
            for name, rows in candidates[:-1]
        ]
    for name, place, rows in retries:
        replaced = sum(_replace(model.lines[place], row) for row in rows)
        model.notes.append(f"{name}: {replaced} rows replaced and {len(rows) - replaced} added in {'/'.join(place)}")
    model.lines = {place: rows for place, rows in model.lines.items() if rows}
    model.notes += [
        f"{file.relative_to(folder).as_posix()}: not a result file of one split; ignored"
        for file in _files(folder)
        if file.name not in RESULT_FILES and file.name not in TRACE_FILES
    ]
    return model


def _files(folder: Path, names: Mapping[str, object] | None = None) -> list[Path]:
    """JSONL files below a folder, sorted by path; of the given names only, where names are given."""
    below = [Path(top) / name for top, _, files in os.walk(folder) for name in files if name.endswith(".jsonl")]
    return sorted(file for file in below if (names is None or file.name in names) and lies_within(file, folder))


def _rows_by_place(file: Path, name: str, places: Mapping[str, Place], notes: list[str]) -> dict[Place, list[LogRow]]:
    probe, trace_name = RESULT_FILES[file.name]
    results, broken = read_rows_leniently(file)
    notes += [f"{name}: {what}; skipped" for what in broken]
    traces: dict[str, list[Row]] = defaultdict(list)
    if trace_name and (file.parent / trace_name).is_file():
        trace_rows, broken = read_rows_leniently(file.parent / trace_name)
        notes += [f"{(Path(name).parent / trace_name).as_posix()}: {what}; skipped" for what in broken]
        for row in trace_rows:
            traces[row["task_id"]].append(row)
    grouped: dict[Place, list[LogRow]] = defaultdict(list)
    strangers = 0
    seen: dict[str, int] = defaultdict(int)
    for row in results:
        place = places.get(row["task_id"])
        if place is None or place[0] != probe:
            strangers += 1
            continue
        of_task = traces.get(row["task_id"], [])
        # A task that occurs twice has two traces in the same order; the last serves when some are lacking.
        trace = of_task[min(seen[row["task_id"]], len(of_task) - 1)] if of_task else None
        seen[row["task_id"]] += 1
        grouped[place].append(LogRow(row, trace))
    if strangers:
        notes.append(f"{name}: {strangers} rows of tasks that are not in the bank; ignored")
    return grouped


def _replace(rows: list[LogRow], new: LogRow) -> bool:
    """Put a retry in the place of the rows of its task, or at the end; True when it replaced one."""
    same = [i for i, row in enumerate(rows) if row.result["task_id"] == new.result["task_id"]]
    if not same:
        rows.append(new)
        return False
    rows[same[0]] = new
    for i in reversed(same[1:]):
        del rows[i]
    return True
