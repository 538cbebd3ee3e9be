"""Bank v1: the authors' release, checked and rewritten in our form, with their run logs as run folders."""

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vehbench_hf.bank.bank import MANIFEST, write_bank
from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.logs import ReleasedRun, find_runs
from vehbench_hf.paper.release.manifest import verify_release
from vehbench_hf.paper.release.references import read_references
from vehbench_hf.paper.release.tasks import BANK_VERSION, read_tasks
from vehbench_hf.runlog.recorded import write_recorded_run
from vehbench_hf.types import PROBES, Probe, Task

RUNS = "runs"

CARD = Path(__file__).with_name("card.md")


@dataclass(frozen=True)
class ImportSummary:
    """What an import wrote: the folder, tasks by probe, records by run folder, and the notes on the logs."""

    out: Path
    counts: dict[Probe, int]
    runs: dict[str, int]
    notes: tuple[str, ...]


def import_release(release_dir: Path, out: Path, *, log_runs: bool = True) -> ImportSummary:
    """Check a release and write it as a bank to `out`, and each of its logs to `out/runs/<name>`.

    Everything is written beside `out` first and moved there when complete, the manifest last. Importing again
    over an earlier import is fine and gives the same bytes; other files in the folder are left alone.

    Raises ReleaseError when the release is not what its manifests say, `out` is in use for something else, or the
    disk cannot be written.
    """
    out = out.resolve()
    _refuse_foreign(out)
    sums = verify_release(release_dir)
    tasks = read_tasks(release_dir, read_references(release_dir))
    runs = find_runs(release_dir, tasks) if log_runs else []
    try:
        written = _write(out, tasks, runs, sums)
    except OSError as error:
        raise ReleaseError(f"cannot write the bank to {out}: {error}") from error
    counts = Counter(task.probe for task in tasks)
    notes = tuple(f"{run.label}: {note}" for run in runs for note in run.notes)
    return ImportSummary(out, {probe: counts[probe] for probe in PROBES}, written, notes)


def _write(out: Path, tasks: list[Task], runs: list[ReleasedRun], sums: dict[str, str]) -> dict[str, int]:
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        stage = beside / "bank"
        stage.mkdir()
        manifest = write_bank(
            stage,
            tasks,
            version=BANK_VERSION,
            convention="released",
            card=CARD.read_text(encoding="utf-8"),
            extra={"source": {"sha256": dict(sorted(sums.items()))}},
        )
        order = {task.task_id: place for place, task in enumerate(tasks)}
        names = run_names(run.label for run in runs)
        written = {
            name: _write_run(run, stage / RUNS / name, manifest["fingerprint"], order)
            for name, run in zip(names, runs, strict=True)
        }
        _move(stage, out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return written


def run_names(labels: Iterable[str]) -> list[str]:
    """A plain and distinct folder name for each label: letters, digits, `.`, `-`, `_`, no dot in front."""
    names: list[str] = []
    for label in labels:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", label).lstrip(".")[:80] or "run"
        name, number = plain, 2
        while name.lower() in {other.lower() for other in names}:
            name, number = f"{plain}_{number}", number + 1
        names.append(name)
    return names


def _refuse_foreign(out: Path) -> None:
    """Raise ReleaseError unless `out` is absent, empty, or an earlier import."""
    if out.exists() and not out.is_dir():
        raise ReleaseError(f"{out} is a file; expected a folder to write the bank to.")
    if not out.is_dir() or not any(out.iterdir()):
        return
    try:
        version = json.loads((out / MANIFEST).read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        version = None
    if version != BANK_VERSION:
        raise ReleaseError(
            f"{out} is not empty and no earlier import: expected a {MANIFEST} of bank {BANK_VERSION!r}, "
            f"found {'none' if version is None else repr(version)}. Choose another folder."
        )


def _write_run(run: ReleasedRun, folder: Path, fingerprint: str, order: dict[str, int]) -> int:
    records = [record for probe in PROBES for record in run.merged(probe).values()]
    write_recorded_run(
        folder,
        model=run.label,
        bank_version=BANK_VERSION,
        bank_fingerprint=fingerprint,
        bank_path="../..",
        records=sorted(records, key=lambda record: order[record.task_id]),
        replies=run.replies,
        notes=list(run.notes),
        reference_generation=run.reference_generation,
    )
    return len(records)


def _move(stage: Path, out: Path) -> None:
    """Move the files of `stage` into `out`, replacing older ones, the bank's manifest last."""
    if not out.exists():
        stage.rename(out)
        return
    files = sorted(file for file in stage.rglob("*") if file.is_file())
    for file in sorted(files, key=lambda file: file == stage / MANIFEST):
        target = out / file.relative_to(stage)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
