"""`vehbench verify`: the scores of a run or a published record, computed again from its log."""

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    note: Annotated[
        Path | None, typer.Option(help="Add the result of --rerun to this file, for `vehbench leaderboard --reruns`.")
    ] = None,
) -> None:
    """Recompute every score. Leaves with 1 and the differing numbers when they are not those stated."""
    from vehbench_hf.hub.fetch import fetch
    from vehbench_hf.hub.run_check import run_differences
    from vehbench_hf.hub.verification import check_record, row_differences

    with tempfile.TemporaryDirectory(prefix="vehbench-verify-") as folder:
        if Path(place).is_dir():
            record, what, log = None, place, Path(place)
            opened = bank_of(log, bank)
            lines, signs = run_differences(log, opened)
        else:
            record, own_log, rows = fetch(place, Path(folder))
            what, log = f"record {record['id']} of {record['model_id']}", log or own_log
            opened = open_bank(bank or _bank_for(record))
            checked = check_record(record, log, opened)
            lines, signs = checked.differences or row_differences(record, rows), list(checked.signs)
        for line in (*lines, *(f"sign: {sign}" for sign in signs)):
            typer.echo(line)
        typer.echo(f"{what}: {f'{len(lines)} differences' if lines else 'every number follows from the log'}")
        typer.echo("Nothing is proven." if lines else PROVES)
        if signs:
            typer.echo("A sign is no proof; it says what an honest run of this model would not show.")
        if rerun:
            _rerun(log, opened, rerun, model or (_model_of(record) if record else None), record, note)
        if lines:
            raise typer.Exit(1)


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


def _rerun(
    log: Path, bank: Bank, count: int, model: str | None, record: "SubmittedRecord | None", note: Path | None
) -> None:
    from vehbench_cli.rerun import rerun_tasks

    agreement = rerun_tasks(log, bank, count, model)
    gap = "undefined" if agreement.mean_difference is None else f"{agreement.mean_difference:.4f}"
    alike = f"{agreement.same} of {agreement.asked} tasks with the same outcome and value"
    typer.echo(
        f"rerun with {agreement.model}: {alike}, mean difference {gap}. Engines differ between machines; this is no "
        "proof."
    )
    if note is not None and record is not None and agreement.asked:
        text = f"{alike}, asked of {agreement.model} on {datetime.now(UTC).date().isoformat()}"
        line = {"record": record["id"], "asked": agreement.asked, "same": agreement.same, "text": text}
        with note.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
