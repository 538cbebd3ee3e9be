"""Options that several commands share, and reading lists such as `p1,p2`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from vehbench_hf.bank.bank import DEFAULT_BANK
from vehbench_hf.errors import UserError
from vehbench_hf.types import Convention

__all__ = [
    "DEFAULT_BANK",
    "BankOption",
    "ConventionOption",
    "JobsOption",
    "JsonOption",
    "ReleaseArgument",
    "RunBankOption",
    "RunsBankOption",
    "read_list",
]

BankOption = Annotated[
    str,
    typer.Option(
        "--bank", envvar="VEHBENCH_BANK", help="Task bank: a folder, or one of v2, v1 (after vehbench import)."
    ),
]
RunBankOption = Annotated[str | None, typer.Option("--bank", help="Where the run's bank is, if it has moved.")]
RunsBankOption = Annotated[str | None, typer.Option("--bank", help="Where the runs' bank is, if it has moved.")]
ConventionOption = Annotated[
    Convention | None,
    typer.Option("--convention", help="Metric convention for all runs. Default: that of the first run's bank."),
]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Processes.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
ReleaseArgument = Annotated[Path, typer.Argument(help="Folder of the authors' release.")]

Name = TypeVar("Name", bound=str)


def read_list(text: str, known: Sequence[Name], option: str) -> tuple[Name, ...]:
    """Comma-separated names, in the order of `known`; "all" means every one. Raises UserError for an unknown name."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    if wanted == ["all"]:
        return tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise UserError(f"{option} takes names from {', '.join(known)}, separated by commas; got {text[:60]!r}.")
    return tuple(name for name in known if name in wanted)
