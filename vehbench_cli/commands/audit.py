"""`vehbench audit`: every label, certificate, leak and split of a bank checked again."""

import json
from typing import Annotated

import typer

from vehbench_cli.options import DEFAULT_BANK, JobsOption, JsonOption
from vehbench_hf.bank.bank import open_bank


def audit_command(
    bank: Annotated[str, typer.Argument(help="Task bank: a folder or a name.")] = DEFAULT_BANK,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Check what a bank says about its tasks. Leaves with 1 when anything fails."""
    from vehbench_builder.audit.all_checks import audit_bank

    report = audit_bank(open_bank(bank), jobs=jobs)
    typer.echo(json.dumps(report.as_json(), indent=1, ensure_ascii=False) if as_json else report.as_text())
    if report.failed:
        raise typer.Exit(1)
