"""`vehbench import`: bank v1 and the authors' logs as run folders."""

from pathlib import Path
from typing import Annotated

import typer

from vehbench_cli.options import ReleaseArgument
from vehbench_hf.paths import cache_dir


def import_command(
    release: ReleaseArgument,
    out: Annotated[
        Path | None, typer.Option(help="Where to write. Default: the user's cache, so that --bank v1 works.")
    ] = None,
) -> None:
    """Write bank v1 from the authors' release, and each of their logs as a run folder below runs/."""
    from vehbench_hf.paper.release.importer import import_release

    summary = import_release(release, out or cache_dir() / "v1")
    tasks = ", ".join(f"{probe} {count}" for probe, count in summary.counts.items())
    typer.echo(f"bank v1: {sum(summary.counts.values())} tasks ({tasks}) in {summary.out}")
    for name, records in summary.runs.items():
        typer.echo(f"log {name}: {records} episodes in {summary.out / 'runs' / name}")
    for note in summary.notes:
        typer.echo(f"note: {note}")
