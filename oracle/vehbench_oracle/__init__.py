"""The physics of vehbench: an analytical oracle for cantilever piezoelectric energy harvesters.

Start with `cantilever.respond` (the formulas) and `verdict.judge` (limits and feasibility). What is possible in a box
of designs: `optimum.find_optimum` searches, `certify.certify` proves, `verify.verify_certificate` checks a proof.
"""

from vehbench_oracle.errors import InvalidValueError, MissingVariableError, OracleError, UnknownMaterialError
from vehbench_oracle.quantities import Box
from vehbench_oracle.veh.cantilever import Response, respond
from vehbench_oracle.veh.fingerprint import oracle_fingerprint
from vehbench_oracle.veh.optimum import Optimum, find_optimum
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.certificate import Certificate, CertificateError
from vehbench_oracle.veh.proof.certify import Margin, certify, proven_margin
from vehbench_oracle.veh.proof.verify import verify_certificate
from vehbench_oracle.veh.quantities import DECLARED_DOMAIN, LIMITS, METRICS, VARIABLES
from vehbench_oracle.veh.verdict import feasible, judge, slacks
from vehbench_oracle.verdict import Verdict, Violation, box_violations, unevaluable

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
    "Response",
    "UnknownMaterialError",
    "VehProblem",
    "Verdict",
    "Violation",
    "box_violations",
    "certify",
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
