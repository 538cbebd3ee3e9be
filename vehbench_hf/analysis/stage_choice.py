"""Stage-aware selection (Tables 5 and 31): pure arithmetic over dev and held-out scores.

A model is chosen for each stage by its dev score and judged by its held-out score. Held-out scores are divided by the
best one of the stage before they are averaged over stages, because the four headlines have different units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vehbench_hf.types import PROBES, Probe


@dataclass(frozen=True)
class StageScore:
    """One model at one stage: dev headline, dev part that breaks ties, held-out headline; None where undefined."""

    dev: float | None
    auxiliary: float | None
    held_out: float | None


Scores = Mapping[str, Mapping[Probe, StageScore]]
"""By model and stage. A stage that a model did not run is absent."""


@dataclass(frozen=True)
class Choice:
    """The model chosen for a stage, which models had the same dev headline, and what decided between them.

    `decided_by` is "dev" without a tie, "auxiliary" when the second score decided, and "order" when that was equal too
    or undefined and the first given model was taken.
    """

    model: str
    tied: tuple[str, ...]
    decided_by: Literal["dev", "auxiliary", "order"]


@dataclass(frozen=True)
class Strategy:
    """Which model works at each stage, its held-out scores, and their mean after normalization."""

    chosen: dict[Probe, str]
    scores: dict[Probe, float]
    mean_norm: float | None


@dataclass(frozen=True)
class Routing:
    """What a pool of models gives. `stages` are those where at least one model has both scores.

    `leader` is the one model with the best dev scores over all stages, `best_single` the one with the best held-out
    scores; None when no model ran every stage. `specialists` are the held-out leaders of each stage, alone on all of
    them. `envelope` uses the held-out leader of each stage, which nobody knows beforehand.
    """

    stages: tuple[Probe, ...]
    choices: dict[Probe, Choice]
    router: Strategy
    leader: Strategy | None
    best_single: Strategy | None
    specialists: dict[Probe, Strategy]
    envelope: Strategy

    @property
    def gain(self) -> float | None:
        """Router minus leader, in mean normalized held-out score."""
        return None if self.leader is None else _minus(self.router.mean_norm, self.leader.mean_norm)

    @property
    def headroom(self) -> float | None:
        """Envelope minus router, in mean normalized held-out score."""
        return _minus(self.envelope.mean_norm, self.router.mean_norm)


def choose(scores: Scores, stage: Probe) -> Choice | None:
    """The model with the largest dev headline; None when no model has one."""
    dev = {m: s.dev for m, by_stage in scores.items() if (s := by_stage.get(stage)) is not None and s.dev is not None}
    if not dev:
        return None
    tied = tuple(model for model, value in dev.items() if value == max(dev.values()))
    if len(tied) == 1:
        return Choice(tied[0], tied, "dev")
    second = {model: scores[model][stage].auxiliary for model in tied}
    known = [value for value in second.values() if value is not None]
    if len(known) < len(tied) or sum(value == max(known) for value in known) > 1:
        best = [model for model in tied if known and second[model] == max(known)] or list(tied)
        return Choice(best[0], tied, "order")
    return Choice(next(model for model in tied if second[model] == max(known)), tied, "auxiliary")


def normalizers(scores: Scores, stages: Sequence[Probe]) -> dict[Probe, float]:
    """The largest held-out score of each stage."""
    return {stage: max(_held_out(scores, stage).values()) for stage in stages}


def strategy(scores: Scores, chosen: Mapping[Probe, str], best: Mapping[Probe, float]) -> Strategy:
    """A strategy from the model of each stage."""
    raw = {stage: _held_out(scores, stage)[model] for stage, model in chosen.items()}
    return Strategy(dict(chosen), raw, mean_norm(raw, best))


def mean_norm(raw: Mapping[Probe, float], best: Mapping[Probe, float]) -> float | None:
    """Mean of score / best score over the stages with a best score above 0; None without such a stage."""
    averaged = [value / best[stage] for stage, value in raw.items() if best[stage] > 0]
    return sum(averaged) / len(averaged) if averaged else None


def simulate(scores: Scores) -> Routing | None:
    """All strategies of Tables 5 and 31 for a pool of models; None when no stage has a usable model.

    Of models with equal held-out scores the first given one counts as the leader.
    """
    usable = {
        stage: {
            model: by_stage[stage]
            for model, by_stage in scores.items()
            if stage in by_stage and by_stage[stage].dev is not None and by_stage[stage].held_out is not None
        }
        for stage in PROBES
    }
    stages = tuple(stage for stage in PROBES if usable[stage])
    if not stages:
        return None
    pool: dict[str, dict[Probe, StageScore]] = {
        model: {stage: usable[stage][model] for stage in stages if model in usable[stage]} for model in scores
    }
    best = normalizers(pool, stages)
    choices = {stage: choice for stage in stages if (choice := choose(pool, stage)) is not None}
    complete = [model for model in pool if len(pool[model]) == len(stages)]
    top = {stage: _leader(_held_out(pool, stage)) for stage in stages}

    def everywhere(model: str | None) -> Strategy | None:
        return None if model is None else strategy(pool, dict.fromkeys(stages, model), best)

    singles = {model: alone for model in complete if (alone := everywhere(model)) is not None}
    by_held_out = {m: s.mean_norm for m, s in singles.items() if s.mean_norm is not None}
    return Routing(
        stages=stages,
        choices=choices,
        router=strategy(pool, {stage: choice.model for stage, choice in choices.items()}, best),
        leader=everywhere(_dev_leader(pool, complete, stages)),
        best_single=singles[_leader(by_held_out)] if by_held_out else None,
        specialists={stage: singles[model] for stage, model in top.items() if model in singles},
        envelope=strategy(pool, top, best),
    )


def _dev_leader(pool: Scores, complete: Sequence[str], stages: Sequence[Probe]) -> str | None:
    """The complete model with the largest mean of dev scores, each divided by the best dev score of the stage."""
    dev = {
        stage: {m: s.dev for m, by_stage in pool.items() if (s := by_stage.get(stage)) and s.dev is not None}
        for stage in stages
    }
    best = {stage: max(column.values()) for stage, column in dev.items()}
    means = {model: mean_norm({stage: dev[stage][model] for stage in stages}, best) for model in complete}
    known = {model: value for model, value in means.items() if value is not None}
    return _leader(known) if known else None


def _held_out(scores: Scores, stage: Probe) -> dict[str, float]:
    return {m: s.held_out for m, by_stage in scores.items() if (s := by_stage.get(stage)) and s.held_out is not None}


def _leader(values: Mapping[str, float]) -> str:
    return max(values, key=lambda model: values[model])


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
