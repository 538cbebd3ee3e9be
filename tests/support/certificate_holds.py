"""Whether a certificate proves its statement, as a yes or no."""

from vehbench_oracle import Certificate, CertificateError, VehProblem, verify_certificate


def certificate_holds(problem: VehProblem, target_uw: float, certificate: Certificate | str) -> bool:
    """Whether `verify_certificate` finds nothing wrong."""
    try:
        verify_certificate(problem, target_uw, certificate)
    except CertificateError:
        return False
    return True
