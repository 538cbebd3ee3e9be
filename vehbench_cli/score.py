"""`vehbench score`: metrics of a run, from its log alone."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from vehbench_cli.scored import score_and_print
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.errors import BankError
from vehbench_hf.runlog import read_run_json


def score_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    convention: Annotated[
        Literal["defined", "released"] | None,
        typer.Option(
            help="Metrics as the paper's text defines them, or as the authors computed them. Default: the bank's."
        ),
    ] = None,
    bank: Annotated[str | None, typer.Option(help="Where the run's bank is, if it has moved.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Score a run. No model is called; scores.json is written beside the log."""
    score_and_print(run, bank_of(run, bank), convention=convention, as_json=as_json)


def bank_of(run: Path, given: str | None) -> Bank:
    """The bank a run was made with, checked by its fingerprint. Raises BankError when it is another one."""
    info = read_run_json(run)
    bank = open_bank(given if given is not None else run.resolve() / info["bank"])
    if bank.fingerprint != info["settings"]["bank_fingerprint"]:
        raise BankError(
            f"{bank.path} ({bank.version}) is not the bank of {run}: its tasks differ. Give the right one with --bank."
        )
    return bank
