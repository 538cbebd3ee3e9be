"""What an audit says: for every statement about a bank, how often it was checked and the cases against it.

A check is a generator function whose first docstring line is the statement. It yields None for a case in order, a
sentence for a case that contradicts the statement, and a `Figure` for a number worth printing beside it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vehbench_hf.types import Task
from vehbench_oracle import OracleError

EXAMPLES = 5
"""Cases shown of a failed check."""


@dataclass(frozen=True)
class Figure:
    """A number that a check reports without judging it: a share, an accuracy, a count."""

    name: str
    value: float | int | str | None


Progress = Callable[[int, int], None]
"""Called with how many of how many tasks have been looked at."""
Finding = str | Figure | None
Findings = Iterator[Finding]


@dataclass(frozen=True)
class Check:
    """One statement about a bank: `faults` holds every case against it, `skipped` why it was not looked at."""

    name: str
    statement: str
    checked: int = 0
    faults: tuple[str, ...] = ()
    figures: dict[str, float | int | str | None] = field(default_factory=dict)
    skipped: str | None = None

    @property
    def failed(self) -> int:
        """How many cases contradict the statement."""
        return len(self.faults)

    def as_json(self) -> dict[str, Any]:
        """`checked`, `failed`, `examples`; `figures` and `skipped` only where there are any."""
        extra = {"figures": self.figures, "skipped": self.skipped}
        return {
            "checked": self.checked,
            "failed": self.failed,
            "examples": list(self.faults[:EXAMPLES]),
            **{name: value for name, value in extra.items() if value},
        }

    def as_text(self) -> str:
        """The statement with its result, then examples and figures, indented."""
        state = "skipped" if self.skipped else "FAILED" if self.faults else "ok"
        count = "" if self.skipped else f"  {self.failed} of {self.checked}" if self.faults else f"  {self.checked}"
        lines = [f"{state:7} {self.name}{count}", f"        {self.statement}"]
        if self.skipped:
            lines.append(f"        not checked: {self.skipped}")
        lines += [f"        - {fault}" for fault in self.faults[:EXAMPLES]]
        if self.failed > EXAMPLES:
            lines.append(f"        - and {self.failed - EXAMPLES} more")
        lines += [f"        {name}: {_shown(value)}" for name, value in self.figures.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class AuditReport:
    """All checks of one bank, in the order in which they were made."""

    bank: str
    checks: dict[str, Check]

    @property
    def failed(self) -> bool:
        """Whether anything contradicts a statement about the bank."""
        return any(check.faults for check in self.checks.values())

    def as_json(self) -> dict[str, Any]:
        """`{"bank", "checks": {name: {"checked", "failed", "examples"}}}`."""
        return {"bank": self.bank, "checks": {name: check.as_json() for name, check in self.checks.items()}}

    def as_text(self) -> str:
        """The report for a reader: one block a check, and the sum."""
        failed = [check for check in self.checks.values() if check.faults]
        skipped = sum(check.skipped is not None for check in self.checks.values())
        held = len(self.checks) - len(failed) - skipped
        total = f"{self.bank}: {held} statements hold, {len(failed)} fail, {skipped} were not checked."
        return "\n".join([*(check.as_text() for check in self.checks.values()), "", total])


def report_of(bank: str, checks: Iterable[Check]) -> AuditReport:
    """The report of a bank. Raises ValueError when two checks have one name."""
    named: dict[str, Check] = {}
    for check in checks:
        if check.name in named:
            raise ValueError(f"two checks are named {check.name}")
        named[check.name] = check
    return AuditReport(bank, named)


def whole(check: Callable[..., Findings], *subjects: Any, unless: str | None = None) -> Check:
    """Run a check on the bank as a whole. What keeps it from an end counts as one case against the statement.

    `unless` says why it does not apply, and is None where it does.
    """
    return _made(check, _guarded(check(*subjects)), unless)


def each(check: Callable[..., Findings], tasks: Iterable[Task], *context: Any, unless: str | None = None) -> Check:
    """Run a check task by task; a task on which it cannot be evaluated counts against the statement.

    `unless` as for `whole`.
    """
    findings = ((task.task_id, case) for task in tasks for case in _guarded(check(task, *context)))
    return _made(check, (f"{task_id}: {case}" if isinstance(case, str) else case for task_id, case in findings), unless)


def statement_of(check: Callable[..., Any]) -> str:
    """The first line of the docstring. Raises ValueError when there is none."""
    lines = (check.__doc__ or "").strip().splitlines()
    if not lines:
        raise ValueError(f"{check.__name__} does not say what it proves")
    return lines[0]


def _guarded(findings: Findings) -> Findings:
    """The findings; a broken row ends them with a fault instead of ending the audit."""
    try:
        yield from findings
    except (OracleError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError) as error:
        yield f"cannot be evaluated, {type(error).__name__}: {error}"


def _made(check: Callable[..., Findings], findings: Findings, unless: str | None) -> Check:
    made = [] if unless else list(findings)
    cases = [finding for finding in made if not isinstance(finding, Figure)]
    if not cases:
        why = unless or "nothing in this bank that it speaks about"
        return Check(check.__name__, statement_of(check), skipped=why)
    figures = {finding.name: finding.value for finding in made if isinstance(finding, Figure)}
    faults = tuple(case for case in cases if case is not None)
    return Check(check.__name__, statement_of(check), len(cases), faults, figures)


def _shown(value: float | int | str | None) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "undefined" if value is None else str(value)
