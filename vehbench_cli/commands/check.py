"""`vehbench check`: is a design feasible under a task's brief, or under one of the user's own?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.lookup import task_of
from vehbench_cli.options import BankOption
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank
from vehbench_hf.domains import DEFAULT_DOMAIN, DOMAINS
from vehbench_hf.errors import UserError
from vehbench_hf.types import Spec
from vehbench_hf.user_files.brief import read_brief
from vehbench_hf.user_files.check import as_text, check, design_from
from vehbench_hf.user_files.safe_yaml import read_text

EXAMPLE = {name: box["max"] for name, box in DOMAINS[DEFAULT_DOMAIN].examples[0]["variable_bounds"].items()}
"""A design for the help: the upper end of every range of a brief."""


def check_command(
    design: Annotated[
        str,
        typer.Argument(help=f"JSON or YAML file with the six variables, or JSON in place: '{json.dumps(EXAMPLE)}'."),
    ],
    task: Annotated[str | None, typer.Option("--task", help="Judge under the brief of this task.")] = None,
    brief: Annotated[
        Path | None, typer.Option("--brief", help="Judge under this brief: YAML with units in the keys.")
    ] = None,
    bank: BankOption = DEFAULT_BANK,
) -> None:
    """Judge a design: verdict, slack to each limit and violations in words.

    Leaves with 0 when the design is feasible, with 1 when it is not. cards/example_brief.yaml of the repository shows
    how a brief is written.
    """
    spec, words = _brief(task, brief, bank)
    checked = check(spec, design_from(design))
    typer.echo(as_text(spec, checked, words))
    if not checked.verdict.feasible:
        raise typer.Exit(1)


def _brief(task: str | None, brief: Path | None, bank: str) -> tuple[Spec, str]:
    if (task is None) == (brief is None):
        raise UserError("give either --task ID or --brief FILE: a design is feasible only under a brief.")
    if brief is not None:
        return read_brief(read_text(brief), f"the brief {brief}"), str(brief)
    opened = open_bank(bank)
    return task_of(opened, str(task)).spec, f"{task} of bank {opened.version}"
