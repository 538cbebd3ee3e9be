"""Where things lie: the user's cache, and the files that ship with the package."""

import os
from pathlib import Path

from vehbench_hf.errors import UserError


def cache_dir() -> Path:
    """`$VEHBENCH_HOME`, else `vehbench` under the user's cache folder. Not created here.

    Raises UserError for a user without a home folder, as in containers.
    """
    home = os.environ.get("VEHBENCH_HOME")
    if home:
        return Path(home)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vehbench"
    except RuntimeError:
        raise UserError("this user has no home folder; set VEHBENCH_HOME to a writable one, or give --out.") from None


def shipped(name: str) -> Path:
    """A file or folder that comes with the package, in an installed wheel or in a checkout.

    `cards/...` are texts and published numbers, `bank_v2` is the benchmark.
    """
    package = Path(__file__).parent
    places = (
        package / "_shipped",
        package.parent,
        package.parent / "vehbench_builder",
        package.parent / "dataset_builder" / "vehbench_builder",
    )
    existing = [place / name for place in places if (place / name).exists()]
    if not existing:
        raise FileNotFoundError(f"{name} is not part of this installation; looked in {', '.join(map(str, places))}")
    return existing[0]
