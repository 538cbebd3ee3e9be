"""Scoring a run folder for the terminal: which score it takes, and its table."""

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from vehbench_cli.table import print_scores
from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog import read_run_json
from vehbench_hf.scoring.folder import score_folder
from vehbench_hf.types import Convention


def score_and_print(
    folder: Path, bank: Bank, *, convention: Convention | None = None, as_json: bool = False
) -> dict[str, Any]:
    """Score a run of the probes or of the isomorphism audit, and print the scores as a table or as JSON."""
    isomorphic = bool(read_run_json(folder)["settings"].get("isomorphic"))
    if isomorphic:
        from vehbench_hf.isomorphic.scored_run import score_isomorphic_folder

        scores = score_isomorphic_folder(folder, bank)
    else:
        scores = score_folder(folder, bank, convention=convention)
    if as_json:
        typer.echo(json.dumps(scores, indent=1, ensure_ascii=False, allow_nan=False))
    elif isomorphic:
        _print_isomorphic(scores)
    else:
        print_scores(scores)
    return scores


def _print_isomorphic(scores: dict[str, Any]) -> None:
    console = Console(highlight=False, markup=False, width=None if Console().is_terminal else 120)
    console.print(f"{scores['model']}  ({scores['comparability']}), isomorphism audit")
    table = Table("form", "accuracy", "95 % interval", "n", "readable", "accuracy of readable", "unscored")
    for form, found in scores["forms"].items():
        table.add_row(
            form,
            _number(found["accuracy"]),
            _interval(found["interval"]),
            str(found["n"]),
            _number(found["read"]),
            _number(found["accuracy_read"]),
            str(found["unscored"] + found["missing"]),
        )
    console.print(table)
    gap = scores["sg_gap"]
    console.print(
        f"Selection minus generation: {_number(gap['value'])} ({_interval(gap['interval'])}), {gap['groups']} groups. "
        "One of five candidates is right by chance in 20 % of selections, a random design hardly ever; so part of the "
        "gap is chance."
    )
    for problem in scores["problems"]:
        console.print(f"warning: {problem}")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _interval(interval: list[float] | None) -> str:
    return "undefined" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"
