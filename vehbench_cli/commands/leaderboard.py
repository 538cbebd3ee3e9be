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
) -> None:
    """Verify every record and write index.html and board.json. What does not follow from its log is left out."""
    from vehbench_hf.hub.leaderboard import read_results, write_board

    board = read_results(results, open_bank(bank), on_progress=lambda line: typer.echo(line, err=True))
    for file in write_board(board, out):
        typer.echo(file)
    typer.echo(f"{len(board.records)} records verified, {len(board.left_out)} left out")
