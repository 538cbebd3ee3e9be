"""One table of every quantity that crosses the harvester oracle's border: symbol, unit, meaning.

Prompts, verdicts and error texts take their units and words from here, so that they cannot disagree.
"""

from vehbench_oracle.quantities import Limit, Objective, Quantity, Variable

_VARIABLES = (
    Variable("beam_length_mm", "L", "mm", "beam length from clamp to tip", 10.0, 200.0, spellings=("length", "l")),
    Variable("beam_width_mm", "b", "mm", "beam width", 1.0, 50.0, spellings=("width", "w", "b")),
    Variable(
        "substrate_thickness_um",
        "h_s",
        "um",
        "substrate layer thickness",
        50.0,
        2000.0,
        spellings=("h_s", "hs", "t_s", "ts"),
    ),
    Variable(
        "piezo_thickness_um",
        "h_p",
        "um",
        "piezoelectric layer thickness",
        5.0,
        500.0,
        spellings=("piezoelectric_thickness", "h_p", "hp", "t_p", "tp"),
    ),
    Variable(
        "tip_mass_g",
        "m_t",
        "g",
        "tip mass, 0 means none",
        0.0,
        20.0,
        spellings=("proof_mass", "mass", "m_t", "mt"),
    ),
    Variable(
        "load_resistance_ohm",
        "R_L",
        "ohm",
        "resistive load",
        100.0,
        1e7,
        log=True,
        spellings=("resistance", "r_load", "rload", "r_l", "rl", "r"),
    ),
)

VARIABLES: dict[str, Variable] = {variable.name: variable for variable in _VARIABLES}
"""The six design variables, in the order of (A-1), with the symbols of the paper's Table 8."""

DECLARED_DOMAIN: dict[str, tuple[float, float]] = {v.name: (v.low, v.high) for v in _VARIABLES}
"""Where the single-mode model is declared to hold. Values outside are accepted; only signs are checked."""

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

_LIMITS = (
    Limit("stress_limit_mpa", "tip_stress_mpa", "upper", 50.0, "MPa", "largest bending stress"),
    Limit("disp_limit_mm", "tip_disp_mm", "upper", 5.0, "mm", "largest tip displacement"),
    Limit("freq_error_pct_limit", "freq_error_pct", "upper", 5.0, "%", "largest frequency error"),
    Limit("power_target_uw", "load_power_uw", "lower", 1.0, "uW", "smallest load power"),
)

LIMITS: dict[str, Limit] = {limit.name: limit for limit in _LIMITS}
"""The four task limits of (A-21); the values are the paper's defaults given below (A-22)."""

UPPER_LIMITS: tuple[str, ...] = tuple(name for name, limit in LIMITS.items() if limit.upper)
"""The limits on stress, displacement and frequency error: all but the power target."""

OBJECTIVE = Objective("load_power_uw", "uW", "larger", "load power", "power", "power_uw", "upper_bound_uw")
"""The average power in the load."""
