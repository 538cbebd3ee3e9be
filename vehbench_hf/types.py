"""The data that passes between the parts: task, reply, turn, step, record. Everything else is functions between them.

A `Task` is one dataset row: `spec` is all a model may see, `gold` is all a scorer needs. A `Reply` is what a backend
returned for one call; a `Turn` is that reply with its place in the run, one line of `turns.jsonl`. A `Step` is what an
episode made of a turn, and a `Record` is a whole episode, ready for scoring.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from vehbench_hf.domains import OwnBrief, OwnChanges, OwnReference, OwnVerdict, domain_of
from vehbench_oracle import Box, Verdict
from vehbench_oracle.domain import Problem
from vehbench_oracle.domain import Stated as Stated

Probe = Literal["p1", "p2", "p3", "p4", "isomorphic"]
PROBES: tuple[Probe, ...] = ("p1", "p2", "p3", "p4")
"""The probes of the benchmark. `isomorphic` is asked apart from them, and its tasks are not among those of a bank."""

Split = Literal["dev", "test_id", "test_ood", "train"]
SPLITS: tuple[Split, ...] = ("dev", "test_id", "test_ood")
"""The published splits."""
ALL_SPLITS: tuple[Split, ...] = (*SPLITS, "train")
"""With `train`, the split of fresh tasks that are no part of the benchmark."""

Outcome = Literal["ok", "format_error", "truncated", "refused", "infra_error"]
OUTCOMES: tuple[Outcome, ...] = ("ok", "format_error", "truncated", "refused", "infra_error")
"""Outcome classes partition the tasks. `infra_error` is unscored; the others are scored as the metric says."""

Convention = Literal["defined", "released"]

Design = Annotated[dict[str, float], "variables"]
"""A value for each variable of the brief. The mark names the attribute of `Problem` that has the names."""
Metrics = Annotated[dict[str, float], "metrics"]
Slack = Annotated[dict[str, float], "limits"]


class HistoryFeasible(TypedDict):
    """What a history's verdict begins with; the domain's own columns follow."""

    feasible: bool


class HistoryVerdict(HistoryFeasible, OwnVerdict):
    """The verifier's answer to an earlier step, as the brief shows it; `metrics` is null where none were kept."""

    slack: Slack
    violations: list[str]
    metrics: Metrics | None


class HistoryStep(TypedDict):
    """One earlier proposal of a P3 brief with the note its author left."""

    design: Design
    note: str
    verdict: HistoryVerdict


class Candidate(TypedDict):
    """One candidate of a P4 pool with its oracle metrics and signed slacks."""

    id: str
    design: Design
    metrics: Metrics
    slack: Slack


class Limited(TypedDict):
    """What every brief begins with, null where it is withheld; the domain's own columns follow."""

    variable_bounds: Annotated[dict[str, Box | None], "variables"]
    constraints: Annotated[dict[str, float | None], "limits"]


class Spec(Limited, OwnBrief):
    """All a model may see. `history` belongs to P3, `policy`, `profile` and `candidates` to P4; else null or empty."""

    notes: list[Stated]
    query_budget: int
    initial_design: Design | None
    history: list[HistoryStep]
    policy: str | None
    profile: str | None
    candidates: list[Candidate]


class ReferenceDesign(TypedDict):
    """What a reference begins with; the domain's own columns follow."""

    design: Design | None


class Reference(ReferenceDesign, OwnReference):
    """The reference design of a P2 or P3 task, what it is worth and what is proven about it; each may be unknown."""


class Claim(TypedDict):
    """What the note of history step `step` (from 1) says about that step's verdict: `left` `relation` `right`.

    A side is a metric, a number of the brief, a limit, `previous <metric>`, or a number as text.
    """

    step: int
    left: str
    relation: str
    right: str


class Trap(TypedDict):
    """The trap of a P3 task: its type, the variable that was moved and where to, and the limit tightened against it.

    `claims` are the statements of the notes, each of them false; empty where notes claim nothing (bank v1).
    """

    type: str
    variable: str | None
    direction: str | None
    secondary_constraint: str | None
    claims: list[Claim]


class Changes(OwnChanges):
    """What a completion of a P1 brief fills in; null leaves the brief as it is."""


