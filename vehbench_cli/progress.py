"""A live line a probe while a model runs; nothing at all where nobody looks at a terminal."""

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from vehbench_hf.isomorphic.types import AnyTask
from vehbench_hf.types import PROBES, Outcome, Probe, Turn

if TYPE_CHECKING:
    from vehbench_runners import Meter


class RunProgress:
    """Bars with episodes done, outcome classes and time left, and a line with calls, tokens and cost.

    Use as a context manager and give its methods to `run_tasks`. Written to standard error.
    """

    def __init__(self, tasks: Sequence[AnyTask], epochs: int, meter: "Meter") -> None:
        self._meter = meter
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[said]}"),
            console=Console(stderr=True),
            disable=not Console(stderr=True).is_terminal,
        )
        self._totals = Counter(task.probe for task in tasks)
        self._epochs = epochs
        self._outcomes: dict[Probe, Counter[Outcome]] = {probe: Counter() for probe in PROBES}
        self._bars = {
            probe: self._progress.add_task(probe.upper(), total=self._totals[probe] * epochs, said="")
            for probe in PROBES
            if self._totals[probe]
        }
        self._used = self._progress.add_task("calls", total=None, said="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def on_call(self, task: AnyTask, turn: Turn) -> None:
        """A call came back."""
        self._progress.update(self._used, completed=self._meter.calls, said=used_text(self._meter))

    def on_episode(self, task: AnyTask, outcome: Outcome) -> None:
        """An episode ended."""
        counts = self._outcomes[task.probe]
        counts[outcome] += 1
        said = ", ".join(f"{name} {count}" for name, count in counts.items())
        self._progress.update(self._bars[task.probe], advance=1, said=said)


def used_text(meter: "Meter") -> str:
    """Tokens and cost so far, in words."""
    text = f"{meter.input:,} input tokens"
    text += f" ({meter.cached:,} cached)" if meter.cached else ""
    text += f", {meter.output:,} output tokens"
    text += f" ({meter.reasoning:,} reasoning)" if meter.reasoning else ""
    if meter.price:
        text += f", {meter.cost:.4f} {meter.price.currency} at prices of {meter.price.date}"
    return text
