"""`vehbench publish`: the dataset, the metric Spaces and the results dataset on the Hub."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.options import BankOption, JobsOption, PushOption
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank
from vehbench_hf.hub.names import DATASET, PUBLISHED_BANK, HubError
from vehbench_hf.paths import shipped


def publish_command(
    org: Annotated[str, typer.Option("--org", envvar="VEHBENCH_ORG", help="Organisation or user on the Hub.")],
    push: PushOption = False,
    bank: BankOption = DEFAULT_BANK,
    eval_yaml: Annotated[
        bool,
        typer.Option(
            "--eval-yaml/--no-eval-yaml",
            help="With eval.yaml, which the Hub takes once it knows the framework id vehbench.",
        ),
    ] = True,
    jobs: JobsOption = 1,
) -> None:
    """Publish the benchmark. Lists files, sizes and hashes; refuses when the audit or a card fails."""
    from vehbench_builder.audit.all_checks import audit_bank
    from vehbench_builder.documents.export import write_dataset
    from vehbench_hf.hub.publication import EVAL_YAML, card_problems, plan_publication, push_publication

    opened = open_bank(bank)
    if opened.version != PUBLISHED_BANK:
        raise HubError(f"what is published is bank {PUBLISHED_BANK}; {opened.path} is {opened.version}.")
    typer.echo("auditing the bank ...", err=True)
    report = audit_bank(opened, jobs=jobs)
    if report.failed:
        typer.echo(report.as_text(), err=True)
    with tempfile.TemporaryDirectory(prefix="vehbench-publish-") as folder:
        dataset = Path(folder) / DATASET
        write_dataset(opened, dataset)
        if eval_yaml:
            shutil.copyfile(shipped(f"cards/{EVAL_YAML}"), dataset / EVAL_YAML)
        repos = plan_publication(org, dataset, Path(folder))
        for repo in repos:
            typer.echo(f"{repo.repo_type} {repo.repo_id}: {len(repo.files)} files")
            for file in repo.files:
                typer.echo(f"  {file.sha256}  {file.size:>9}  {file.path}")
        problems = card_problems(repos)
        for problem in problems:
            typer.echo(f"problem: {problem}", err=True)
        if problems or report.failed:
            typer.echo("nothing was uploaded: the audit or a card failed.", err=True)
            raise typer.Exit(1)
        if not push:
            typer.echo("The Spaces install vehbench-hf from the package index; they do not start before it is there.")
            typer.echo("dry run: nothing was uploaded. Add --push to upload.")
            return
        for address in push_publication(repos):
            typer.echo(address)
