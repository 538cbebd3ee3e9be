"""`vehbench compare`: how runs differ, and what the comparison could have found."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vehbench_cli.options import read_list
from vehbench_cli.score import bank_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog import read_run_json
from vehbench_hf.types import ALL_SPLITS


def compare_command(
    runs: Annotated[list[Path], typer.Argument(help="Two or more run folders.")],
    convention: Annotated[
        Literal["defined", "released"] | None,
        typer.Option(help="Metric convention for all runs. Default: that of the first run's bank."),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Splits to compare on. Default: the bank's headline splits.")
    ] = None,
    bank: Annotated[str | None, typer.Option(help="Where the runs' bank is, if it has moved.")] = None,
    mix: Annotated[bool, typer.Option("--mix", help="Compare runs whose scores are not comparable.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Compare runs in pairs: headline differences with intervals, adjusted p values and what could have been found."""
    from vehbench_hf.analysis.comparable import require_comparable
    from vehbench_hf.analysis.compare import compare_runs
    from vehbench_hf.analysis.compared_run import read_compared

    banks: dict[str, Bank] = {}
    for run in runs:
        key = read_run_json(run)["settings"]["bank_fingerprint"]
        banks[key] = banks[key] if key in banks else bank_of(run, bank)
    read = [read_compared(run, banks[read_run_json(run)["settings"]["bank_fingerprint"]]) for run in runs]
    differing = require_comparable(read, mix=mix)
    result = compare_runs(
        read,
        convention=convention or read[0].bank.convention,
        headline_splits=read_list(split, ALL_SPLITS, "--split") if split is not None else read[0].bank.headline_splits,
        differing=differing,
    )
    if as_json:
        typer.echo(json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    """The table of differences and what must be known to read it."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, width=None if Console().is_terminal else 150)
    names = _short_names(result["runs"])
    for run in result["runs"]:
        agrees = " | ".join(f"{name} {run['agrees'][name]}" for name in ("bank", "prompts", "protocol", "scorer"))
        console.print(escape(f"{names[run['run']]}: {run['run']}  ({agrees} | {result['convention']})"))
    for line in result["differing"]:
        console.print(escape(f"not comparable, compared all the same (--mix): {line}"))
    table = Table(
        "probe", "A", "B", "n", "A value", "B value", "B - A", "95 % interval", "p (Holm)", "detectable", "moved"
    )
    for entry in result["comparisons"]:
        moved, interval = entry["moved"], entry["interval"]
        table.add_row(
            entry["probe"].upper(),
            escape(names[entry["first"]]),
            escape(names[entry["second"]]),
            str(entry["n"]),
            *(_number(value) for value in entry["values"]),
            _number(entry["difference"], sign="+"),
            "undefined" if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}",
            _number(entry["p_adjusted"]),
            _number(entry["detectable"]),
            "" if moved is None else f"{moved['up']} up, {moved['down']} down, {moved['same']} same",
        )
    console.print(table)
    method = result["method"]
    console.print(
        f"Intervals: {method['resamples']} resamples of {method['drawn']}, seed {method['seed']}. "
        f"p: {method['p_value']}; {method['adjusted']}.\nDetectable: {method['detectable']}.\n"
        f"Moved: tasks worth more or less in B; P1 by whether the action is right. Splits: "
        f"{', '.join(result['headline_splits'])}."
    )
    for entry in result["comparisons"]:
        if entry["undefined"]:
            pair = f"{entry['probe'].upper()} {names[entry['first']]}, {names[entry['second']]}"
            console.print(escape(f"{pair}: {entry['undefined']}"))
    for note in result["notes"]:
        console.print(escape(f"note: {note}"))


def _short_names(runs: list[dict[str, Any]]) -> dict[str, str]:
    """The models' names where they differ, else the folders'."""
    models, folders = [run["model"] for run in runs], [Path(run["run"]).name for run in runs]
    for names in (models, folders):
        if len(set(names)) == len(runs):
            return {run["run"]: name for run, name in zip(runs, names, strict=True)}
    return {run["run"]: run["run"] for run in runs}


def _number(value: float | None, *, sign: str = "") -> str:
    return "undefined" if value is None else f"{value:{sign}.4f}"
