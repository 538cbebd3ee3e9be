"""Building a bank: every unit of every probe, in parallel, each result kept so that a stopped build goes on.

The result depends on the seed, the anchors, the oracle and the versions of builder and libraries alone: not on the
number of jobs, on the order in which units end, on how often the build was stopped, or on the x86-64 processor
(`workers`). Elsewhere, and with other versions, a bank built again is equal in meaning: words, choices and labels are,
and numbers are to what rounding leaves.
"""

import hashlib
import json
import platform
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.documents.card import write_documents
from vehbench_builder.domains import DOMAINS, Unit
from vehbench_builder.overlap import overlaps
from vehbench_builder.seeds import BUILDER_VERSION
from vehbench_builder.source import source_fingerprint
from vehbench_builder.workers import worker_pool
from vehbench_hf import __version__
from vehbench_hf.bank.bank import MANIFEST, open_bank, write_bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.schema import row_checksum, row_to_task, task_to_row
from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import PROBES, Probe, Task
from vehbench_oracle import oracle_fingerprint

BuildProgress = Callable[[Probe, int, int], None]
"""Called with the probe, how many of its units are done, and how many there are."""
UNFINISHED = "unfinished"


def build_tasks(
    build: BuildSpec, kept: Path, *, jobs: int = 1, progress: BuildProgress = lambda *_: None
) -> list[Task]:
    """All tasks of a bank. Results of units are kept below `kept` and taken from there when it is called again.

    Raises BuildError, naming the unit, when a task cannot be made as the construction asks; what was built stays.
    """
    tasks: list[Task] = []
    for name, domain in DOMAINS.items():
        done: dict[Probe, list[Task]] = {}
        for probe, module in domain.probes.items():
            sources = {task.task_id: task for task in done.get("p2", [])}
            work = module.units(domain.anchors(), build, sources)
            parts = _build_units(name, probe, work, kept, jobs, progress)
            done[probe] = [task for part in parts for task in part]
        # By id, since the ids are in a drawn order: neighbours in a file are then no twins and no pool.
        tasks += [task for probe in PROBES for task in sorted(done[probe], key=lambda task: task.task_id)]
    return [replace(task, bank_version=build.version) for task in tasks]


def build_bank(
    build: BuildSpec, out: Path, *, jobs: int = 1, progress: BuildProgress = lambda *_: None
) -> dict[str, Any]:
    """Build a bank into `out` and return its manifest; unfinished work lies in `out/unfinished` until it is done.

    The published bank comes with its isomorphic probes. Raises BuildError when `out` holds something else, when a task
    cannot be made, or when a fresh task repeats one of the published bank.
    """
    kept = out / UNFINISHED
    _refuse_to_mix(build, out)
    tasks = build_tasks(build, kept, jobs=jobs, progress=progress)
    if build.fresh and (repeated := overlaps(tasks, open_bank("v2").tasks)):
        raise BuildError(f"fresh tasks repeat published ones: {'; '.join(repeated[:5])}. Take another --seed.")
    manifest = write_bank(
        out,
        tasks,
        version=build.version,
        convention="defined",
        headline_splits=("train",) if build.fresh else ("test_id", "test_ood"),
        card="",
        extra=build_record(build) | ({} if build.fresh else {"subsets": _subsets(tasks)}),
        isomorphic=() if build.fresh else _isomorphic(tasks, build.seed),
    )
    write_documents(out)
    shutil.rmtree(kept, ignore_errors=True)
    return manifest


def _subsets(tasks: Sequence[Task]) -> dict[str, list[str]]:
    return {
        name: ids
        for key, domain in DOMAINS.items()
        for name, ids in domain.subsets(task for task in tasks if task.domain == key).items()
    }


def _isomorphic(tasks: Sequence[Task], seed: int) -> list[IsomorphicTask]:
    with worker_pool(1) as pool:
        parts = [pool.submit(_isomorphic_of, key, [t for t in tasks if t.domain == key], seed) for key in DOMAINS]
        return [row for part in parts for row in part.result()]


def _isomorphic_of(domain: str, tasks: list[Task], seed: int) -> list[IsomorphicTask]:
    return DOMAINS[domain].isomorphic(tasks, seed)


def _refuse_to_mix(build: BuildSpec, out: Path) -> None:
    """Raise BuildError where `out` holds something else than this bank or its unfinished work."""
    if out.exists() and not out.is_dir():
        raise BuildError(f"{out} is no folder; give another --out.")
    if (out / MANIFEST).exists():
        there = open_bank(out)
        made = there.manifest.get("build") or {}
        if (there.version, made.get("per_anchor")) != (build.version, build.per_anchor):
            raise BuildError(f"{out} holds another bank, {there.version}; give another --out, or move it away.")
    elif out.exists() and any(out.iterdir()) and not (out / UNFINISHED).exists():
        raise BuildError(f"{out} is not empty and no bank; give another --out.")


def build_record(build: BuildSpec) -> dict[str, Any]:
    """What a manifest says about how the bank was made: seed, input hashes, versions."""
    import numpy
    import pyarrow
    import scipy

    inputs = [file for domain in DOMAINS.values() for file in domain.inputs]
    return {
        "build": {
            "seed": build.seed,
            "per_anchor": build.per_anchor,
            "inputs": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in inputs},
            "oracle": oracle_fingerprint(),
            "versions": {
                "builder": BUILDER_VERSION,
                "vehbench": __version__,
                "python": platform.python_version(),
                "numpy": numpy.__version__,
                "scipy": scipy.__version__,
                "pyarrow": pyarrow.__version__,
            },
        }
    }


def _build_units(
    domain: str, probe: Probe, work: Sequence[Unit], kept: Path, jobs: int, progress: BuildProgress
) -> Iterable[list[Task]]:
    files = [kept / probe / f"{_fingerprint(unit)}.json" for unit in work]
    results = {index: tasks for index, file in enumerate(files) if (tasks := _read(file)) is not None}
    progress(probe, len(results), len(work))
    waiting = [index for index in range(len(work)) if index not in results]
    if waiting:
        with worker_pool(jobs) as pool:
            running: dict[Future[list[dict[str, Any]]], int] = {
                pool.submit(_rows, domain, probe, work[index]): index for index in waiting
            }
            try:
                while running:
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        index = running.pop(future)
                        rows = future.result()
                        _write(files[index], rows)
                        results[index] = [row_to_task(row) for row in rows]
                        progress(probe, len(results), len(work))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [results[index] for index in range(len(work))]


def _rows(domain: str, probe: Probe, unit: Any) -> list[dict[str, Any]]:
    return [task_to_row(task) for task in DOMAINS[domain].probes[probe].build_unit(unit)]


def _fingerprint(unit: Unit) -> str:
    """A name for the result of a unit that changes with everything the unit is made of, the code included."""
    return hashlib.sha256(f"{source_fingerprint()}/{oracle_fingerprint()}/{unit!r}".encode()).hexdigest()[:32]


def _read(file: Path) -> list[Task] | None:
    """Kept tasks, or None when there are none or they were damaged."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [row_to_task(row) for row in rows] if all(row_checksum(r) == r["checksum"] for r in rows) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".tmp")
    beside.write_text(canonical_json(rows), encoding="utf-8")
    beside.replace(file)
