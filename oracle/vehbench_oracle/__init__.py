"""The physics of vehbench: an analytical oracle for cantilever piezoelectric energy harvesters.

Start with `cantilever.respond` (the formulas) and `verdict.judge` (limits and feasibility).
"""

from vehbench_oracle.cantilever import Response, respond
from vehbench_oracle.errors import InvalidValueError, MissingVariableError, OracleError, UnknownMaterialError
from vehbench_oracle.fingerprint import oracle_fingerprint
from vehbench_oracle.quantities import DECLARED_DOMAIN, LIMITS, METRICS, VARIABLES
from vehbench_oracle.verdict import (
    Box,
    Verdict,
    Violation,
    box_violations,
    feasible,
    judge,
    slacks,
    unevaluable,
)

__all__ = [
    "DECLARED_DOMAIN",
    "LIMITS",
    "METRICS",
    "VARIABLES",
    "Box",
    "InvalidValueError",
    "MissingVariableError",
    "OracleError",
    "Response",
    "UnknownMaterialError",
    "Verdict",
    "Violation",
    "box_violations",
    "feasible",
    "judge",
    "oracle_fingerprint",
    "respond",
    "slacks",
    "unevaluable",
]
