"""`vehbench audit`: every label, certificate, leak and split of a bank checked again."""

from typing import Annotated

import typer

from vehbench_cli.options import JobsOption, JsonOption
from vehbench_cli.tables import print_json
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank


def audit_command(
    bank: Annotated[str, typer.Argument(help="Task bank: a folder or a name.")] = DEFAULT_BANK,
    jobs: JobsOption = 1,
    physics: Annotated[
        bool, typer.Option("--physics", help="Report how far the labels carry beyond the oracle, instead.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check what a bank says about its tasks. Leaves with 1 when anything fails."""
    if physics:
        return _report_physics(bank, as_json=as_json)
    from vehbench_builder.audit.all_checks import audit_bank

    report = audit_bank(open_bank(bank), jobs=jobs)
    if as_json:
        print_json(report.as_json())
    else:
        typer.echo(report.as_text())
    if report.failed:
        raise typer.Exit(1)


def _report_physics(bank: str, *, as_json: bool) -> None:
    """By domain, the report on its tasks under other models; it fails nothing."""
    from vehbench_builder.domains import DOMAINS

    tasks = open_bank(bank).tasks
    of_domains = {name: [task for task in tasks if task.domain == name] for name in DOMAINS}
    reports = {name: DOMAINS[name].physics(chosen) for name, chosen in of_domains.items() if chosen}
    if as_json:
        print_json({name: report.as_json() for name, report in reports.items()})
    else:
        typer.echo("\n\n".join(report.as_text() for report in reports.values()))
