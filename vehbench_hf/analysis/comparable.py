"""Whether runs may be compared at all."""

from collections.abc import Sequence
from pathlib import Path

from vehbench_hf.analysis.compared_run import ComparedRun
from vehbench_hf.errors import RunError


def disagreements(runs: Sequence[ComparedRun]) -> list[str]:
    """What the runs do not agree on, a line each: the name and every run's value; empty when they are comparable."""
    names = list(dict.fromkeys(name for run in runs for name in run.agrees))
    lines = []
    for name in names:
        values = [str(run.agrees.get(name, "unknown")) for run in runs]
        if len(set(values)) > 1:
            lines.append(f"{name}: " + ", ".join(f"{run.name} {v}" for run, v in zip(runs, values, strict=True)))
    return lines


def require_comparable(runs: Sequence[ComparedRun], *, mix: bool) -> list[str]:
    """The disagreements that `mix` lets pass.

    Raises RunError for fewer than two runs, the same folder twice, or any disagreement without `mix`.
    """
    if len(runs) < 2:
        raise RunError(f"a comparison needs two or more runs, got {len(runs)}.")
    if len({Path(run.name).resolve() for run in runs}) < len(runs):
        raise RunError(f"a run is named twice among {', '.join(run.name for run in runs)}; give each once.")
    found = disagreements(runs)
    if found and not mix:
        raise RunError(
            "these runs are not comparable; give --mix to compare them all the same. They differ in\n  "
            + "\n  ".join(found)
        )
    return found
