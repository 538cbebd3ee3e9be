"""`vehbench build`: bank v2, or fresh training tasks, with every statement certified."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import TaskID

from vehbench_cli.options import JobsOption
from vehbench_cli.progress import progress_bars
from vehbench_hf.errors import UserError


def build_command(
    out: Annotated[Path, typer.Option(help="Where to write the bank.")] = Path("bank"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn; 0 is the published bank.")] = 0,
    per_anchor: Annotated[
        int | None, typer.Option(min=1, help="Fresh tasks a probe and anchor (with --split train).")
    ] = None,
    split: Annotated[
        Literal["published", "train"], typer.Option(help="The published splits, or fresh tasks from dev anchors only.")
    ] = "published",
    jobs: JobsOption = 1,
) -> None:
    """Build a bank. A stopped build goes on with the same command; the same command gives the same bytes."""
    if (split == "train") != (per_anchor is not None):
        raise UserError("fresh tasks need both --split train and --per-anchor K; the published bank needs neither.")
    if split == "published" and seed:
        raise UserError("the published bank has seed 0; others are for fresh tasks (--split train --per-anchor K).")
    from vehbench_builder.build import build_bank
    from vehbench_builder.build_spec import BuildSpec

    bank = build_bank(BuildSpec(seed, per_anchor, split == "train"), out, jobs=jobs, progress=_Progress())
    counts = ", ".join(f"{probe} {count}" for probe, count in bank["counts"].items())
    typer.echo(f"bank {bank['version']}: {counts} in {out}; check it with `vehbench audit {out}`")


class _Progress:
    """A bar a probe; the ends are told in a pipe, too."""

    def __init__(self) -> None:
        self._progress = progress_bars()
        self._bars: dict[str, TaskID] = {}

    def __call__(self, probe: str, done: int, total: int) -> None:
        if probe not in self._bars:
            self._progress.start()
            self._bars[probe] = self._progress.add_task(probe, total=total, note="")
        self._progress.update(self._bars[probe], completed=done)
        if done == total:
            self._progress.stop()
            typer.echo(f"{probe}: {total} units done", err=True)
