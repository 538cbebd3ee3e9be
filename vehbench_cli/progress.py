"""Live lines while a command works; nothing at all where nobody looks at a terminal. Written to standard error."""

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import Outcome, Probe, Task, Turn

if TYPE_CHECKING:
    from vehbench_runners import Budget


def progress_bars() -> Progress:
    """Bars with a name, the count, the time, and a field `note` that every added task must give."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
        disable=not console.is_terminal,
    )


class RunProgress:
    """Bars with episodes done, outcome classes and time left, and a line with calls, tokens and cost.

    Use as a context manager and give its methods to `run_tasks`.
    """

    def __init__(self, tasks: Sequence[Task], epochs: int, budget: "Budget") -> None:
        self._budget = budget
        self._progress = progress_bars()
        totals = Counter(task.probe for task in tasks)
        self._outcomes: dict[Probe, Counter[Outcome]] = {probe: Counter() for probe in totals}
        self._bars = {
            probe: self._progress.add_task(probe.upper(), total=totals[probe] * epochs, note="")
            for probe in PROBE_TABLE
            if totals[probe]
        }
        self._calls = self._progress.add_task("calls", total=None, note="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def on_call(self, task: Task, turn: Turn) -> None:
        """A call came back."""
        self._progress.update(self._calls, completed=self._budget.calls, note=used_text(self._budget))

    def on_episode(self, task: Task, outcome: Outcome) -> None:
        """An episode ended."""
        counts = self._outcomes[task.probe]
        counts[outcome] += 1
        note = ", ".join(f"{name} {count}" for name, count in counts.items())
        self._progress.update(self._bars[task.probe], advance=1, note=note)


def used_text(budget: "Budget") -> str:
    """Tokens and cost so far, in words; no number where nothing is known, and a lower bound where something is not."""
    if budget.unknown and not budget.counted:
        return "tokens and cost unknown (the server reports none)"
    text = f"{budget.input:,} input tokens"
    text += f" ({budget.cached:,} cached)" if budget.cached else ""
    text += f", {budget.output:,} output tokens"
    text += f" ({budget.reasoning:,} reasoning)" if budget.reasoning else ""
    if budget.price:
        text += f", {budget.cost:.4f} {budget.price.currency} at prices of {budget.price.date}"
    return f"at least {text} ({budget.unknown:,} replies did not say)" if budget.unknown else text
