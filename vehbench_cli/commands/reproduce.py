"""`vehbench reproduce`: the paper's tables from the authors' release, cell by cell."""

from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.options import JsonOption, ReleaseArgument
from vehbench_cli.tables import print_json


def reproduce_command(
    release: ReleaseArgument,
    published: Annotated[
        Path | None, typer.Option(help="Published numbers. Default: those that ship with vehbench.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the published tables and compare every cell at its printed precision.

    Row logs are used where they give a cell, else the authors' aggregates, else other printed tables. The three are
    counted apart; a table from printed inputs says nothing about logs.
    """
    from vehbench_hf.paper.reproduce import render, reproduce

    result = reproduce(release, published)
    if as_json:
        print_json(result.as_json())
    else:
        typer.echo(render(result))
