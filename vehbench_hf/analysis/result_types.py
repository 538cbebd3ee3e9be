"""The results of `compare`, `route` and `experiment` as they are printed with --json. Null means undefined."""

from typing import Any, Literal, NotRequired, TypedDict

from vehbench_hf.scoring.scores_type import Interval
from vehbench_hf.types import Convention, Probe, Split


class Moved(TypedDict):
    """How many tasks are worth more, less or the same in the second run."""

    up: int
    down: int
    same: int


class LeftOut(TypedDict):
    """How many tasks of each run the other one has no score for."""

    first: int
    second: int


class Comparison(TypedDict):
    """One headline in two runs, second minus first; `undefined` says why something of it is null."""

    probe: Probe
    headline: str
    first: str
    second: str
    n: int
    left_out: LeftOut
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
    """A run of a comparison; `agrees` is what must be equal in all of them, `unscored` counts repeats by probe."""

    run: str
    model: str
    agrees: dict[str, Any]
    epochs: int
    temperature: float | None
    unscored: dict[Probe, int]


class Method(TypedDict):
    """How intervals and p values were made."""

    resamples: int
    seed: int
    level: float
    drawn: str
    p_value: NotRequired[str]
    adjusted: NotRequired[str]
    detectable: NotRequired[str]
    selection: NotRequired[Split]
    held_out: NotRequired[list[Split]]
    normalized: NotRequired[str]


class CompareResult(TypedDict):
    """The result of `vehbench compare`."""

    schema: str
    convention: Convention
    headline_splits: list[Split]
    runs: list[ComparedRun]
    differing: list[str]
    method: Method
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


Kind = Literal["model", "optimizer, no model"]


class Solved(TypedDict):
    """Effort over the rows of a stage, all repeats counted. Null where the log or the prices do not say."""

    solved: float
    calls: int
    output_tokens: int | None
    cost: float | None
    currency: str | None
    per_solved: float | None
    undefined: str | None


class Candidate(TypedDict):
    """A run at one stage: dev headline, what breaks ties, held-out headline, and what a solved task costs."""

    name: str
    kind: Kind
    dev: float | None
    auxiliary: float | None
    held_out: float | None
    interval: Interval
    solved: Solved


class Chosen(TypedDict):
    """The candidate to use at a stage, what decided, and who had the same dev score."""

    name: str
    kind: Kind
    decided_by: Literal["dev", "auxiliary", "order"]
    tied: list[str]
    dev: float | None
    auxiliary: float | None
    held_out: float | None


class StageAdvice(TypedDict):
    """The advice for one stage. Without a choice `use` is null and nothing is said of a gain."""

    headline: str
    n: dict[str, int]
    use: Chosen | None
    undefined: str | None
    leader: str | None
    best_held_out: str | None
    candidates: list[Candidate]
    gain: NotRequired[float | None]
    gain_interval: NotRequired[Interval]
    headroom: NotRequired[float | None]
    not_told_apart: NotRequired[list[str]]


class StrategyScores(TypedDict):
    """Which run a strategy uses at each stage, its held-out scores, and their normalized mean."""

    use: dict[Probe, str]
    held_out: dict[Probe, float]
    mean_norm: float | None


class Strategies(TypedDict):
    """Router, best single models and envelope, with the router's gain over one model."""

    stages: list[Probe]
    router: StrategyScores | None
    leader: StrategyScores | None
    best_single: StrategyScores | None
    envelope: StrategyScores | None
    gain: float | None
    gain_interval: Interval
    headroom: float | None


class Axis(TypedDict):
    """A score on one axis of a profile, and the indicators behind it."""

    score: float | None
    indicators: list[str]


class RoutedRun(TypedDict):
    """A run of a routing."""

    name: str
    run: str
    model: str
    kind: Kind
    agrees: dict[str, Any]


class RouteResult(TypedDict):
    """The result of `vehbench route`."""

    schema: str
    convention: Convention
    runs: list[RoutedRun]
    differing: list[str]
    method: Method
    stages: dict[Probe, StageAdvice]
    strategies: Strategies | None
    profiles: dict[str, dict[str, Axis]]
    notes: list[str]
