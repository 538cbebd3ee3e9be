"""Random problems of every kind: near resonance and far from it, tight and loose limits, all materials."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, VehProblem, respond
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE


def random_problem(seed: int) -> VehProblem:
    """A box around a random device of the declared domain, with limits around the device's own amplitudes."""
    draw = np.random.default_rng(seed)
    device, bounds = {}, {}
    for name in VARIABLES:
        low, high = DECLARED_DOMAIN[name]
        value = (
            0.0 if low == 0 and draw.random() < 0.3 else float(np.exp(draw.uniform(np.log(low or 0.01), np.log(high))))
        )
        factor = float(draw.choice([1.0, 1.05, 1.5, 3.0]))
        device[name] = value
        bounds[name] = {"min": value / factor, "max": value * factor if value else float(draw.choice([0.0, 0.5]))}
    setting: dict[str, Any] = {
        "acceleration_g": float(draw.uniform(0.05, 2)),
        "piezo": str(draw.choice(sorted(PIEZO))),
        "substrate": str(draw.choice(sorted(SUBSTRATE))),
        "damping_ratio": float(draw.choice([0.003, 0.01, 0.05])),
    }
    resonance = float(respond(device, frequency_hz=1.0, **setting).resonant_freq_hz)
    setting["frequency_hz"] = resonance * float(draw.choice([0.3, 0.9, 0.97, 1.0, 1.02, 1.3, 4.0]))
    own = respond(device, **setting)
    limits = {
        "stress_limit_mpa": float(own.tip_stress_mpa) * float(draw.choice([0.3, 1.1, 10])),
        "disp_limit_mm": float(own.tip_disp_mm) * float(draw.choice([0.3, 1.1, 10])),
        "freq_error_pct_limit": float(own.freq_error_pct) * float(draw.choice([1.02, 3])) + 0.5,
    }
    return VehProblem(bounds=bounds, constraints=limits, **setting)


@pytest.fixture(scope="session")
def make_problem() -> Callable[[int], VehProblem]:
    """`random_problem`, by seed."""
    return random_problem
