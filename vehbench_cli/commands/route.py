"""`vehbench route`: which model to use at which stage."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from vehbench_cli.lookup import runs_to_compare
from vehbench_cli.options import ConventionOption, JsonOption, MixOption, RunBankOption
from vehbench_cli.tables import console, interval, number, print_json
from vehbench_hf.errors import UserError

if TYPE_CHECKING:
    from vehbench_hf.analysis.result_types import RouteResult, StageAdvice
    from vehbench_hf.runlog import Run
    from vehbench_hf.user_files.prices import Price


def route_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, one a model; baselines are candidates for P2.")],
    convention: ConventionOption = None,
    bank: RunBankOption = None,
    prices: Annotated[Path | None, typer.Option(help="Price table (YAML), for the cost of a solved task.")] = None,
    mix: MixOption = False,
    as_json: JsonOption = False,
) -> None:
    """Choose a model for every stage by its dev scores, and judge the choice on the held-out splits."""
    from vehbench_hf.analysis.route import route_runs
    from vehbench_hf.runlog.differences import require_comparable

    compared = runs_to_compare(runs, bank)
    result = route_runs(
        compared,
        convention=convention or compared[0].bank.convention,
        prices=None if prices is None else _prices(prices, compared),
        differing=require_comparable(compared, mix=mix) if len(compared) > 1 else [],
    )
    if as_json:
        print_json(result)
    else:
        _print(result)


def _prices(file: Path, runs: Sequence["Run"]) -> dict[str, "Price"]:
    """The prices of the models that the table lists. Raises UserError when it lists none of them."""
    from vehbench_hf.user_files.prices import read_price

    prices, problems = {}, []
    for model in {run.model for run in runs if run.is_model}:
        try:
            prices[model] = read_price(file, model)
        except UserError as error:
            problems.append(error)
    if problems and not prices:
        raise problems[0]
    return prices


def _print(result: "RouteResult") -> None:
    """The advice for each stage, the candidates behind it, and what the choice gains."""
    terminal = console(130)
    for line in result["differing"]:
        terminal.print(f"not comparable, routed all the same (--mix): {line}")
    table = Table("stage", "candidate", "dev", "tie-break", "held-out", "95 % interval", "solved", "cost a solved task")
    for probe, stage in result["stages"].items():
        for candidate in stage["candidates"]:
            solved = candidate["solved"]
            table.add_row(
                probe.upper(),
                _name(candidate),
                number(candidate["dev"]),
                number(candidate["auxiliary"]),
                number(candidate["held_out"]),
                _interval(candidate["interval"]),
                f"{solved['solved']:g}",
                "" if solved["per_solved"] is None else f"{solved['per_solved']:.4g} {solved['currency']}",
            )
    terminal.print(table)
    for probe, stage in result["stages"].items():
        terminal.print(f"{probe.upper()}: {_advice(stage)}")
    _print_strategies(terminal, result["strategies"])
    method = result["method"]
    terminal.print(
        f"Chosen on {method['selection']}, judged on {' and '.join(method['held_out'])} ({result['convention']}). "
        f"Intervals over {method['clusters']}; the choice itself has no error of its own."
    )
    _print_profiles(terminal, result)
    for note in result["notes"]:
        terminal.print(f"note: {note}")


def _advice(stage: "StageAdvice") -> str:
    use = stage["use"]
    if use is None:
        return f"no advice: {stage['undefined']}"
    how = {"dev": "best on dev", "auxiliary": "tied on dev, better tie-break", "order": "tied on dev, first given"}
    text = f"use {_name(use)}: {how[use['decided_by']]}, held-out {number(use['held_out'])}"
    if use["level_on_dev"]:
        text += f"; on dev not told apart from {', '.join(use['level_on_dev'])}"
    if stage["leader"] == use["name"]:
        text += "; also the best single model on dev"
    elif stage["gain"] is not None:
        text += f"; {stage['gain']:+.4f} ({_interval(stage['gain_interval'], sign='+')}) against {stage['leader']}"
    if stage["headroom"]:
        text += f"; {stage['best_held_out']} would give {stage['headroom']:+.4f}"
    if stage["not_told_apart"]:
        text += f"; held-out not told apart from {', '.join(stage['not_told_apart'])}"
    return text + "."


def _print_strategies(terminal: Console, strategies: Mapping[str, Any] | None) -> None:
    if strategies is None:
        terminal.print("No model has both a dev and a held-out score at any stage: nothing can be routed.")
        return
    for name, label in (("router", "router"), ("leader", "one model, best on dev"), ("envelope", "envelope")):
        strategy = strategies[name]
        if strategy is not None:
            used = ", ".join(f"{probe.upper()} {model}" for probe, model in strategy["use"].items())
            terminal.print(f"{label}: mean normalized held-out score {number(strategy['mean_norm'])} ({used})")
    if strategies["gain"] is not None:
        terminal.print(
            f"The router gains {strategies['gain']:+.4f} ({_interval(strategies['gain_interval'], sign='+')}) over one "
            f"model; {number(strategies['headroom'])} is left to the envelope, which nobody knows beforehand."
        )


def _print_profiles(terminal: Console, result: "RouteResult") -> None:
    how = "means of raw indicators" if result["convention"] == "released" else "scaled over the models given"
    terminal.print(f"Response-control profiles ({how}; higher is better):")
    for name, axes in result["profiles"].items():
        terminal.print(f"  {name}: " + ", ".join(f"{axis} {number(value['score'])}" for axis, value in axes.items()))


def _name(model: Mapping[str, Any]) -> str:
    return str(model["name"]) if model["kind"] == "model" else f"{model['name']} ({model['kind']})"


def _interval(ends: Sequence[float] | None, *, sign: str = "") -> str:
    return "no interval" if ends is None else interval(ends, sign=sign)
