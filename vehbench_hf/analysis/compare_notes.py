"""What a reader of a comparison must know besides the numbers."""

from collections.abc import Sequence
from typing import Any

from vehbench_hf.analysis.compared_run import ComparedRun


def notes_on(runs: Sequence[ComparedRun], comparisons: Sequence[dict[str, Any]]) -> list[str]:
    """Sentences on run noise, on tasks that are not shared, on unscored rows, and on what cannot be read in a log."""
    noisy: dict[str, list[str]] = {}
    for run in runs:
        if (why := _run_noise(run)) is not None:
            noisy.setdefault(why, []).append(run.name)
    return [
        *(f"{', '.join(names)}: one epoch {why}" for why, names in noisy.items()),
        *_not_shared(comparisons),
        *(incomplete(run) for run in runs if run.unscored),
        *(f"{run.name}: {problem}" for run in runs for problem in run.problems),
    ]


def _run_noise(run: ComparedRun) -> str | None:
    """A model that samples gives other replies the next time; one epoch cannot show how different."""
    if not run.is_model or run.epochs > 1 or run.temperature == 0:
        return None
    if run.recorded:
        return (
            "at a temperature that the log does not hold; if replies were sampled, intervals and p values leave out "
            "the noise between runs."
        )
    at = "the provider's temperature" if run.temperature is None else f"temperature {run.temperature:g}"
    return f"at {at}; intervals and p values leave out the noise between runs. --epochs 3 or more would bring it in."


def _not_shared(comparisons: Sequence[dict[str, Any]]) -> list[str]:
    notes = []
    for entry in comparisons:
        first, second = entry["left_out"]["first"], entry["left_out"]["second"]
        if first or second:
            notes.append(
                f"{entry['probe'].upper()}: only the {entry['n']} tasks that both runs have a score for are compared; "
                f"{first} of {entry['first']} and {second} of {entry['second']} are left out."
            )
    return notes


def incomplete(run: ComparedRun) -> str:
    """What a run with unscored or missing rows leaves out."""
    counts = ", ".join(f"{count} of {probe.upper()}" for probe, count in run.unscored.items())
    return f"{run.name} is incomplete: {counts} have no score and are left out, which may favour any run."
