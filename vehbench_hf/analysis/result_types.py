"""The results of `compare`, `route` and `experiment` as they are printed with --json. Null means undefined."""

from typing import Any, Literal, NotRequired, TypedDict

from vehbench_hf.scoring.scores_type import Interval
from vehbench_hf.types import Convention, Probe, Split

Kind = Literal["model", "optimizer, no model"]


class Comparison(TypedDict):
    """One headline in two runs, second minus first; `undefined` says why something of it is null.

    `left_out` counts by run (first, second) the tasks that the other one has no score for; `moved` how many tasks are
    worth more (up), less (down) or the same in the second run.
    """

    probe: Probe
    headline: str
    first: str
    second: str
    n: int
    left_out: dict[str, int]
    clusters: int
    values: list[float | None]
    difference: float | None
    interval: Interval
    standard_error: float | None
    p_value: float | None
    p_adjusted: float | None
    detectable: float | None
    moved: dict[str, int] | None
    undefined: str | None


class CompareResult(TypedDict):
    """The result of `vehbench compare`. `agrees` of a run is what must be equal in all of them."""

    schema: str
    convention: Convention
    headline_splits: list[Split]
    runs: list[dict[str, Any]]
    differing: list[str]
    method: dict[str, Any]
    comparisons: list[Comparison]
    notes: list[str]


Effect = TypedDict(
    "Effect",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "part": str,
        "n": int,
        "left_out": int,
        "first": float | None,
        "second": float | None,
        "difference": float | None,
        "interval": Interval,
        "p_value": float | None,
        "clusters": int | None,
        "undefined": str | None,
    },
)
"""One part in two runs, second minus first; `from` and `to` name the conditions where there are several."""


class EffectsResult(TypedDict):
    """The result of `vehbench experiment`: of an intervention (`first`, `second`, `changed`), or of a cell.

    `conditions` holds by condition the run, n, the endpoints by name, and the share of unreadable rows.
    """

    schema: str
    cell: NotRequired[str]
    probe: Probe
    bank: str
    convention: Convention
    tasks: int
    first: NotRequired[str]
    second: NotRequired[str]
    changed: NotRequired[dict[str, list[Any]]]
    primary: NotRequired[str]
    secondary: NotRequired[str | None]
    conditions: NotRequired[dict[str, dict[str, Any]]]
    method: dict[str, Any]
    effects: list[Effect]


class Solved(TypedDict):
    """Effort over the rows of a stage, all repeats counted. Null where the log or the prices do not say."""

    solved: float
    calls: int
    output_tokens: int | None
    cost: float | None
    currency: str | None
    per_solved: float | None
    undefined: str | None


class StageAdvice(TypedDict):
    """The advice for one stage. Without a choice `use` is null and nothing is said of a gain.

    `use` and every candidate hold name, kind and the scores of `StageScore`; a candidate its interval and what a solved
    task costs (`Solved`), the chosen one what decided and who had the same dev score.
    """

    headline: str
    n: dict[str, int]
    use: dict[str, Any] | None
    undefined: str | None
    leader: str | None
    best_held_out: str | None
    candidates: list[dict[str, Any]]
    gain: NotRequired[float | None]
    gain_interval: NotRequired[Interval]
    headroom: NotRequired[float | None]
    not_told_apart: NotRequired[list[str]]


class RouteResult(TypedDict):
    """The result of `vehbench route`; `profiles` hold by run and axis a score and its indicators."""

    schema: str
    convention: Convention
    runs: list[dict[str, Any]]
    differing: list[str]
    method: dict[str, Any]
    stages: dict[Probe, StageAdvice]
    strategies: dict[str, Any] | None
    profiles: dict[str, dict[str, dict[str, Any]]]
    notes: list[str]
