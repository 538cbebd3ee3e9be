"""A task of the probe `isomorphic` (paper, appendix P): one feasible design of one brief, asked for in three forms.

They are not among the tasks of a bank; `reading.open_isomorphic` reads them. As in every task, `spec` is all that a
model may see and `gold` all that a scorer needs.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypedDict, cast

from vehbench_hf.domains import OwnBrief
from vehbench_hf.types import Design, Stated, Task
from vehbench_oracle import Box

ISOMORPHIC: Final = "isomorphic"
"""Name of the config, of its folder below `data/`, and of its entry in the manifest."""

Form = Literal["selection", "generation", "completion"]
FORMS: tuple[Form, ...] = ("selection", "generation", "completion")
"""A, B and C of the paper: pick the one feasible design of five, mend a design, fill in two of six values."""


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
    `source_task_id` names the P2 task with the brief of the group, `pool_id` the P4 pool of its designs. `group` counts
    from 1; in a row it is a column of its own.
    """

    answer: str | None
    witness: Design
    verdicts: list[ChoiceVerdict]
    open_variables: list[str]
    feasible_share: float | None
    source_task_id: str
    pool_id: str
    group: int


@dataclass(frozen=True)
class IsomorphicTask(Task):
    """A task of the probe `isomorphic`; its subtype is the form. The three of a group share anchor, split and brief."""

    spec: IsomorphicSpec  # type: ignore[assignment]  # another brief than that of the four probes
    gold: IsomorphicGold  # type: ignore[assignment]

    @property
    def form(self) -> Form:
        """The form of the question."""
        return cast(Form, self.subtype)

    @property
    def group(self) -> int:
        """The number of the group, from 1."""
        return self.gold["group"]


def form_of(spec: IsomorphicSpec) -> Form:
    """The form of a question, from what it adds to the brief."""
    if spec["candidates"]:
        return "selection"
    return "generation" if spec["fixed"] is None else "completion"
