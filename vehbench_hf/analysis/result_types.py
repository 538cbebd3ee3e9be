"""The results of `compare`, `route` and `experiment` as they are printed with --json. Null means undefined."""

from typing import Any, Literal, NotRequired, TypedDict

from vehbench_hf.scoring.scores_type import Interval
from vehbench_hf.types import Convention, Probe, Split

Kind = Literal["model", "optimizer, no model"]


class Moved(TypedDict):
    """How many tasks are worth more, less or the same in the second run."""

    up: int
    down: int
    same: int


class Comparison(TypedDict):
    """One headline in two runs, second minus first; `undefined` says why something of it is null.

    `left_out` counts by run (first, second) the tasks that the other one has no score for.
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
    moved: Moved | None
    undefined: str | None


class ComparedRun(TypedDict):
    """A run of a comparison; `agrees` is what must be equal in all of them, `unscored` rows without a score."""

    run: str
    model: str
    agrees: dict[str, Any]
    epochs: int
    temperature: float | None
    unscored: dict[Probe, int]


class CompareMethod(TypedDict):
    """How the numbers of a comparison were made, in words."""

    level: float
    clusters: str
    p_value: str
    adjusted: str
    detectable: str


class CompareResult(TypedDict):
    """The result of `vehbench compare`."""

    schema: str
    convention: Convention
    headline_splits: list[Split]
    runs: list[ComparedRun]
    differing: list[str]
    method: CompareMethod
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


class EffectMethod(TypedDict):
    """How the numbers of an effect were made, in words."""

    level: float
    clusters: str
    p_value: str


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
    method: EffectMethod
    effects: list[Effect]


class Solved(TypedDict):
    """Tasks solved at a stage (repeats of a task count as one), and the effort of all its rows.

    Null where the log or the prices do not say.
    """

    solved: float
    calls: int
    output_tokens: int | None
    cost: float | None
    currency: str | None
    per_solved: float | None
    undefined: str | None


class Candidate(TypedDict):
    """Who may be used at a stage, with the scores that choose and judge it."""

    name: str
    kind: Kind
    dev: float | None
    auxiliary: float | None
    held_out: float | None
    interval: Interval
    solved: Solved


class Used(TypedDict):
    """Who is to be used at a stage, what decided (`tied` had the same dev score), and who is as good on dev.

    `level_on_dev` names the candidates whose dev score is not told apart from that of the chosen one.
    """

    name: str
    kind: Kind
    decided_by: str
    tied: list[str]
    level_on_dev: list[str]
    dev: float | None
    auxiliary: float | None
    held_out: float | None


class StageAdvice(TypedDict):
    """The advice for one stage. Without a choice `use` is null and nothing is said of a gain."""

    headline: str
    n: dict[str, int]
    use: Used | None
    undefined: str | None
    leader: str | None
    best_held_out: str | None
    candidates: list[Candidate]
    gain: NotRequired[float | None]
    gain_interval: NotRequired[Interval]
    headroom: NotRequired[float | None]
    not_told_apart: NotRequired[list[str]]


class StrategyResult(TypedDict):
    """Who works at each stage, its held-out scores, and their mean after normalization."""

    use: dict[Probe, str]
    held_out: dict[Probe, float]
    mean_norm: float | None


class Strategies(TypedDict):
    """Router, best single models and envelope; `averaged` are the stages in the mean, `gain` is router minus leader."""

    stages: list[Probe]
    averaged: list[Probe]
    router: StrategyResult
    leader: StrategyResult | None
    best_single: StrategyResult | None
    envelope: StrategyResult
    gain: float | None
    gain_interval: Interval
    headroom: float | None


class RoutedRun(TypedDict):
    """A run that may be used, under the name by which the result calls it."""

    name: str
    run: str
    model: str
    kind: Kind
    agrees: dict[str, Any]


class RouteMethod(TypedDict):
    """How runs were chosen and judged, in words."""

    selection: Split
    held_out: list[Split]
    normalized: str
    level: float
    clusters: str


class Axis(TypedDict):
    """A score on one axis of a profile, and the indicators behind it."""

    score: float | None
    indicators: list[str]


class RouteResult(TypedDict):
    """The result of `vehbench route`; `profiles` are by run and axis."""

    schema: str
    convention: Convention
    runs: list[RoutedRun]
    differing: list[str]
    method: RouteMethod
    stages: dict[Probe, StageAdvice]
    strategies: Strategies | None
    profiles: dict[str, dict[str, Axis]]
    notes: list[str]
