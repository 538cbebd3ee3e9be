"""`vehbench experiment`: the effect of one changed rule, from runs that differ in nothing else."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from vehbench_cli.score import bank_of
from vehbench_hf.errors import UserError
from vehbench_hf.types import Convention


def experiment_command(
    kind: Annotated[
        Literal["intervention", "control"],
        typer.Argument(help="intervention: P3 runs with and without a change. control: runs under control prompts."),
    ],
    runs: Annotated[list[Path], typer.Argument(help="Run folders; for an intervention the plain one first.")],
    probe: Annotated[Literal["p1", "p2", "p3", "p4"], typer.Option(help="The cell of a control experiment.")] = "p3",
    convention: Annotated[Convention | None, typer.Option(help="Default: the bank's.")] = None,
    bank: Annotated[str | None, typer.Option(help="Where the runs' bank is, if it has moved.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Paired effects of another history, feedback or control prompt. No model is called."""
    from vehbench_hf.analysis.arms import read_arm
    from vehbench_hf.analysis.controls import CELLS, cell_effects
    from vehbench_hf.analysis.intervention import intervention_effects

    opened = bank_of(runs[0], bank)
    if any(bank_of(run, bank).fingerprint != opened.fingerprint for run in runs[1:]):
        raise UserError("the runs are of different banks; an effect needs the same tasks.")
    arms = [read_arm(run, opened) for run in runs]
    if kind == "control":
        found = cell_effects(CELLS[probe], arms, opened, convention=convention)
    elif len(arms) == 2:
        found = intervention_effects(arms[0], arms[1], opened, convention=convention)
    else:
        raise UserError(f"an intervention takes two runs, the plain one and the changed one; got {len(arms)}.")
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
    console = Console(highlight=False, markup=False, width=None if Console().is_terminal else 120)
    console.print(f"{found['probe'].upper()} on {found['tasks']} tasks of {found['bank']}, {found['convention']}")
    table = Table("from", "to", "part", "n", "first", "second", "difference", "95 % interval", "p")
    for effect in found["effects"]:
        interval = effect["interval"]
        table.add_row(
            str(effect.get("from", found.get("first"))),
            str(effect.get("to", found.get("second"))),
            effect["part"],
            str(effect["n"]),
            *(_number(effect[name]) for name in ("first", "second", "difference")),
            "undefined" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}",
            _number(effect["p_value"]),
        )
    console.print(table)
    for effect in found["effects"]:
        if effect["undefined"]:
            console.print(f"{effect['part']}: {effect['undefined']}")
    console.print(
        f"Interval and p value: {found['method']['resamples']} resamples, {found['method']['drawn']}; p unadjusted."
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
