"""The shape of `scores.json`, the public result of a run. Intervals are [low, high] or null, never half of one."""

from typing import NotRequired, TypedDict

from vehbench_hf.types import Convention, Probe, Split

Interval = list[float] | None


class Headline(TypedDict):
    """The main number of a probe; `bounds` are its ends whatever became of unscored and missing rows."""

    name: str
    value: float | None
    interval: Interval
    bounds: Interval
    n: int
    undefined: str | None


class Overall(TypedDict):
    """The headline over all splits."""

    value: float | None
    n: int


class Rate(TypedDict):
    """What a part divides, with an interval of Wilson's form where both numbers count events."""

    numerator: float | None
    of: float | None
    wilson: Interval


class Parsed(TypedDict):
    """The parts over the rows whose reply could be read."""

    n: int
    parts: dict[str, float | None]


class PassAll(TypedDict):
    """pass^k: the share of tasks of which all `k` repeats succeed."""

    k: int
    value: float | None
    n: int
    undefined: str | None


Repeats = TypedDict(
    "Repeats",
    {
        "epochs": int,
        "n": int,
        "values": list[float | None],
        "mean": float | None,
        "interval": Interval,
        "undefined": str | None,
        "pass": NotRequired[PassAll],
    },
)
"""The headline of each repeat, their mean with Student's interval, and where success is measured pass^k."""


class SplitScores(TypedDict):
    """Headline and parts of one split."""

    value: float | None
    n: int
    parts: dict[str, float | None]


class ProbeScores(TypedDict):
    """The scores of one probe.

    `undefined` says why a part, the interval or the bounds are null, `parts_n` over how many rows or pairs a part is
    taken.
    """

    headline: Headline
    all: Overall
    parts: dict[str, float | None]
    parts_n: dict[str, int]
    undefined: dict[str, str | None]
    rates: dict[str, Rate]
    parsed: Parsed
    repeats: Repeats
    outcomes: dict[str, int]
    unscored: int
    missing: int
    not_applicable: int
    splits: dict[Split, SplitScores]


class Versions(TypedDict):
    """What the scores were computed with; `run` is there in a submitted record, the versions of `run.json`."""

    vehbench: str
    prompts: str
    protocol: NotRequired[str]
    scorer: NotRequired[str]
    oracle: str
    run: NotRequired[dict[str, str] | None]


class Intervals(TypedDict):
    """How the intervals were made: what counts as one observation, and the method."""

    level: float
    clusters: str
    method: str


class Usage(TypedDict):
    """Model calls and tokens of all records; null for a count that no call reports."""

    calls: int
    input: int | None
    cached: int | None
    output: int | None
    reasoning: int | None


class Scores(TypedDict):
    """`scores.json` of a run over the probes. `comparability` must be equal before two scores are compared."""

    schema: str
    versions: NotRequired[Versions]
    bank: str
    convention: Convention
    comparability: str
    model: str | None
    complete: bool
    headline_splits: list[Split]
    intervals: Intervals
    usage: Usage
    probes: dict[Probe, ProbeScores]
    problems: NotRequired[list[str]]
