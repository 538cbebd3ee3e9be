"""A row of the config `isomorphic` (paper, appendix P): one feasible design of one brief, asked for in three forms.

These are no `Task`s and not among the tasks of a bank. `reading.open_isomorphic` reads them. As in a
task, `spec` is all that a model may see and `gold` all that a scorer needs.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Final, Literal, TypedDict

from vehbench_hf.domains import OwnBrief, domain_of
from vehbench_hf.types import Anchor, Design, Probe, Split, Stated, Task
from vehbench_oracle import Box
from vehbench_oracle.domain import Problem

ISOMORPHIC: Final = "isomorphic"
"""Name of the config, of its folder below `data/`, and of its entry in the manifest."""

Form = Literal["selection", "generation", "completion"]
FORMS: tuple[Form, ...] = ("selection", "generation", "completion")
"""A, B and C of the paper: pick the one feasible design of five, mend a design, fill in two of six values."""

STAGE: dict[Form, Probe] = {"selection": "p4", "generation": "p2", "completion": "p2"}
"""The probe under which each form is run and recorded: the stage that asks for such an answer."""


class Choice(TypedDict):
    """One of the five designs of a selection, without metrics."""

    id: str
    design: Design


class Asked(TypedDict):
    """What each of the briefs begins with; the domain's own columns follow."""

    question: str
    variable_bounds: Annotated[dict[str, Box], "variables"]
    constraints: Annotated[dict[str, float], "limits"]


class IsomorphicSpec(Asked, OwnBrief):
    """All a model may see: the question with its answer format, the brief of the group, and what the form adds.

    Bounds, limits, the own columns of the domain and notes are equal in the three forms of a group and withhold
    nothing. `candidates` belongs to the selection and is empty elsewhere,
    `initial_design` to the generation (infeasible), `fixed` to the completion: all variables, null where open.
    """

    notes: list[Stated]
    initial_design: Design | None
    candidates: list[Choice]
    fixed: Annotated[dict[str, float | None], "variables"] | None


class ChoiceVerdict(TypedDict):
    """What the oracle says about one of the five: `total_violation` is the sum of excess over limit, 0 if feasible."""

    id: str
    feasible: bool
    total_violation: float
    violations: list[str]


class IsomorphicGold(TypedDict):
    """All a scorer needs. `witness` is the feasible design of the group, one of many in generation and completion.

    `answer`, the id of the feasible candidate, and `verdicts` belong to the selection, `open_variables` (two names)
    and `feasible_share` (of a grid over their ranges, 0 to 1) to the completion; null or empty elsewhere.
    `source_task_id` names the P2 task with the brief of the group, `pool_id` the P4 pool of its designs.
    """

    answer: str | None
    witness: Design
    verdicts: list[ChoiceVerdict]
    open_variables: list[str]
    feasible_share: float | None
    source_task_id: str
    pool_id: str


@dataclass(frozen=True)
class IsomorphicTask:
    """One row. `group` counts from 1; its three rows share anchor, split, brief and witness and differ in `form`."""

    task_id: str
    form: Form
    group: int
    split: Split
    difficulty: str
    source_group: str | None
    anchor: Anchor | None
    bank_version: str
    spec: IsomorphicSpec
    gold: IsomorphicGold
    domain: str = "veh"

    @cached_property
    def problem(self) -> Problem:
        """The design problem of the brief. Raises BankError for an unknown domain."""
        return domain_of(self.domain).problem(self.spec)

    @property
    def probe(self) -> Probe:
        """The stage that asks for such an answer, by which a run counts its calls; scores go by `form`."""
        return STAGE[self.form]


AnyTask = Task | IsomorphicTask
"""What an episode can be made of."""
