"""`vehbench experiment`: the effect of one changed rule, from runs that differ in nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from vehbench_cli.lookup import bank_of
from vehbench_cli.options import ConventionOption, JsonOption, RunBankOption
from vehbench_cli.tables import console, interval, number, print_json
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import load_run


def experiment_command(
    kind: Annotated[
        Literal["intervention", "control"],
        typer.Argument(help="intervention: P3 runs with and without a change. control: runs under control prompts."),
    ],
    runs: Annotated[list[Path], typer.Argument(help="Run folders; for an intervention the plain one first.")],
    probe: Annotated[Literal["p1", "p2", "p3", "p4"], typer.Option(help="The cell of a control experiment.")] = "p3",
    convention: ConventionOption = None,
    bank: RunBankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Paired effects of another history, feedback or control prompt. No model is called."""
    from vehbench_hf.analysis.experiments import CELLS, cell_effects, intervention_effects

    opened = bank_of(runs[0], bank)
    if any(bank_of(run, bank).fingerprint != opened.fingerprint for run in runs[1:]):
        raise UserError("the runs are of different banks; an effect needs the same tasks.")
    arms = [load_run(run, opened) for run in runs]
    if kind == "control":
        effects = cell_effects(CELLS[probe], arms, opened, convention=convention)
    elif len(arms) == 2:
        effects = intervention_effects(arms[0], arms[1], opened, convention=convention)
    else:
        raise UserError(f"an intervention takes two runs, the plain one and the changed one; got {len(arms)}.")
    if as_json:
        print_json(effects)
    else:
        _print(effects)


def _print(result: Mapping[str, Any]) -> None:
    terminal = console()
    terminal.print(f"{result['probe'].upper()} on {result['tasks']} tasks of {result['bank']}, {result['convention']}")
    table = Table("from", "to", "part", "n", "first", "second", "difference", "95 % interval", "p")
    for effect in result["effects"]:
        table.add_row(
            str(effect.get("from", result.get("first"))),
            str(effect.get("to", result.get("second"))),
            effect["part"],
            str(effect["n"]),
            *(number(effect[name]) for name in ("first", "second", "difference")),
            interval(effect["interval"]),
            number(effect["p_value"]),
        )
    terminal.print(table)
    for effect in result["effects"]:
        if effect["undefined"]:
            terminal.print(f"{effect['part']}: {effect['undefined']}")
    terminal.print(f"Interval and p value over {result['method']['clusters']}; p {result['method']['p_value']}.")
