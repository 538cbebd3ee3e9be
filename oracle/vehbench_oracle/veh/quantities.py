"""One table of every quantity that crosses the oracle's border: symbol, unit, meaning.

Prompts, verdicts and error texts take their units and words from here, so that they cannot disagree.
"""

from typing import NamedTuple


class Quantity(NamedTuple):
    """Symbol of the paper's Table 8, unit as exposed in task files, meaning in a few words."""

    symbol: str
    unit: str
    meaning: str


class LimitKind(NamedTuple):
    """A task limit: the metric it bounds, the side, and the paper's default when a task omits it."""

    metric: str
    upper: bool
    unit: str
    default: float
    meaning: str


VARIABLES: dict[str, Quantity] = {
    "beam_length_mm": Quantity("L", "mm", "beam length from clamp to tip"),
    "beam_width_mm": Quantity("b", "mm", "beam width"),
    "substrate_thickness_um": Quantity("h_s", "um", "substrate layer thickness"),
    "piezo_thickness_um": Quantity("h_p", "um", "piezoelectric layer thickness"),
    "tip_mass_g": Quantity("m_t", "g", "tip mass, 0 means none"),
    "load_resistance_ohm": Quantity("R_L", "ohm", "resistive load"),
}
"""The six design variables, in the order of (A-1)."""

METRICS: dict[str, Quantity] = {
    "resonant_freq_hz": Quantity("f_r", "Hz", "first resonance of the beam with its tip mass"),
    "freq_error_pct": Quantity(
        "eta_f", "%", "distance of the resonance from the excitation frequency, in percent of the latter"
    ),
    "load_power_uw": Quantity("P", "uW", "average power in the load"),
    "tip_stress_mpa": Quantity("sigma", "MPa", "bending stress amplitude at the clamped end, substrate face"),
    "tip_disp_mm": Quantity("W", "mm", "tip displacement amplitude"),
}
"""What the verifier reports about a design."""

LIMITS: dict[str, LimitKind] = {
    "stress_limit_mpa": LimitKind("tip_stress_mpa", True, "MPa", 50.0, "largest bending stress"),
    "disp_limit_mm": LimitKind("tip_disp_mm", True, "mm", 5.0, "largest tip displacement"),
    "freq_error_pct_limit": LimitKind("freq_error_pct", True, "%", 5.0, "largest frequency error"),
    "power_target_uw": LimitKind("load_power_uw", False, "uW", 1.0, "smallest load power"),
}
"""The four task limits of (A-21) with the defaults given below (A-22)."""

DECLARED_DOMAIN: dict[str, tuple[float, float]] = {
    "beam_length_mm": (10.0, 200.0),
    "beam_width_mm": (1.0, 50.0),
    "substrate_thickness_um": (50.0, 2000.0),
    "piezo_thickness_um": (5.0, 500.0),
    "tip_mass_g": (0.0, 20.0),
    "load_resistance_ohm": (100.0, 1e7),
}
"""Where the single-mode model is declared to hold. Values outside are accepted; only signs are checked."""
