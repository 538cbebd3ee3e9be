"""The rules of an episode that a user may choose. They are part of a run's settings and of what may be compared."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Protocol:
    """How an episode runs.

    `p2_stop`: "feasible" ends P2 at the first feasible design (the paper), "budget" only when the queries are spent.
    `p3_history`: "stored" shows the slacks that the bank holds, "recomputed" asks the oracle again under the task's
    limits; they differ in bank v1, whose history was recorded before one limit was changed.
    `retries`: how often an unreadable or cut reply may be repeated before the turn fails; a retry costs no query.
    """

    p2_stop: Literal["feasible", "budget"] = "feasible"
    p3_history: Literal["stored", "recomputed"] = "stored"
    retries: int = 2
