"""Runs drawn at random on the papers of bank v2: every paper has its own difficulty, every task its own luck."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import beta, norm

from vehbench_hf.bank.bank import open_bank
from vehbench_hf.scoring import cluster, p1, p2, p3, p4
from vehbench_hf.scoring.score import CodedRows
from vehbench_hf.scoring.values import Array, row_mean
from vehbench_hf.types import Probe, Task

LIKE_MODELS = 0.6
"""Rank correlation, about, of the difficulty of papers for two models."""


@cache
def papers(probe: Probe) -> dict[str, list[Task]]:
    """The tasks of the headline by paper."""
    bank, by_paper = open_bank("v2"), dict[str, list[Task]]()
    for task in bank.select([probe], bank.headline_splits):
        by_paper.setdefault(cluster(task), []).append(task)
    return by_paper


@dataclass(frozen=True)
class Design:
    """Some papers with their tasks, drawn once: clusters by row and, for P1, what is right and the subtype."""

    probe: Probe
    clusters: list[str]
    tasks: list[Task]

    @classmethod
    def of(cls, probe: Probe, number: int | None, rng: np.random.Generator) -> "Design":
        """All papers of the headline, or so many of them; more than there are, with repetition."""
        names = list(papers(probe))
        if number is not None:
            names = [names[i] for i in rng.choice(len(names), number, replace=number > len(names))]
        listed = [(f"{place} {name}", task) for place, name in enumerate(names) for task in papers(probe)[name]]
        return cls(probe, [name for name, _ in listed], [task for _, task in listed])


def draw_run(
    design: Design, mean: float, icc: float, rng: np.random.Generator, ranks: Array | None = None
) -> CodedRows:
    """The coded rows of a run that gets about the share `mean` of full marks.

    `icc` is the share of the variance that lies between papers; `ranks` (K,) in (0, 1) say how easy each
    paper is; drawn unless given, so that two runs can share them.
    """
    names, index = np.unique(design.clusters, return_inverse=True)
    ranks = rng.random(len(names)) if ranks is None else ranks
    scale = (1 - icc) / icc
    easy = np.clip(beta.ppf(ranks, mean * scale, (1 - mean) * scale), 1e-9, 1 - 1e-9)[index]
    return _DRAW[design.probe](design, easy, rng)


def shared_ranks(design: Design, rng: np.random.Generator) -> tuple[Array, Array]:
    """How easy each paper is for two models that find much the same hard."""
    number = len(set(design.clusters))
    common, own = rng.standard_normal(number), rng.standard_normal((2, number))
    first, second = norm.cdf(np.sqrt(LIKE_MODELS) * common + np.sqrt(1 - LIKE_MODELS) * own)
    return first, second


def _triage(design: Design, easy: Array, rng: np.random.Generator) -> CodedRows:
    """Right with the chance `easy`, else one of the three other answers."""
    names = sorted({task.subtype for task in design.tasks})
    cells = np.zeros((len(easy), len(names), 3, 4))
    gold = [p1.ACTIONS.index(task.gold["action"]) for task in design.tasks]
    taken = [
        g if hit else (g + 1 + rng.integers(p1.NO_CLASS)) % 4
        for g, hit in zip(gold, rng.random(len(easy)) < easy, strict=True)
    ]
    for row, task in enumerate(design.tasks):
        cells[row, names.index(task.subtype), gold[row], taken[row]] = 1
    correct = row_mean(g == t for g, t in zip(gold, taken, strict=True))
    return p1.Rows(cells.reshape(len(easy), -1), tuple(names), correct)


def _search(design: Design, easy: Array, rng: np.random.Generator) -> CodedRows:
    """Feasible twice as often as the ratio is high, then a ratio above 0."""
    feasible = np.minimum(2 * easy, 1)
    ratio = easy / feasible
    values = (rng.random(len(easy)) < feasible) * rng.beta(3 * ratio, np.maximum(3 - 3 * ratio, 1e-6))
    return p2.Rows([], row_mean(values.tolist()), "defined")


def _recovery(design: Design, easy: Array, rng: np.random.Generator) -> CodedRows:
    return p3.Rows([], row_mean((rng.random(len(easy)) < easy).tolist()), "defined")


def _ranking(design: Design, easy: Array, rng: np.random.Generator) -> CodedRows:
    """Taus of five candidates: ten pairs, of which a share is in order."""
    return p4.Rows([], row_mean((np.round(10 * rng.beta(4 * easy, 4 - 4 * easy)) / 5 - 1).tolist()))


_DRAW = {"p1": _triage, "p2": _search, "p3": _recovery, "p4": _ranking}
