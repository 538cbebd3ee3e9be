"""Can the answer be read without physics? Lookups and unpruned trees learn on dev and are scored on the test splits."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from vehbench_builder.audit.gold import action_of, gold_designs
from vehbench_builder.audit.report import Check, Figure, Findings, whole
from vehbench_builder.veh.audit import composition
from vehbench_builder.veh.audit.leaks.features import LOOKUPS, Key, table
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.types import Probe, Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array, design_at, places_of

MOST_P1_ACCURACY = 0.65
"""Largest accuracy of a P1 shortcut; always proposing has 0.56."""
MOST_SOLVED = 0.15
"""Largest share of P2 or P3 test tasks that a design learned from dev may solve."""
ENOUGH = 30
"""Fewer dev or test tasks than this say nothing about a shortcut."""
TREES = 5
"""Trees that are averaged: where columns tie, a tree depends on its seed."""
SEED = 20
Tasks = Sequence[Task]


class AuditToolMissingError(UserError):
    """scikit-learn, which grows the trees, is not installed."""


def model_checks(bank: Bank) -> list[Check]:
    """The leak models of every probe. Raises AuditToolMissingError when scikit-learn is not installed."""
    checks: list[Check] = []
    models: dict[Probe, Callable[..., Findings]]
    models = {"p1": p1_shortcuts, "p2": p2_shortcuts, "p3": p3_shortcuts, "p4": p4_shortcuts}
    for probe, check in models.items():
        dev, test = bank.select((probe,), ("dev",)), bank.select((probe,), ("test_id", "test_ood"))
        enough = min(len(dev), len(test)) >= ENOUGH
        if enough:
            _trees()  # outside of the check, which would take its absence for a fault of the bank
        few = f"{len(dev)} dev and {len(test)} test tasks are too few to learn from"
        checks.append(whole(check, dev, test, unless=None if enough else few))
    return checks


def p1_shortcuts(dev: Tasks, test: Tasks) -> Findings:
    """No lookup and no tree on public fields predicts the P1 action of the test splits in 65 % or more."""
    for name, accuracy in _accuracies(dev, test, "action", action_of):
        yield Figure(name, accuracy)
        if name != "majority action":
            yield None if accuracy < MOST_P1_ACCURACY else f"{accuracy:.1%} of the {name}"
    for name, accuracy in _accuracies(dev, test, "subtype", _subtype):
        yield Figure(name, accuracy)


def p2_shortcuts(dev: Tasks, test: Tasks) -> Findings:
    """No place in the box learned on dev solves more than 15 % of the P2 test tasks."""
    yield from _learned_designs(dev, test)


def p3_shortcuts(dev: Tasks, test: Tasks) -> Findings:
    """No place in the box learned on dev solves more than 15 % of the P3 test tasks."""
    yield from _learned_designs(dev, test)


def p4_shortcuts(dev: Tasks, test: Tasks) -> Findings:
    """Neither profile and list order nor the designs without their metrics tell the best P4 candidate beyond chance."""
    winners, truth = [t.gold["ranking"][0] for t in dev], [t.gold["ranking"][0] for t in test]
    chance = majority(winners, truth)
    yield Figure("majority id", chance)
    # Three standard errors of a rate: what a rule that knows nothing reaches once in about 700 times.
    most = max(chance, 0.2) + 3 * sqrt(0.2 * 0.8 / len(truth))
    yield Figure("largest accuracy allowed", most)
    accuracies = {
        name: lookup_accuracy([key(t) for t in dev], winners, [key(t) for t in test], truth)
        for name, key in POOL_KEYS.items()
    }
    accuracies["a tree on the designs"] = tree_accuracy(_pool_table(dev), winners, _pool_table(test), truth)
    for name, accuracy in accuracies.items():
        yield Figure(f"id from {name}", accuracy)
        yield None if accuracy <= most else f"{name} tells {accuracy:.1%} of the winners"


def majority(learned: Sequence[str], truth: Sequence[str]) -> float:
    """Accuracy of the answer that is most frequent in `learned`: a lookup with one key for all."""
    return lookup_accuracy([()] * len(learned), learned, [()] * len(truth), truth)


def lookup_accuracy(
    keys: Sequence[Key], answers: Sequence[str], test_keys: Sequence[Key], truth: Sequence[str]
) -> float:
    """Accuracy of the most frequent answer per key; a key that was not learned gets the overall majority."""
    by_key: dict[Key, list[str]] = defaultdict(list)
    for key, answer in zip(keys, answers, strict=True):
        by_key[key].append(answer)
    given = [_most_frequent(by_key.get(key, answers)) for key in test_keys]
    return sum(a == b for a, b in zip(given, truth, strict=True)) / len(truth)


def tree_accuracy(columns: Array, answers: Sequence[str], test_columns: Array, truth: Sequence[str]) -> float:
    """Mean accuracy of unpruned decision trees."""
    grown = [_trees().DecisionTreeClassifier(random_state=seed).fit(columns, answers) for seed in range(TREES)]
    return float(np.mean([tree.score(test_columns, truth) for tree in grown]))


def _accuracies(dev: Tasks, test: Tasks, what: str, label: Callable[[Task], str]) -> Iterator[tuple[str, float]]:
    """How often a label is told by the majority, by each lookup and by trees, by name."""
    answers, truth = [label(t) for t in dev], [label(t) for t in test]
    yield f"majority {what}", majority(answers, truth)
    for name, key in LOOKUPS.items():
        keys, test_keys = [key(t.spec) for t in dev], [key(t.spec) for t in test]
        yield f"{what} from a lookup of {name}", lookup_accuracy(keys, answers, test_keys, truth)
    columns, test_columns = _tables(dev, test)
    yield f"{what} from a tree on all public numbers", tree_accuracy(columns, answers, test_columns, truth)


def _learned_designs(dev: Tasks, test: Tasks) -> Findings:
    """Where in the box the anchor or the reference lies, as the mean over dev and as a tree on public numbers.

    How well the subtype can be told from the brief is no answer, and is reported only.
    """
    columns, test_columns = _tables(dev, test)
    for what in ("anchor design", "reference"):
        known = [i for i, task in enumerate(dev) if what in gold_designs(task)]
        if len(known) < ENOUGH:
            yield Figure(f"solved by the learned place of the {what}", None)
            continue
        places = np.array([places_of(dev[i].problem, gold_designs(dev[i])[what]) for i in known])
        tree = _trees().DecisionTreeRegressor(random_state=SEED).fit(columns[known], places)
        guesses = {"mean": np.tile(places.mean(axis=0), (len(test), 1)), "tree": tree.predict(test_columns)}
        for how, guess in guesses.items():
            solved = sum(_solves(task, place) for task, place in zip(test, guess, strict=True)) / len(test)
            yield Figure(f"solved by the {how} place of the {what}", solved)
            fault = f"the {how} place of the {what}, learned on dev, solves {solved:.1%} of the test tasks"
            yield None if solved <= MOST_SOLVED else fault
    subtypes, truth = [t.subtype for t in dev], [t.subtype for t in test]
    yield Figure("majority subtype", majority(subtypes, truth))
    accuracy = tree_accuracy(columns, subtypes, test_columns, truth)
    yield Figure("subtype from a tree on the brief without history", accuracy)


def _profile(task: Task) -> Key:
    return (task.spec["profile"] or "",)


def _extreme(variable: str, choose: Callable[..., Any], task: Task) -> Key:
    best = choose(task.spec["candidates"], key=lambda candidate: candidate["design"][variable])
    return (*_profile(task), str(best["id"]))


POOL_KEYS: dict[str, Callable[[Task], Key]] = {
    "the profile": _profile,
    "the order of the list": lambda task: tuple(c["id"] for c in task.spec["candidates"]),
    **{f"profile and largest {name}": partial(_extreme, name, max) for name in VARIABLES},
    **{f"profile and smallest {name}": partial(_extreme, name, min) for name in VARIABLES},
}
"""What of a pool can be read without comparing metrics."""


def _pool_table(tasks: Tasks) -> Array:
    """Profile and the places of all candidates in their box, in the order of the list."""
    rows = []
    for task in tasks:
        places = [places_of(task.problem, c["design"]) for c in task.spec["candidates"]]
        rows.append([*(task.spec["profile"] == name for name in composition.PROFILES), *np.concatenate(places)])
    return np.array(rows, dtype=float)


def _tables(dev: Tasks, test: Tasks) -> tuple[Array, Array]:
    """The public numbers of both."""
    columns = table([t.spec for t in (*dev, *test)], np.random.default_rng(SEED))[1]
    return columns[: len(dev)], columns[len(dev) :]


def _solves(task: Task, place: Array) -> bool:
    return task.problem.judge(design_at(task.problem, np.clip(place, 0.0, 1.0))).feasible


def _subtype(task: Task) -> str:
    return task.subtype


def _most_frequent(answers: Sequence[str]) -> str:
    counts = Counter(answers)
    return min(counts, key=lambda answer: (-counts[answer], answer))


def _trees() -> Any:
    try:
        from sklearn import tree
    except ImportError:
        raise AuditToolMissingError(
            "the audit grows decision trees with scikit-learn, which is not installed; "
            'install it with `pip install "vehbench-hf[audit]"`.'
        ) from None
    return tree
