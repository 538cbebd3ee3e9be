"""Options that several commands share, and reading lists such as `p1,p2`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from vehbench_hf.errors import UserError
from vehbench_hf.types import ALL_SPLITS, Convention, Split

BankOption = Annotated[
    str,
    typer.Option(
        "--bank", envvar="VEHBENCH_BANK", help="Task bank: a folder, or one of v2, v1 (after vehbench import)."
    ),
]
RunBankOption = Annotated[str | None, typer.Option("--bank", help="Where the bank of the run is, if it has moved.")]
ConventionOption = Annotated[
    Convention | None,
    typer.Option(
        help="Metrics as the paper's text defines them, or as the authors computed them. Default: that of the first "
        "run's bank."
    ),
]
RunArgument = Annotated[Path, typer.Argument(help="Run folder.")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Processes.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
MixOption = Annotated[bool, typer.Option("--mix", help="Take runs whose scores are not comparable all the same.")]
PushOption = Annotated[bool, typer.Option("--push", help="Send. Without it nothing leaves this machine.")]
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


def read_splits(text: str) -> tuple[Split, ...]:
    """Splits as `read_list` reads them, where "test" stands for both test splits."""
    names = ("test_id,test_ood" if name.strip() == "test" else name for name in text.split(","))
    return read_list(",".join(names), ALL_SPLITS, "--split")
