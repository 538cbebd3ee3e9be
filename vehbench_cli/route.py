"""`vehbench route`: which model to use at which stage."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vehbench_cli.score import bank_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import read_run_json

if TYPE_CHECKING:
    from vehbench_hf.analysis.compared_run import ComparedRun
    from vehbench_hf.user_files.prices import Price


def route_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, one a model; baselines are candidates for P2.")],
    convention: Annotated[
        Literal["defined", "released"] | None,
        typer.Option(help="Metric convention for all runs. Default: that of the first run's bank."),
    ] = None,
    bank: Annotated[str | None, typer.Option(help="Where the runs' bank is, if it has moved.")] = None,
    prices: Annotated[Path | None, typer.Option(help="Price table (YAML), for the cost of a solved task.")] = None,
    mix: Annotated[bool, typer.Option("--mix", help="Route runs whose scores are not comparable.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Choose a model for every stage by its dev scores, and judge the choice on the held-out splits."""
    from vehbench_hf.analysis.comparable import require_comparable
    from vehbench_hf.analysis.compared_run import read_compared
    from vehbench_hf.analysis.route import route_runs

    banks: dict[str, Bank] = {}
    read = []
    for run in runs:
        key = read_run_json(run)["settings"]["bank_fingerprint"]
        banks[key] = banks[key] if key in banks else bank_of(run, bank)
        read.append(read_compared(run, banks[key]))
    result = route_runs(
        read,
        convention=convention or read[0].bank.convention,
        prices=None if prices is None else _prices(prices, read),
        differing=require_comparable(read, mix=mix) if len(read) > 1 else [],
    )
    if as_json:
        typer.echo(json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        _print(result)


def _prices(file: Path, runs: Sequence["ComparedRun"]) -> dict[str, "Price"]:
    """The prices of the models that the table lists. Raises UserError when it lists none of them."""
    from vehbench_hf.user_files.prices import read_price

    found, problems = {}, []
    for model in {run.model for run in runs if run.is_model}:
        try:
            found[model] = read_price(file, model)
        except UserError as error:
            problems.append(error)
    if problems and not found:
        raise problems[0]
    return found


def _print(result: dict[str, Any]) -> None:
    """The advice for each stage, the candidates behind it, and what the choice gains."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, width=None if Console().is_terminal else 130)
    for line in result["differing"]:
        console.print(escape(f"not comparable, routed all the same (--mix): {line}"))
    table = Table("stage", "candidate", "dev", "tie-break", "held-out", "95 % interval", "solved", "cost a solved task")
    for probe, stage in result["stages"].items():
        for found in stage["candidates"]:
            solved = found["solved"]
            table.add_row(
                probe.upper(),
                escape(found["name"] if found["kind"] == "model" else f"{found['name']} ({found['kind']})"),
                _number(found["dev"]),
                _number(found["auxiliary"]),
                _number(found["held_out"]),
                _interval(found["interval"], sign=""),
                f"{solved['solved']:g}",
                "" if solved["per_solved"] is None else f"{solved['per_solved']:.4g} {solved['currency']}",
            )
    console.print(table)
    for probe, stage in result["stages"].items():
        console.print(escape(f"{probe.upper()}: {_advice(stage)}"))
    _print_strategies(console.print, result["strategies"])
    method = result["method"]
    console.print(
        f"Chosen on {method['selection']}, judged on {' and '.join(method['held_out'])} ({result['convention']}). "
        f"Intervals: {method['resamples']} resamples of {method['drawn']}, seed {method['seed']}; "
        "the choice itself is not resampled."
    )
    _print_profiles(console.print, result)
    for note in result["notes"]:
        console.print(escape(f"note: {note}"))


def _advice(stage: Mapping[str, Any]) -> str:
    use = stage["use"]
    if use is None:
        return f"no advice: {stage['undefined']}"
    how = {"dev": "best on dev", "auxiliary": "tied on dev, better tie-break", "order": "tied on dev, first given"}
    text = f"use {use['name']}" + ("" if use["kind"] == "model" else f" ({use['kind']})")
    text += f": {how[use['decided_by']]}, held-out {_number(use['held_out'])}"
    if stage["leader"] == use["name"]:
        text += "; also the best single model on dev"
    elif stage["gain"] is not None:
        text += f"; {stage['gain']:+.4f} ({_interval(stage['gain_interval'])}) against {stage['leader']}"
    if stage["headroom"]:
        text += f"; {stage['best_held_out']} would give {stage['headroom']:+.4f}"
    if stage["not_told_apart"]:
        text += f"; not told apart from {', '.join(stage['not_told_apart'])}"
    return text + "."


def _print_strategies(show: Any, found: Mapping[str, Any] | None) -> None:
    if found is None:
        show("No model has both a dev and a held-out score at any stage: nothing can be routed.")
        return
    for name, label in (("router", "router"), ("leader", "one model, best on dev"), ("envelope", "envelope")):
        of = found[name]
        if of is not None:
            used = ", ".join(f"{probe.upper()} {model}" for probe, model in of["use"].items())
            show(f"{label}: mean normalized held-out score {_number(of['mean_norm'])} ({used})", markup=False)
    if found["gain"] is not None:
        show(
            f"The router gains {found['gain']:+.4f} ({_interval(found['gain_interval'])}) over one model; "
            f"{_number(found['headroom'])} is left to the envelope, which nobody knows beforehand."
        )


def _print_profiles(show: Any, result: Mapping[str, Any]) -> None:
    how = "means of raw indicators" if result["convention"] == "released" else "scaled over the models given"
    show(f"Response-control profiles ({how}; higher is better):")
    for name, axes in result["profiles"].items():
        scores = ", ".join(f"{axis} {_number(found['score'])}" for axis, found in axes.items())
        show(f"  {name}: {scores}", markup=False)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _interval(value: Sequence[float] | None, *, sign: str = "+") -> str:
    return "no interval" if value is None else f"{value[0]:{sign}.4f} to {value[1]:{sign}.4f}"
