"""Which of the user's own runs to use at which stage, with what can be said about the gain."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vehbench_hf.analysis.advice import Pool, interval_of, kind_of, stage_advice
from vehbench_hf.analysis.candidates import HELD_OUT, SELECTION, Array, Stage, names_of, resampled, stages_of
from vehbench_hf.analysis.compare import incomplete
from vehbench_hf.analysis.profiles import indicators, profiles
from vehbench_hf.analysis.result_types import RouteResult
from vehbench_hf.analysis.stage_choice import Routing, Strategy, simulate
from vehbench_hf.runlog.differences import agreement
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import score_parts
from vehbench_hf.statistics import LEVEL, RESAMPLES, SEED
from vehbench_hf.types import Convention, Probe
from vehbench_hf.user_files.prices import Price

ROUTE_SCHEMA = "vehbench-route-1"
READS_GOLD = ("baseline/anchor", "baseline/reference")
"""Baselines that read the answer from the bank: they are marks to measure by, nobody has them for a new brief."""


def route_runs(
    runs: Sequence[Run],
    *,
    convention: Convention,
    prices: Mapping[str, Price] | None = None,
    differing: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> RouteResult:
    """Choose a run for every stage by its dev score, and judge the choice on the held-out splits.

    Every `baseline/..` run is a candidate of P2 alone, as "optimizer, no model"; it enters no strategy. When no other
    run is given, baselines stand for models at every stage. `prices` are by model name. `differing` says what the
    runs do not agree on.

    Selection is not resampled: an interval tells how sure a difference of the chosen runs is, not how sure the choice.
    """
    named = dict(zip(names_of(runs), runs, strict=True))
    models = [name for name, run in named.items() if run.is_model] or list(named)
    stages = stages_of(named, convention)
    pool: Pool = {
        name: {p: stage.scores[name] for p, stage in stages.items() if name in stage.scores} for name in named
    }
    drawn = {p: resampled(stage, convention, resamples=resamples, seed=seed) for p, stage in stages.items()}
    routing = simulate({name: pool[name] for name in models})
    return {
        "schema": ROUTE_SCHEMA,
        "convention": convention,
        "runs": [
            {"name": name, "run": run.name, "model": run.model, "kind": kind_of(name, models), "agrees": agreement(run)}
            for name, run in named.items()
        ],
        "differing": list(differing),
        "method": {
            "selection": SELECTION,
            "held_out": list(HELD_OUT),
            "normalized": "held-out score / best held-out score of a model at that stage, mean over stages",
            "resamples": resamples,
            "seed": seed,
            "level": LEVEL,
            "drawn": "anchor papers, for all runs together",
        },
        "stages": {
            probe: stage_advice(stage, pool, named, models, routing, drawn[probe], convention, prices)
            for probe, stage in stages.items()
        },
        "strategies": None if routing is None else _strategies(routing, models, drawn),
        "profiles": _profiles(models, stages, convention),
        "notes": _notes(named, models, stages, routing),
    }


def _profiles(
    models: Sequence[str], stages: Mapping[Probe, Stage], convention: Convention
) -> dict[str, dict[str, dict[str, Any]]]:
    """Response-control profiles over all rows of the stages. As defined they are scaled over these very models."""
    raw = {}
    for name in models:
        parts = {
            probe: {part: value.value for part, value in score_parts(probe, stage.rows[name], convention).items()}
            for probe, stage in stages.items()
            if name in stage.rows
        }
        raw[name] = indicators(parts)
    return {
        name: {axis: {"score": score.value, "indicators": list(score.used)} for axis, score in scores.items()}
        for name, scores in profiles(raw, convention).items()
    }


def _strategies(routing: Routing, models: Sequence[str], drawn: Mapping[Probe, Mapping[str, Array]]) -> dict[str, Any]:
    """Router, best single models and envelope, with an interval of the router's gain."""

    def shown(used: Strategy | None) -> dict[str, Any] | None:
        return None if used is None else {"use": used.chosen, "held_out": used.scores, "mean_norm": used.mean_norm}

    gain_interval = None
    if routing.leader is not None:
        router, leader = (_resampled_mean(s, models, drawn) for s in (routing.router, routing.leader))
        gain_interval = interval_of(router - leader) if router is not None and leader is not None else None
    return {
        "stages": list(routing.stages),
        "router": shown(routing.router),
        "leader": shown(routing.leader),
        "best_single": shown(routing.best_single),
        "envelope": shown(routing.envelope),
        "gain": routing.gain,
        "gain_interval": gain_interval,
        "headroom": routing.headroom,
    }


def _resampled_mean(
    strategy: Strategy, models: Sequence[str], drawn: Mapping[Probe, Mapping[str, Array]]
) -> Array | None:
    """The mean normalized score of a strategy in each resample; the best model of a stage is found anew in each."""
    total: list[Array] = []
    for probe, name in strategy.chosen.items():
        scores = [values for model, values in drawn[probe].items() if model in models]
        if name not in drawn[probe]:
            return None
        best = np.max(np.stack(scores), axis=0)
        total.append(np.where(best > 0, drawn[probe][name] / np.where(best > 0, best, 1.0), np.nan))
    mean: Array = np.mean(np.stack(total), axis=0)
    return mean


def _notes(
    named: Mapping[str, Run], models: Sequence[str], stages: Mapping[Probe, Stage], routing: Routing | None
) -> list[str]:
    notes = []
    if not any(run.is_model for run in named.values()):
        notes.append("no language model is among the runs: the built-in baselines stand for models at every stage.")
    notes += [
        f"{name} reads the answer from the bank; it is a mark to measure by and cannot be used on a new brief."
        for name, run in named.items()
        if run.model in READS_GOLD
    ]
    if routing is not None:
        flat = [probe.upper() for probe, score in routing.envelope.scores.items() if score <= 0]
        if flat:
            notes.append(
                f"{', '.join(flat)}: no held-out score is above 0, so that none can be divided by the best one and the "
                "mean normalized score is undefined."
            )
    for probe, stage in stages.items():
        if stage.left_out:
            notes.append(
                f"{probe.upper()}: {stage.left_out} tasks are left out, because not every run has a score for them."
            )
    if routing is not None and routing.leader is None:
        notes.append("no model ran every stage, so that there is no single model to compare the router with.")
    notes += [incomplete(run) for run in named.values() if run.unscored()]
    notes += [f"{name}: {problem}" for name, run in named.items() for problem in run.problems]
    return notes
