"""Task ids that say nothing: a running number within probe and split, in an order drawn from the seed."""

from collections.abc import Sequence
from typing import TypeVar

from vehbench_builder.seeds import rng
from vehbench_hf.types import Probe

T = TypeVar("T")


def numbered(items: Sequence[T], *, seed: int, probe: Probe, split: str) -> list[tuple[str, T]]:
    """The items of one probe and split in the order of their ids, each with its id."""
    order = rng(seed, probe, split, "order").permutation(len(items))
    return [(f"v2::{probe}::{split}::{number:04d}", items[i]) for number, i in enumerate(order, start=1)]
