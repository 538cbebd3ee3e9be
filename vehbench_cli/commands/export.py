"""`vehbench export`: a bank as a folder that `load_dataset("vehbench", "p2")` reads."""

from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.options import BankOption
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank


def export_command(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write: new, or an earlier export.")] = Path(
        "vehbench"
    ),
    bank: BankOption = DEFAULT_BANK,
) -> None:
    """Write a bank as a folder for `datasets`, with card, manifest, Croissant file, licence and the metric modules."""
    from vehbench_builder.documents.export import export_bank

    opened = open_bank(bank)
    done = export_bank(opened, out)
    typer.echo(
        f"{'replaced' if done.replaced else 'wrote'} {done.folder}: bank {opened.version}, {len(done.files)} files"
    )
    name = done.folder.name
    typer.echo(f'in {done.folder.parent}: load_dataset("{name}", "p2"), evaluate.load("{name}/p4_tau")')
    typer.echo(f'from anywhere:  load_dataset("{done.folder}", "p2")')
