"""Proofs by branch and bound that no design of a problem meets its limits with some power or more."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.checks import finite, positive
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.box_bounds import enclose_under
from vehbench_oracle.veh.proof.certificate import (
    AMPLITUDE,
    ELECTRICAL,
    EMPTY,
    LEAVES,
    MAX_NODES,
    MECHANICAL,
    SPLITS,
    Certificate,
)
from vehbench_oracle.veh.proof.features import Array, Facts, facts_under, root_box

MAX_BOXES = 40_000
LADDER = (0.01, 0.02, 0.05, 0.10)
ROOM = 1e-7
"""A sub-box is excluded with this to spare, so that whoever checks it may round otherwise."""
WIDTH_WEIGHT = 0.3
"""What a wide sub-box costs, beside what is missing to exclude it, when a cut is chosen: without it the search cuts in
vain where no single cut brings a bound closer."""
CHUNK = 400
"""Sub-boxes handled at a time; each is tried with ten halves."""


class Margin(NamedTuple):
    """Proven: no design exceeds `(1 + share)` times the reference power."""

    share: float
    certificate: Certificate


def certify(
    problem: VehProblem, target_uw: float, *, max_boxes: int = MAX_BOXES, seconds: float | None = None
) -> Certificate | None:
    """Prove that no design of the box meets the upper limits with a load power of `target_uw` or more.

    None when that is not proven with `max_boxes` sub-boxes (500 000 at most); it may still be true. Equal arguments
    give equal bytes; `seconds` is an additional stop for whoever cannot wait, and makes None depend on the machine. The
    power target among the problem's limits is not used. Raises InvalidValueError for a target that is not finite and
    positive.
    """
    positive("target_uw", finite("target_uw", target_uw))
    deadline = None if seconds is None else time.monotonic() + seconds
    facts = facts_under(problem)
    low, high = root_box(facts[0])
    if not np.all((low > 0) & (high < np.inf)):
        return None  # the box is so wide that its features overflow
    low, high = low[:, np.newaxis], high[:, np.newaxis]
    target_w = 1e-6 * target_uw
    leaf, _ = _judge(facts, low, high, target_w)
    budget = min(max_boxes, MAX_NODES)
    tree = _Tree(budget)
    tree.write([0], leaf)
    open_ids = np.flatnonzero(leaf == 0)
    while open_ids.size:
        if tree.size + 2 * open_ids.size > budget or (deadline is not None and time.monotonic() > deadline):
            return None
        parts = [
            _halve(facts, low[:, i : i + CHUNK], high[:, i : i + CHUNK], target_w)
            for i in range(0, open_ids.size, CHUNK)
        ]
        low, high, leaf, cut = (np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True))
        children = tree.cut(open_ids, cut)
        tree.write(children, leaf)
        alive = leaf == 0
        open_ids, low, high = children[alive], low[:, alive], high[:, alive]
    return Certificate(float(target_uw), tree.text())


def proven_margin(
    problem: VehProblem, reference_uw: float, ladder: Sequence[float] = LADDER, *, max_boxes: int = MAX_BOXES
) -> Margin | None:
    """The smallest share of `ladder` by which no design is proven to exceed `reference_uw`, or None for none of them.

    Raises InvalidValueError for a reference power that is not finite and positive.
    """
    for share in sorted(ladder):
        certificate = certify(problem, (1 + share) * reference_uw, max_boxes=max_boxes)
        if certificate is not None:
            return Margin(share, certificate)
    return None


def _judge(facts: Sequence[Facts], low: Array, high: Array, target_w: float) -> tuple[NDArray[np.uint8], Array]:
    """The letter that excludes each sub-box, 0 for none, and how much work it looks like."""
    known = enclose_under(facts, low, high)
    leaf = np.zeros(low.shape[1], dtype=np.uint8)
    within = np.minimum(known.mechanical, known.electrical)
    for letter, holds in (
        (ELECTRICAL, known.electrical * (1 + ROOM) < target_w),
        (MECHANICAL, known.mechanical * (1 + ROOM) < target_w),
        (AMPLITUDE, known.amplitude > 1 + ROOM),
        (EMPTY, known.gap > ROOM),
    ):
        leaf[holds] = ord(letter)
    with np.errstate(all="ignore"):  # an unknown bound is as far above the target as can be
        above_target = np.where(np.isfinite(within), 1 - target_w / within, 1.0)
    to_exclude = np.fmin(above_target, 1 - known.amplitude)
    return leaf, np.where(leaf > 0, 0.0, to_exclude + WIDTH_WEIGHT * known.spread)


def _halve(
    facts: Sequence[Facts], low: Array, high: Array, target_w: float
) -> tuple[Array, Array, NDArray[np.uint8], NDArray[np.intp]]:
    """The halves of sub-boxes by the cut that leaves least work: ends, letters, and the feature that was cut.

    Halves of one sub-box stand side by side. The cut is given once a sub-box.
    """
    features, n = low.shape
    middle = np.sqrt(low * high)
    lows = np.broadcast_to(low[:, np.newaxis, :, np.newaxis], (features, features, n, 2)).copy()
    highs = np.broadcast_to(high[:, np.newaxis, :, np.newaxis], (features, features, n, 2)).copy()
    for i in range(features):
        highs[i, i, :, 0] = middle[i]
        lows[i, i, :, 1] = middle[i]
    leaf, work = _judge(facts, lows.reshape(features, -1), highs.reshape(features, -1), target_w)
    total = work.reshape(features, n, 2).sum(axis=2)
    total[high <= low * (1 + ROOM)] = np.inf
    cut = np.argmin(total, axis=0)
    rows = np.arange(n)
    return (
        lows[:, cut, rows].reshape(features, -1),
        highs[:, cut, rows].reshape(features, -1),
        leaf.reshape(features, n, 2)[cut, rows].reshape(-1),
        cut,
    )


class _Tree:
    """Letters of the nodes in the order in which they were made, and where the children of a node begin."""

    def __init__(self, room: int) -> None:
        self.size = 1
        self._letters = np.zeros(max(1, room), dtype=np.uint8)
        self._children = np.zeros(max(1, room), dtype=np.int64)

    def write(self, nodes: Sequence[int] | NDArray[np.intp], letters: NDArray[np.uint8]) -> None:
        self._letters[nodes] = letters

    def cut(self, nodes: NDArray[np.intp], features: NDArray[np.intp]) -> NDArray[np.intp]:
        """Cut nodes by features and return the new children, two for each in turn."""
        self._letters[nodes] = np.frombuffer(SPLITS.encode(), dtype=np.uint8)[features]
        children = self.size + np.arange(2 * nodes.size)
        self._children[nodes] = children[::2]
        self.size += children.size
        return children

    def text(self) -> str:
        letters, children = self._letters[: self.size].tobytes().decode(), self._children
        out, stack = [], [0]
        while stack:
            node = stack.pop()
            out.append(letters[node])
            if letters[node] not in LEAVES:
                stack += [int(children[node]) + 1, int(children[node])]
        return "".join(out)
