"""The advice for one stage: whom to use, what that gains, and who cannot be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import Literal

from vehbench_hf.analysis.candidates import HELD_OUT, KNOWN_ANSWER, SELECTION, RunAtStage, Stage, why_no_choice
from vehbench_hf.analysis.cost import cost_of
from vehbench_hf.analysis.result_types import Kind, StageAdvice
from vehbench_hf.analysis.stage_choice import Choice, choose
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.statistics import Estimate, combined, interval
from vehbench_hf.types import Convention, Probe
from vehbench_hf.user_files.prices import Price

OPTIMIZER: Literal["optimizer, no model"] = "optimizer, no model"
OPTIMIZER_STAGE: Probe = "p2"


def stage_advice(
    stage: Stage,
    named: Mapping[str, Run],
    models: Sequence[str],
    leader: str | None,
    convention: Convention,
    prices: Mapping[str, Price] | None,
) -> StageAdvice:
    """What is known of a stage. `models` may be used everywhere, other candidates at `OPTIMIZER_STAGE` alone.

    A baseline that knows the answer is a candidate only among baselines alone. `leader` is the single best model.
    """
    probe = stage.probe
    allowed = {
        name: run
        for name, run in stage.runs.items()
        if name in models or (probe == OPTIMIZER_STAGE and named[name].model not in KNOWN_ANSWER)
    }
    choice = choose({name: {probe: run.score} for name, run in allowed.items()}, probe)
    known = {name: value for name, run in allowed.items() if (value := run.score.held_out) is not None}
    best = max(known, key=lambda name: known[name]) if known else None
    entry: StageAdvice = {
        "headline": PROBE_TABLE[probe].headline,
        "n": {"dev": stage.tasks(SELECTION), "held_out": stage.tasks(HELD_OUT)},
        "use": None,
        "undefined": None if choice else why_no_choice(stage, convention),
        "leader": leader,
        "best_held_out": best,
        "candidates": [
            {
                "name": name,
                "kind": kind_of(name, models),
                **asdict(run.score),  # type: ignore[typeddict-item]
                "interval": listed(interval(run.held_out)),
                "solved": cost_of(probe, run.rows, convention, *_price(named[name], prices)),
            }
            for name, run in allowed.items()
        ],
    }
    return entry if choice is None else _with_choice(entry, choice, allowed, kind_of(choice.model, models))


def _with_choice(entry: StageAdvice, choice: Choice, allowed: Mapping[str, RunAtStage], kind: Kind) -> StageAdvice:
    """The chosen candidate, what it gains over the single best model, and who cannot be told apart from it."""
    name, best, leader = choice.model, entry["best_held_out"], entry["leader"]
    gain = None if leader is None or leader not in allowed else _minus(allowed[name].held_out, allowed[leader].held_out)
    headroom = None if best is None else _minus(allowed[best].held_out, allowed[name].held_out)
    others = {other: run for other, run in allowed.items() if other != name}
    return {
        **entry,
        "use": {
            "name": name,
            "kind": kind,
            "decided_by": choice.decided_by,
            "tied": list(choice.tied),
            "level_on_dev": [other for other, run in others.items() if _level(allowed[name].dev, run.dev)],
            **asdict(allowed[name].score),  # type: ignore[typeddict-item]
        },
        "gain": None if gain is None else gain.value,
        "gain_interval": None if gain is None else listed(interval(gain)),
        "headroom": None if headroom is None else headroom.value,
        "not_told_apart": [other for other, run in others.items() if _level(allowed[name].held_out, run.held_out)],
    }


def kind_of(name: str, models: Sequence[str]) -> Kind:
    """Whether a candidate is a model or an optimizer."""
    return "model" if name in models else OPTIMIZER


def listed(ends: tuple[float, float] | None) -> list[float] | None:
    """An interval as JSON has it."""
    return None if ends is None else list(ends)


def _price(run: Run, prices: Mapping[str, Price] | None) -> tuple[Price | None, str]:
    if not run.is_model:
        return None, "no model is called"
    if prices is None:
        return None, "no price table is given (--prices)"
    return prices.get(run.model), f"the price table does not list {run.model}"


def _minus(first: Estimate, second: Estimate) -> Estimate | None:
    """First minus second; None where either is undefined."""
    return None if isnan(first.value) or isnan(second.value) else combined([(1.0, first), (-1.0, second)])


def _level(first: Estimate, second: Estimate) -> bool:
    """Whether two scores on the same tasks are not told apart: they are equal, or the interval holds 0."""
    difference = _minus(first, second)
    if difference is None:
        return False
    ends = interval(difference)
    return difference.value == 0 if ends is None else ends[0] <= 0 <= ends[1]
