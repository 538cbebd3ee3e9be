"""Live lines while a command works; nothing at all where nobody looks at a terminal. Written to standard error."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.safe_files import printable
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
        TextColumn("{task.fields[note]}", markup=False),
        console=console,
        disable=not console.is_terminal,
    )


SILENCE_S = 60.0
"""Seconds between two lines where nobody looks at a terminal."""


class RunProgress:
    """Bars with episodes done, outcome classes and time left, and a line with calls, cost and what is in the way.

    Without a terminal a line a minute instead. Use as a context manager and give its methods to `run_tasks`. `trouble`
    says in words what keeps calls from coming through.
    """

    def __init__(
        self, tasks: Sequence[Task], epochs: int, budget: "Budget", trouble: Callable[[], str] = lambda: ""
    ) -> None:
        self._budget, self._trouble = budget, trouble
        self._progress = progress_bars()
        totals = Counter(task.probe for task in tasks)
        self._outcomes: dict[Probe, Counter[Outcome]] = {probe: Counter() for probe in totals}
        self._totals = {probe: totals[probe] * epochs for probe in PROBE_TABLE if totals[probe]}
        self._bars = {
            probe: self._progress.add_task(probe.upper(), total=total, note="") for probe, total in self._totals.items()
        }
        self._all = self._progress.add_task("all", total=sum(self._totals.values()), note="")
        self._calls = self._progress.add_task("calls", total=None, note="")
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Self:
        self._progress.start()
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._watch.join()
        self._progress.stop()

    def on_call(self, task: Task, turn: Turn) -> None:
        """A call came back."""
        self._progress.update(self._calls, completed=self._budget.calls)

    def on_episode(self, task: Task, outcome: Outcome) -> None:
        """An episode ended."""
        counts = self._outcomes[task.probe]
        counts[outcome] += 1
        note = ", ".join(f"{name} {count}" for name, count in counts.items())
        self._progress.update(self._bars[task.probe], advance=1, note=note)
        self._progress.update(self._all, advance=1)

    def line(self) -> str:
        """The state of the run on one line."""
        done = {probe: sum(counts.values()) for probe, counts in self._outcomes.items()}
        parts = [f"{probe.upper()} {done[probe]}/{total}" for probe, total in self._totals.items()]
        left = self._progress.tasks[self._all].time_remaining
        parts += [f"about {int(left // 60)} min left"] if left is not None else []
        return f"{', '.join(parts)}; {self._budget.calls:,} calls, {self._note()}"

    def _note(self) -> str:
        parts = [f"{self._budget.in_flight} in flight or waiting", used_text(self._budget), printable(self._trouble())]
        return "; ".join(part for part in parts if part)

    def _tell(self) -> None:
        """Show the state as time goes by: without replies nothing else would change."""
        terminal = not self._progress.disable
        while not self._ended.wait(1.0 if terminal else SILENCE_S):
            if terminal:
                self._progress.update(self._calls, note=self._note())
            else:
                sys.stderr.write(f"{datetime.now():%H:%M} {self.line()}\n")
                sys.stderr.flush()


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
