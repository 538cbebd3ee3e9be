"""How small a true difference a comparison could have found."""

from statistics import NormalDist

POWER = 0.8
LEVEL_OF_TEST = 0.05


def smallest_detectable(standard_error: float, *, level: float = LEVEL_OF_TEST, power: float = POWER) -> float:
    """(z(1 - level/2) + z(power)) times the standard error of the difference; 2.80 of them by default.

    A true difference of this size is found by a two-sided test at `level` in the share `power` of such comparisons. One
    test, a normal difference: with Holm's adjustment over several tests the detectable difference is larger.
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * standard_error
