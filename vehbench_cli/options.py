"""Options that several commands share, and reading lists such as `p1,p2`."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

import typer

from vehbench_hf.bank.bank import DEFAULT_BANK
from vehbench_hf.errors import UserError

BankOption = Annotated[
    str,
    typer.Option(
        "--bank", envvar="VEHBENCH_BANK", help="Task bank: a folder, or one of v2, v1 (after vehbench import), sample."
    ),
]

__all__ = ["DEFAULT_BANK", "BankOption", "read_list"]

T = TypeVar("T", bound=str)


def read_list(text: str, known: Sequence[T], option: str) -> tuple[T, ...]:
    """Comma-separated names, in the order of `known`; "all" means every one. Raises UserError for an unknown name."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    if wanted == ["all"]:
        return tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise UserError(f"{option} takes names from {', '.join(known)}, separated by commas; got {text[:60]!r}.")
    return tuple(name for name in known if name in wanted)
