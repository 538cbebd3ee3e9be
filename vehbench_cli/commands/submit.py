"""`vehbench submit`: a run as a submission to the Hub. Without `--push` it is only written and shown."""

from pathlib import Path
from typing import Annotated

import typer
from filelock import FileLock

from vehbench_cli.lookup import bank_of
from vehbench_cli.options import PushOption, RunArgument, RunBankOption
from vehbench_cli.tables import print_json

MODEL_ID_HELP = "The model on the Hub as ORG/MODEL. For a model behind an API: a name of that form, and --results-only."


def submit_command(
    run: RunArgument,
    model_id: Annotated[str, typer.Option("--model-id", help=MODEL_ID_HELP)],
    org: Annotated[
        str, typer.Option("--org", envvar="VEHBENCH_ORG", help="Who publishes the dataset and the results.")
    ] = "vehbench",
    push: PushOption = False,
    results_only: Annotated[
        bool, typer.Option("--results-only", help="The model has no repository on the Hub.")
    ] = False,
    bank: RunBankOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the submission. Default: RUN/submission.")] = None,
) -> None:
    """Check a run, score it from its log, and write what a submission consists of."""
    from vehbench_hf.hub.push import push_submission
    from vehbench_hf.hub.submission import eval_path, make_submission

    opened = bank_of(run, bank)
    # Two at a time would write into one folder and open two pull requests.
    with FileLock(run / "submission.lock"):
        made = make_submission(run, opened, model_id, org, out or run / "submission")
        if not results_only:
            typer.echo(f"--- {eval_path()}")
            typer.echo((made.model / eval_path()).read_text(encoding="utf-8"))
        for file in sorted(made.results.rglob("*")):
            if file.is_file():
                typer.echo(f"--- results: {file.relative_to(made.results).as_posix()} ({file.stat().st_size} bytes)")
        print_json(made.record)
        for sign in made.signs:
            typer.echo(f"warning: {sign}", err=True)
        if not push:
            typer.echo(f"dry run: written to {made.folder}, nothing was sent. Add --push to open pull requests.")
            return
        for address in push_submission(made, model_repository=not results_only):
            typer.echo(address)
