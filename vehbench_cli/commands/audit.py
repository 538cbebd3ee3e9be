"""`vehbench audit`: every label, certificate, leak and split of a bank checked again."""

from typing import Annotated

import typer

from vehbench_cli.options import JobsOption, JsonOption
from vehbench_cli.tables import print_json
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank


def audit_command(
    bank: Annotated[str, typer.Argument(help="Task bank: a folder or a name.")] = DEFAULT_BANK,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Check what a bank says about its tasks. Leaves with 1 when anything fails."""
    from vehbench_builder.audit.all_checks import audit_bank

    report = audit_bank(open_bank(bank), jobs=jobs)
    if as_json:
        print_json(report.as_json())
    else:
        typer.echo(report.as_text())
    if report.failed:
        raise typer.Exit(1)
