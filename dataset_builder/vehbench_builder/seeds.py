"""Randomness of the builder: one generator for each thing that is drawn, from a hash of what it is."""

import hashlib

import numpy as np

BUILDER_VERSION = "2.0"
"""Part of every seed: a builder that draws differently gets another version."""


def rng(*what: object) -> np.random.Generator:
    """The generator for one item, for instance rng(0, "p2", "dev", "resonance_tuned", "sna2019", 3).

    Equal arguments give equal draws on every machine; no draw depends on the order in which items are built.
    """
    text = "/".join([BUILDER_VERSION, *map(str, what)])
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")))