class Completion(TypedDict):
    """An admissible completion of a P1 brief with its verdict: a witness design, or a proof that there is none."""

    name: str
    changes: Changes
    feasible: bool
    witness: Design | None
    certificate: str | None


class Pair(TypedDict):
    """Two candidate ids of which `better` must be ranked above `worse`."""

    better: str
    worse: str


class Utility(TypedDict):
    """The utility of a candidate under the policy of its task; null where the policy gives it none."""

    id: str
    value: float | None


class Gold(TypedDict):
    """All a scorer needs, by probe; what does not belong to the probe is null or empty."""

    action: str | None
    missing_fields: list[str]
    witness: Design | None
    certificate: str | None
    completions: list[Completion]
    reference: Reference | None
    anchor_design: Design | None
    trap: Trap | None
    ranking: list[str]
    utilities: list[Utility]
    dominated_pairs: list[Pair]
    policy_sensitive_pairs: list[Pair]
    pool_id: str | None
    pool_family: str | None


class Anchor(TypedDict):
    """The paper behind a task. `doi_released` keeps a malformed identifier under which the authors list it."""

    key: str
    doi: str | None
    doi_released: str | None
    title: str | None
    year: int | None


@dataclass(frozen=True)
class Task:
    """One dataset row."""

    task_id: str
    probe: Probe
    split: Split
    subtype: str
    difficulty: str
    source_group: str | None
    anchor: Anchor | None
    bank_version: str
    spec: Spec
    gold: Gold
    domain: str = "veh"

    def reference_values(self) -> tuple[float | None, float | None]:
        """What the reference of the gold is worth, and the proven bound of that value; None where unknown."""
        objective, known = self.problem.objective, cast(Mapping[str, Any], self.gold["reference"] or {})
        return known.get(objective.column), known.get(objective.bound_column)

    @cached_property
    def problem(self) -> Problem:
        """The design problem of the brief. Raises BankError for an unknown domain."""
        return domain_of(self.domain).problem(self.spec)


class Message(TypedDict):
    """One chat message; the role is system, user or assistant.

    `reasoning` is what an assistant thought before it answered, there only where a run replays it.
    """

    role: str
    content: str
    reasoning: NotRequired[str]


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; None where the backend does not report them."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True)
class Reply:
    """What a backend returned for one call.

    `error` is set when no reply came for a reason outside the model (network, server, context overflow): the call is
    unscored and may be repeated. `finish_reason` is the backend's word: "stop", "length", "content_filter".
    `note` is "not_applicable" when a baseline has nothing to say about a task.
    """

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    error: str | None = None
    usage: Usage = Usage()
    served_model: str | None = None
    system_fingerprint: str | None = None
    request_id: str | None = None
    latency_s: float | None = None
    note: str | None = None


@dataclass(frozen=True)
class Turn:
    """One model call and its place: `index` counts the live turns of an episode from 0, `attempt` the retries."""

    task_id: str
    epoch: int
    index: int
    attempt: int
    reply: Reply
    request_hash: str | None = None
    time: str | None = None


@dataclass(frozen=True)
class Step:
    """One live turn that was read: the action, and what the verifier said where a design was evaluated.

    `action` is one of the probe's actions, "rank" in P4, or "invalid_output" in the authors' logs. `harness_action` is
    what the authors' harness logged instead of it in P1 (`invalid_candidate`); None everywhere else.
    """

    action: str
    design: Design | None = None
    verdict: Verdict | None = None
    ranking: tuple[str, ...] = ()
    missing_fields: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    harness_action: str | None = None


@dataclass(frozen=True)
class Record:
    """A finished episode, from the replay of a log or from the authors' logs. Everything a scorer reads.

    `reference_value` is what the authors' harness divided by in this row; `recorded` says that the steps come from
    their logs, so that a missing reference there is a fact and not a gap to fill from the bank. `budget` is the query
    budget that the run had where it is not the brief's.
    """

    task_id: str
    probe: Probe
    outcome: Outcome
    steps: tuple[Step, ...]
    epoch: int = 0
    applicable: bool = True
    recorded: bool = False
    reference_value: float | None = None
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    budget: int | None = None
