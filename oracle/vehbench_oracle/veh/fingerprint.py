"""A hash of what the oracle computes, so that a run log can tell whether the physics has changed under it."""

import hashlib
from functools import cache

import numpy as np

from vehbench_oracle.veh.cantilever import respond
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE
from vehbench_oracle.veh.quantities import DECLARED_DOMAIN, LIMITS, METRICS


@cache
def oracle_fingerprint() -> str:
    """SHA-256 of the oracle's outputs on a fixed grid, all material pairs, at 9 significant digits.

    Behaviour, not source text: comments do not change it, a changed constant does. Nine digits leave room for
    the last bits in which processors and numpy versions differ.
    """
    grid = {name: np.linspace(low, high, 7)[1:-1] for name, (low, high) in DECLARED_DOMAIN.items()}
    digest = hashlib.sha256(repr({name: limit.value for name, limit in LIMITS.items()}).encode())
    for piezo in PIEZO:
        for substrate in SUBSTRATE:
            response = respond(grid, frequency_hz=60.0, acceleration_g=0.5, piezo=piezo, substrate=substrate)
            for metric in METRICS:
                digest.update(" ".join(f"{value:.9g}" for value in getattr(response, metric)).encode())
    return digest.hexdigest()
