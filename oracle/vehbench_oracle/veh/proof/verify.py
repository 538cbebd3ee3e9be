"""A check of certificates that shares no code with the search that finds them.

It replays the cuts from the problem's own box, so that the leaves cover all designs, and derives for each leaf, in
interval arithmetic, the bound that its letter names. `certificate` has the form, `interval_model` the bounds.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.certificate import SPLITS, Certificate, CertificateError
from vehbench_oracle.veh.proof.interval_model import RangeModel

Array = NDArray[np.float64]
Ends = tuple[float, ...]

CHUNK = 10_000


def verify_certificate(problem: VehProblem, target_uw: float, certificate: Certificate | str) -> int:
    """Check that no design of the box meets the upper limits with `target_uw` or more; return the number of leaves.

    A certificate for a smaller power proves the statement too. Raises CertificateError when the certificate cannot be
    read, speaks of a larger power, is not one whole tree, or at the first leaf that its letter does not exclude.
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.parse(certificate)
    if not certificate.target_uw <= target_uw:
        raise CertificateError(f"the certificate is about {certificate.target_uw} uW, asked was {target_uw} uW")
    model = RangeModel(problem)
    places, low, high = _leaves(certificate.tree, *model.root())
    for i in range(0, len(places), CHUNK):
        part = places[i : i + CHUNK]
        proven = model.excluded(low[:, i : i + CHUNK], high[:, i : i + CHUNK], 1e-6 * certificate.target_uw)
        for j, place in enumerate(part):
            letter = certificate.tree[place]
            if not proven[letter][j]:
                raise CertificateError(f"letter {place + 1}, {letter!r}, does not exclude its part of the box")
    return len(places)


def _leaves(tree: str, low: Ends, high: Ends) -> tuple[list[int], Array, Array]:
    """Where the leaves stand in the tree, and the ends of their features, shape (5, leaves)."""
    places: list[int] = []
    lows: list[Ends] = []
    highs: list[Ends] = []
    stack = [(low, high)]
    for place, letter in enumerate(tree):
        if not stack:
            raise CertificateError(f"the tree is complete after {place} of {len(tree)} letters")
        low, high = stack.pop()
        i = SPLITS.find(letter)
        if i < 0:
            places.append(place)
            lows.append(low)
            highs.append(high)
            continue
        cut = math.sqrt(low[i] * high[i])
        stack.append(((*low[:i], cut, *low[i + 1 :]), high))
        stack.append((low, (*high[:i], cut, *high[i + 1 :])))
    if stack:
        raise CertificateError(f"the tree breaks off: {len(stack)} parts of the box are missing")
    return places, np.array(lows).T, np.array(highs).T
