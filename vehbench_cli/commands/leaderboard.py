"""`vehbench leaderboard`: a static page from verified records only."""

from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.options import BankOption
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank


def leaderboard_command(
    results: Annotated[Path, typer.Argument(help="A copy of the results dataset: a folder with records and logs.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the page.")],
    bank: BankOption = DEFAULT_BANK,
    submitters: Annotated[
        Path | None,
        typer.Option(help="Who sent which record, as JSON {ID: NAME}. Of one submitter's records the later counts."),
    ] = None,
    replace: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="Show the record NEW in the place of OLD.")
    ] = None,
    reruns: Annotated[
        Path | None, typer.Option(help="What a second party found, as `vehbench verify --rerun --note` wrote it.")
    ] = None,
) -> None:
    """Verify every record and write index.html and board.json. What does not follow from its log is left out."""
    from vehbench_hf.hub.leaderboard import read_owner, read_results, write_board

    owner = read_owner(submitters, reruns, replace or ())
    board = read_results(results, open_bank(bank), owner, on_progress=lambda line: typer.echo(line, err=True))
    for old, by, why in board.displaced:
        typer.echo(f"{old['id']} of {old['model_id']} is replaced by {by}: {why}", err=True)
    for entry in board.entries:
        for sign in entry.signs:
            typer.echo(f"{entry.id} of {entry.record['model_id']} is flagged: {sign}", err=True)
    for file in write_board(board, out):
        typer.echo(file)
    flagged = sum(entry.tier == "flagged" for entry in board.entries)
    typer.echo(
        f"{len(board.entries)} records verified, {len(board.left_out)} left out, {len(board.displaced)} replaced, "
        f"{flagged} flagged"
    )
