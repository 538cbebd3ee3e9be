"""The advice for one stage: whom to use, what that gains, and who cannot be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Literal

from vehbench_hf.analysis.candidates import HELD_OUT, SELECTION, Array, Stage, why_no_choice
from vehbench_hf.analysis.cost import cost_of
from vehbench_hf.analysis.result_types import Kind, StageAdvice
from vehbench_hf.analysis.stage_choice import Choice, Routing, StageScore, choose
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.statistics import percentile_interval
from vehbench_hf.types import Convention, Probe
from vehbench_hf.user_files.prices import Price

OPTIMIZER: Literal["optimizer, no model"] = "optimizer, no model"
OPTIMIZER_STAGE: Probe = "p2"

Pool = Mapping[str, Mapping[Probe, StageScore]]
"""Scores by candidate and stage."""


def stage_advice(
    stage: Stage,
    pool: Pool,
    named: Mapping[str, Run],
    models: Sequence[str],
    routing: Routing | None,
    drawn: Mapping[str, Array],
    convention: Convention,
    prices: Mapping[str, Price] | None,
) -> StageAdvice:
    """What is known of a stage. `models` may be used everywhere, other candidates at `OPTIMIZER_STAGE` alone."""
    probe = stage.probe
    allowed = [name for name in stage.scores if name in models or probe == OPTIMIZER_STAGE]
    choice = choose({name: pool[name] for name in allowed}, probe)
    leader = routing.leader.chosen.get(probe) if routing is not None and routing.leader is not None else None
    known = {name: value for name in allowed if (value := stage.scores[name].held_out) is not None}
    best = max(known, key=lambda name: known[name]) if known else None
    entry: StageAdvice = {
        "headline": PROBE_TABLE[probe].headline,
        "n": {SELECTION: stage.tasks(SELECTION), "held_out": stage.tasks(*HELD_OUT)},
        "use": None,
        "undefined": None if choice else why_no_choice(stage, convention),
        "leader": leader,
        "best_held_out": best,
        "candidates": [
            {
                "name": name,
                "kind": kind_of(name, models),
                **asdict(stage.scores[name]),
                "interval": interval_of(drawn.get(name)),
                "solved": cost_of(probe, stage.rows[name], convention, *_price(named[name], prices)),
            }
            for name in allowed
        ],
    }
    return entry if choice is None else _with_choice(entry, choice, stage, models, leader, best, drawn)


def _with_choice(
    entry: StageAdvice,
    choice: Choice,
    stage: Stage,
    models: Sequence[str],
    leader: str | None,
    best: str | None,
    drawn: Mapping[str, Array],
) -> StageAdvice:
    """The chosen candidate, what it gains over the single best model, and who cannot be told apart from it."""
    name = choice.model
    return {
        **entry,
        "use": {
            "name": name,
            "kind": kind_of(name, models),
            "decided_by": choice.decided_by,
            "tied": list(choice.tied),
            **asdict(stage.scores[name]),
        },
        "gain": _difference(stage, name, leader),
        "gain_interval": _interval_of_difference(drawn, name, leader),
        "headroom": _difference(stage, best, name),
        "not_told_apart": [
            other
            for other in stage.scores
            if other != name
            and (interval := _interval_of_difference(drawn, name, other)) is not None
            and interval[0] <= 0 <= interval[1]
        ],
    }


def kind_of(name: str, models: Sequence[str]) -> Kind:
    """Whether a candidate is a model or an optimizer."""
    return "model" if name in models else OPTIMIZER


def _price(run: Run, prices: Mapping[str, Price] | None) -> tuple[Price | None, str]:
    if not run.is_model:
        return None, "no model is called"
    if prices is None:
        return None, "no price table is given (--prices)"
    return prices.get(run.model), f"the price table does not list {run.model}"


def _difference(stage: Stage, first: str | None, second: str | None) -> float | None:
    value, other = (_held_out(stage, name) for name in (first, second))
    return None if value is None or other is None else value - other


def _held_out(stage: Stage, name: str | None) -> float | None:
    return stage.scores[name].held_out if name is not None and name in stage.scores else None


def _interval_of_difference(drawn: Mapping[str, Array], first: str, second: str | None) -> list[float] | None:
    if second is None or first not in drawn or second not in drawn:
        return None
    return interval_of(drawn[first] - drawn[second])


def interval_of(values: Array | None) -> list[float] | None:
    """The percentile interval of resampled values; None without values, or when too many are undefined."""
    ends = None if values is None else percentile_interval(values)
    return None if ends is None else list(ends)
