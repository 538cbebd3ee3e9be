"""`vehbench verify`: the scores of a run or a published record, computed again from its log."""

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vehbench_cli.lookup import bank_of
from vehbench_hf.bank.bank import DEFAULT_BANK, Bank, open_bank
from vehbench_hf.errors import UserError

if TYPE_CHECKING:
    from vehbench_hf.hub.submitted_record import SubmittedRecord

PROVES = (
    "This proves that the scores follow from the log, and that log and tasks are those of the record. It cannot prove "
    "who or what wrote the replies."
)


def verify_command(
    place: Annotated[
        str, typer.Argument(metavar="RUN|FILE|URL", help="Run folder, record file, or record on the Hub.")
    ],
    log: Annotated[
        Path | None, typer.Option(help="Check the record against this run folder instead of its log.")
    ] = None,
    bank: Annotated[
        str | None, typer.Option(help="Bank of the run: a folder or a name. Default: found by the run.")
    ] = None,
    rerun: Annotated[int, typer.Option(min=0, help="Also ask a model N tasks again and report the agreement.")] = 0,
    model: Annotated[
        str | None, typer.Option(help="Model of --rerun, as for `vehbench run`. Default: the one of the run.")
    ] = None,
) -> None:
    """Recompute every score. Leaves with 1 and the differing numbers when they are not those stated."""
    from vehbench_hf.hub.fetch import fetch
    from vehbench_hf.hub.verification import record_differences, row_differences

    with tempfile.TemporaryDirectory(prefix="vehbench-verify-") as folder:
        source = fetch(place, Path(folder))
        log = log or source.log
        if source.record is None:
            opened = bank_of(log, bank)
            differing = _against_own_scores(log, opened)
        else:
            opened = open_bank(bank or _bank_for(source.record))
            differing = record_differences(source.record, log, opened)
            differing = differing or (row_differences(source.record, source.rows) if source.rows else [])
        for line in differing:
            typer.echo(line)
        what = f"record {source.record['id']} of {source.record['model_id']}" if source.record else str(log)
        typer.echo(f"{what}: {f'{len(differing)} differences' if differing else 'every number follows from the log'}")
        typer.echo(PROVES)
        if rerun:
            _rerun(log, opened, rerun, model or (_model_of(source.record) if source.record else None))
        if differing:
            raise typer.Exit(1)


def _against_own_scores(log: Path, bank: Bank) -> list[str]:
    """A run that was not submitted: its scores.json against its log."""
    from vehbench_hf.hub.verification import score_differences
    from vehbench_hf.runlog import load_run
    from vehbench_hf.scoring import score_run

    try:
        stored: Any = json.loads((log / "scores.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"{log / 'scores.json'} cannot be read ({error}); make it with `vehbench score {log}`."
        ) from None
    if not isinstance(stored, dict):
        raise UserError(f"{log / 'scores.json'} holds no scores.")
    computed = score_run(load_run(log, bank), stored.get("convention"))
    return [*(f"log: {problem}" for problem in computed["problems"]), *score_differences(stored, computed)]


def _bank_for(record: "SubmittedRecord") -> str:
    """The name of the bank with the record's version, which is checked by its fingerprint afterwards."""
    from vehbench_hf.hub.names import PUBLISHED_BANK

    if record["bank"].get("version") != PUBLISHED_BANK:
        raise UserError(f"the record names bank {str(record['bank'].get('version'))[:40]!r}; give it with --bank.")
    return DEFAULT_BANK


def _model_of(record: "SubmittedRecord") -> str:
    """The model that a record names. Raises HubError for a path, since a record may come from anyone."""
    from vehbench_hf.hub.names import repository

    name = str(record["settings"].get("model"))
    kind, _, weights = name.partition("/")
    if kind in ("vllm", "hf"):
        repository(weights)
    return name


def _rerun(log: Path, bank: Bank, count: int, model: str | None) -> None:
    from vehbench_cli.rerun import rerun_tasks

    agreement = rerun_tasks(log, bank, count, model)
    gap = "undefined" if agreement.mean_difference is None else f"{agreement.mean_difference:.4f}"
    typer.echo(
        f"rerun with {agreement.model}: {agreement.same} of {agreement.asked} tasks with the same outcome and value, "
        f"mean difference {gap}. Engines differ between machines; this is no proof."
    )
