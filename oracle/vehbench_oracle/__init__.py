"""The physics of vehbench: an analytical oracle for cantilever piezoelectric energy harvesters.

Start with `cantilever.respond` (the formulas) and `verdict.judge` (limits and feasibility). What is possible in a box
of designs: `optimum.find_optimum` searches, `certify.certify` proves, `verify.verify_certificate` checks a proof.
"""

from vehbench_oracle.errors import InvalidValueError, MissingVariableError, OracleError, UnknownMaterialError
from vehbench_oracle.evolution import cross_check, disagreement
from vehbench_oracle.veh.cantilever import Response, respond
from vehbench_oracle.veh.fingerprint import oracle_fingerprint
from vehbench_oracle.veh.optimum import Optimum, find_optimum
from vehbench_oracle.veh.problem import Problem
from vehbench_oracle.veh.proof.certificate import Certificate, CertificateError
from vehbench_oracle.veh.proof.certify import Margin, certify, proven_margin
from vehbench_oracle.veh.proof.verify import certificate_holds, verify_certificate
from vehbench_oracle.veh.quantities import DECLARED_DOMAIN, LIMITS, METRICS, VARIABLES
from vehbench_oracle.veh.verdict import (
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
    "Certificate",
    "CertificateError",
    "InvalidValueError",
    "Margin",
    "MissingVariableError",
    "Optimum",
    "OracleError",
    "Problem",
    "Response",
    "UnknownMaterialError",
    "Verdict",
    "Violation",
    "box_violations",
    "certificate_holds",
    "certify",
    "cross_check",
    "disagreement",
    "feasible",
    "find_optimum",
    "judge",
    "oracle_fingerprint",
    "proven_margin",
    "respond",
    "slacks",
    "unevaluable",
    "verify_certificate",
]
