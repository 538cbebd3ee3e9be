"""Randomness of the builder: one generator for each thing that is drawn, from a hash of what it is.

Task ids say nothing either: a running number within probe and split, in an order drawn from the seed.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from vehbench_hf.types import Probe

T = TypeVar("T")

BUILDER_VERSION = "2.0"
"""Part of every seed: a builder that draws differently gets another version."""


def rng(*what: object) -> np.random.Generator:
    """The generator for one item, for instance rng(0, "p2", "dev", "resonance_tuned", "sna2019", 3).

    Equal arguments give equal draws on every machine; no draw depends on the order in which items are built.
    """
    text = "/".join([BUILDER_VERSION, *map(str, what)])
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")))


def numbered(items: Sequence[T], *, seed: int, probe: Probe, split: str) -> list[tuple[str, T]]:
    """The items of one probe and split in the order of their ids, each with its id."""
    order = rng(seed, probe, split, "order").permutation(len(items))
    return [(f"v2::{probe}::{split}::{number:04d}", items[i]) for number, i in enumerate(order, start=1)]
