"""`vehbench compare`: how runs differ, and what the comparison could have found."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from vehbench_cli.lookup import runs_to_compare
from vehbench_cli.options import ConventionOption, JsonOption, MixOption, RunBankOption, read_splits
from vehbench_cli.tables import console, interval, number, print_json

if TYPE_CHECKING:
    from vehbench_hf.analysis.result_types import ComparedRun, CompareResult


def compare_command(
    runs: Annotated[list[Path], typer.Argument(help="Two or more run folders.")],
    convention: ConventionOption = None,
    split: Annotated[
        str | None, typer.Option(help="Splits to compare on. Default: the bank's headline splits.")
    ] = None,
    bank: RunBankOption = None,
    mix: MixOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare runs in pairs: headline differences with intervals, adjusted p values and what could have been found."""
    from vehbench_hf.analysis.compare import compare_runs
    from vehbench_hf.runlog.differences import require_comparable

    compared = runs_to_compare(runs, bank)
    first = compared[0].bank
    result = compare_runs(
        compared,
        convention=convention or first.convention,
        headline_splits=first.headline_splits if split is None else read_splits(split),
        differing=require_comparable(compared, mix=mix),
    )
    if as_json:
        print_json(result)
    else:
        _print(result)


def _print(result: "CompareResult") -> None:
    """The table of differences and what must be known to read it."""
    terminal = console(150)
    names = _short_names(result["runs"])
    for run in result["runs"]:
        agrees = " | ".join(f"{name} {run['agrees'][name]}" for name in ("bank", "prompts", "protocol", "scorer"))
        terminal.print(f"{names[run['run']]}: {run['run']}  ({agrees} | {result['convention']})")
    for line in result["differing"]:
        terminal.print(f"not comparable, compared all the same (--mix): {line}")
    table = Table(
        "probe", "A", "B", "n", "A value", "B value", "B - A", "95 % interval", "p (Holm)", "detectable", "moved"
    )
    for entry in result["comparisons"]:
        moved = entry["moved"]
        table.add_row(
            entry["probe"].upper(),
            names[entry["first"]],
            names[entry["second"]],
            str(entry["n"]),
            *(number(value) for value in entry["values"]),
            number(entry["difference"], sign="+"),
            interval(entry["interval"], sign="+"),
            number(entry["p_adjusted"]),
            number(entry["detectable"]),
            "" if moved is None else f"{moved['up']} up, {moved['down']} down, {moved['same']} same",
        )
    terminal.print(table)
    method = result["method"]
    terminal.print(
        f"Intervals over {method['clusters']}. p: {method['p_value']}; {method['adjusted']}.\n"
        f"Detectable: {method['detectable']}.\n"
        f"Moved: tasks worth more or less in B; P1 by whether the action is right. Splits: "
        f"{', '.join(result['headline_splits'])}."
    )
    for entry in result["comparisons"]:
        if entry["undefined"]:
            pair = f"{entry['probe'].upper()} {names[entry['first']]}, {names[entry['second']]}"
            terminal.print(f"{pair}: {entry['undefined']}")
    for note in result["notes"]:
        terminal.print(f"note: {note}")


def _short_names(runs: "list[ComparedRun]") -> dict[str, str]:
    """The models' names where they differ, else the folders'."""
    models, folders = [run["model"] for run in runs], [Path(run["run"]).name for run in runs]
    for names in (models, folders):
        if len(set(names)) == len(runs):
            return {run["run"]: name for run, name in zip(runs, names, strict=True)}
    return {run["run"]: run["run"] for run in runs}
