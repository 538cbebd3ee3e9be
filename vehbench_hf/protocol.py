"""The rules of an episode that a user may choose. They are part of a run's settings and of what may be compared."""

from dataclasses import dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from vehbench_hf.errors import UserError
from vehbench_hf.types import Probe, Spec

Control = Literal["none", "neutral", "targeted", "wrong-boundary", "summary+targeted"]


@dataclass(frozen=True)
class Protocol:
    """How an episode runs.

    `p2_stop`: "feasible" ends P2 at the first feasible design (the paper), "budget" only when the queries are spent.
    `p2_queries`: a P2 budget other than the brief's, which says 6; None keeps it.
    `p3_history`: "stored" shows the slacks that the bank holds, "recomputed" asks the oracle again under the task's
    limits; they differ in bank v1, whose history was recorded before one limit was changed.
    `p3_state`: "raw" shows P3 histories as earlier turns, "summary" as a table of observed facts (the paper's
    state-summary intervention).
    `feedback`: "full" gives numbers, "coarse" only the names of violated limits, in P2 and P3.
    `control`: a block of instructions before the usual ones, as in appendix Q of the paper. "neutral" is the same in
    all four probes, "targeted" is written for each of them, "wrong-boundary" is the block of another probe (that of P4
    in P1, P2 and P3; that of P2 in P4). "summary+targeted" concerns P3 alone, which gets its targeted block and the
    summary; the others stay as they are. It sets `p3_state` to "summary".
    `replay_reasoning`: whether a model sees its own reasoning of earlier turns again: of none, the last, or all.
    `retries`: how often an unreadable or cut reply may be repeated before the turn fails; a retry costs no query.

    Raises UserError for a value that is none of these.
    """

    p2_stop: Literal["feasible", "budget"] = "feasible"
    p2_queries: int | None = None
    p3_history: Literal["stored", "recomputed"] = "stored"
    p3_state: Literal["raw", "summary"] = "raw"
    feedback: Literal["full", "coarse"] = "full"
    control: Control = "none"
    replay_reasoning: Literal["none", "last", "all"] = "none"
    retries: int = 2

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Protocol).items():
            given = getattr(self, name)
            if get_origin(kind) is Literal and given not in get_args(kind):
                raise UserError(f"{name} is one of {', '.join(get_args(kind))}; got {str(given)[:40]!r}.")
        if self.p2_queries is not None and not _whole(self.p2_queries, least=1):
            raise UserError(f"p2_queries is a whole number from 1; got {str(self.p2_queries)[:40]!r}.")
        if not _whole(self.retries, least=0):
            raise UserError(f"retries is a whole number from 0; got {str(self.retries)[:40]!r}.")
        if self.control == "summary+targeted":  # one way to say it, so that equal runs have equal settings
            object.__setattr__(self, "p3_state", "summary")


def budgeted(probe: Probe, spec: Spec, protocol: Protocol) -> Spec:
    """The spec with the query budget that holds under `protocol`; the same spec where that is the brief's."""
    if probe != "p2" or protocol.p2_queries is None:
        return spec
    return {**spec, "query_budget": protocol.p2_queries}


def _whole(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
