"""Which of the user's own runs to use at which stage, with what can be said about the gain."""

from collections.abc import Mapping, Sequence

from vehbench_hf.analysis.advice import kind_of, listed, stage_advice
from vehbench_hf.analysis.candidates import HELD_OUT, KNOWN_ANSWER, Stage, names_of, stages_of
from vehbench_hf.analysis.compare import incomplete
from vehbench_hf.analysis.paired import PAIRED
from vehbench_hf.analysis.profiles import indicators, profiles
from vehbench_hf.analysis.result_types import Axis, RouteResult, Strategies, StrategyResult
from vehbench_hf.analysis.stage_choice import Routing, Strategy, simulate
from vehbench_hf.runlog.differences import agreement
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import score_parts
from vehbench_hf.statistics import LEVEL, Estimate, combined, interval
from vehbench_hf.types import Convention, Probe
from vehbench_hf.user_files.prices import Price

ROUTE_SCHEMA = "vehbench-route-1"


def route_runs(
    runs: Sequence[Run],
    *,
    convention: Convention,
    prices: Mapping[str, Price] | None = None,
    differing: Sequence[str] = (),
) -> RouteResult:
    """Choose a run for every stage by its dev score, and judge the choice on the held-out splits.

    Every `baseline/..` run is a candidate of P2 alone, as "optimizer, no model"; it enters no strategy. When no other
    run is given, baselines stand for models at every stage. `prices` are by model name. `differing` says what the
    runs do not agree on.

    The selection has no error of its own: an interval tells how sure a difference of the chosen runs is, not how sure
    the choice.
    """
    named = dict(zip(names_of(runs), runs, strict=True))
    models = [name for name, run in named.items() if run.is_model] or list(named)
    stages = stages_of(named, convention)
    routing = simulate({m: {p: stage.runs[m].score for p, stage in stages.items() if m in stage.runs} for m in models})
    leader = {} if routing is None or routing.leader is None else routing.leader.chosen
    return {
        "schema": ROUTE_SCHEMA,
        "convention": convention,
        "runs": [
            {"name": name, "run": run.name, "model": run.model, "kind": kind_of(name, models), "agrees": agreement(run)}
            for name, run in named.items()
        ],
        "differing": list(differing),
        "method": {
            "selection": "dev",
            "held_out": list(HELD_OUT),
            "normalized": "held-out score / best held-out score of a model at that stage, mean over the stages where "
            "the best one is above 0",
            "level": LEVEL,
            "clusters": PAIRED,
        },
        "stages": {
            probe: stage_advice(stage, named, models, leader.get(probe), convention, prices)
            for probe, stage in stages.items()
        },
        "strategies": None if routing is None else _strategies(routing, stages),
        "profiles": _profiles(models, stages, convention),
        "notes": _notes(named, models, stages, routing),
    }


def _profiles(
    models: Sequence[str], stages: Mapping[Probe, Stage], convention: Convention
) -> dict[str, dict[str, Axis]]:
    """Response-control profiles over all rows of the stages. As defined they are scaled over these very models."""
    raw = {}
    for name in models:
        parts = {
            probe: {part: value.value for part, value in score_parts(probe, stage.runs[name].rows, convention).items()}
            for probe, stage in stages.items()
            if name in stage.runs
        }
        raw[name] = indicators(parts)
    return {
        name: {axis: {"score": score.value, "indicators": list(score.used)} for axis, score in scores.items()}
        for name, scores in profiles(raw, convention).items()
    }


def _strategies(routing: Routing, stages: Mapping[Probe, Stage]) -> Strategies:
    """Router, best single models and envelope, with an interval of the router's gain."""

    def shown(used: Strategy) -> StrategyResult:
        return {"use": used.chosen, "held_out": used.scores, "mean_norm": used.mean_norm}

    leader, best_single = routing.leader, routing.best_single
    return {
        "stages": list(routing.stages),
        "averaged": averaged(routing),
        "router": shown(routing.router),
        "leader": None if leader is None else shown(leader),
        "best_single": None if best_single is None else shown(best_single),
        "envelope": shown(routing.envelope),
        "gain": routing.gain,
        "gain_interval": None if leader is None else _gain_interval(routing, leader, stages),
        "headroom": routing.headroom,
    }


def averaged(routing: Routing) -> list[Probe]:
    """The stages of the mean normalized score: those where some held-out score is above 0."""
    return [probe for probe, best in routing.envelope.scores.items() if best > 0]


def _gain_interval(routing: Routing, leader: Strategy, stages: Mapping[Probe, Stage]) -> list[float] | None:
    """The interval of router minus leader in mean normalized score; the best score of a stage has its error, too."""
    mean = averaged(routing)
    if routing.gain is None or not mean:
        return None
    parts: list[tuple[float, Estimate]] = []
    for probe in mean:
        best = routing.envelope.scores[probe]
        for sign, strategy in ((1.0, routing.router), (-1.0, leader)):
            # d(score / best) = d(score) / best - score / best^2 d(best)
            factor = sign / best / len(mean)
            parts.append((factor, stages[probe].runs[strategy.chosen[probe]].held_out))
            model = routing.envelope.chosen[probe]
            parts.append((-factor * strategy.scores[probe] / best, stages[probe].runs[model].held_out))
    return listed(interval(Estimate(routing.gain, combined(parts).deviations)))


def _notes(
    named: Mapping[str, Run], models: Sequence[str], stages: Mapping[Probe, Stage], routing: Routing | None
) -> list[str]:
    notes = []
    if not any(run.is_model for run in named.values()):
        notes.append("no language model is among the runs: the built-in baselines stand for models at every stage.")
    elif len(models) < len(named):
        notes.append("optimizers are candidates of P2 alone and enter neither the router nor any other strategy.")
    notes += [
        f"{name} reads the answer from the bank; it is a mark to measure by and cannot be used on a new brief."
        for name, run in named.items()
        if run.model in KNOWN_ANSWER
    ]
    if routing is not None:
        flat = [probe.upper() for probe in routing.stages if probe not in averaged(routing)]
        if flat:
            notes.append(
                f"{', '.join(flat)}: no held-out score is above 0, so that none can be divided by the best one; left "
                "out of the mean normalized score."
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
