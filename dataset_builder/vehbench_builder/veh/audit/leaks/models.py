"""Can the answer be read without physics? Lookups and unpruned trees learn on dev and are scored on the test splits."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from vehbench_builder.audit.gold import action_of, reference_of
from vehbench_builder.audit.report import Check, Figure, Finding, Findings, whole
from vehbench_builder.veh.audit.leaks.features import LOOKUPS, Key, table
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.types import Design, Probe, Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array, design_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

MOST_P1_ACCURACY = 0.65
"""Largest accuracy of a P1 shortcut; always proposing has 0.56."""
MOST_SOLVED = 0.15
"""Largest share of P2 or P3 test tasks that a design learned from dev may solve."""
ENOUGH = 30
"""Fewer dev or test tasks than this say nothing about a shortcut."""
TREES = 5
"""Trees that are averaged: where columns tie, a tree depends on its seed."""
SEED = 20


class AuditToolMissingError(UserError):
    """scikit-learn, which grows the trees, is not installed."""


def model_checks(bank: Bank) -> list[Check]:
    """The leak models of every probe. Raises AuditToolMissingError when scikit-learn is not installed."""
    checks: list[Check] = []
    for probe, check in (("p1", p1_shortcuts), ("p2", p2_shortcuts), ("p3", p3_shortcuts), ("p4", p4_shortcuts)):
        dev, test = _learn_and_test(bank, probe)
        few = f"{len(dev)} dev and {len(test)} test tasks are too few to learn from"
        enough = min(len(dev), len(test)) >= ENOUGH
        if enough:
            _trees()  # outside of the check, which would take its absence for a fault of the bank
        checks.append(whole(check, dev, test, unless=None if enough else few))
    return checks


def p1_shortcuts(dev: Sequence[Task], test: Sequence[Task]) -> Findings:
    """No lookup and no tree on public fields predicts the P1 action of the test splits in 65 % or more."""
    actions, truth = [action_of(t) for t in dev], [action_of(t) for t in test]
    yield Figure("majority action", majority(actions, truth))
    for name, accuracy in _accuracies(dev, test, actions, truth):
        yield Figure(f"action from {name}", accuracy)
        yield None if accuracy < MOST_P1_ACCURACY else f"{name} predicts {accuracy:.1%} of the actions"
    subtypes, its_truth = [t.subtype for t in dev], [t.subtype for t in test]
    yield Figure("majority subtype", majority(subtypes, its_truth))
    for name, accuracy in _accuracies(dev, test, subtypes, its_truth):
        yield Figure(f"subtype from {name}", accuracy)


def p2_shortcuts(dev: Sequence[Task], test: Sequence[Task]) -> Findings:
    """No place in the box learned on dev solves more than 15 % of the P2 test tasks."""
    yield from _learned_designs(dev, test)
    yield from _subtype_figures(dev, test)


def p3_shortcuts(dev: Sequence[Task], test: Sequence[Task]) -> Findings:
    """No place in the box learned on dev solves more than 15 % of the P3 test tasks."""
    yield from _learned_designs(dev, test)
    yield from _subtype_figures(dev, test)


def p4_shortcuts(dev: Sequence[Task], test: Sequence[Task]) -> Findings:
    """Neither profile and list order nor the designs without their metrics tell the best P4 candidate beyond chance."""
    winners, truth = [t.gold["ranking"][0] for t in dev], [t.gold["ranking"][0] for t in test]
    chance = majority(winners, truth)
    yield Figure("majority id", chance)
    # Three standard errors of a rate: what a rule that knows nothing reaches once in about 700 times.
    most = max(chance, 0.2) + 3 * sqrt(0.2 * 0.8 / len(truth))
    yield Figure("largest accuracy allowed", most)
    for name, key in _pool_keys().items():
        accuracy = lookup_accuracy([key(t) for t in dev], winners, [key(t) for t in test], truth)
        yield Figure(f"id from {name}", accuracy)
        yield None if accuracy <= most else f"{name} tells {accuracy:.1%} of the winners"
    accuracy = tree_accuracy(_pool_table(dev), winners, _pool_table(test), truth)
    yield Figure("id from a tree on the designs", accuracy)
    yield None if accuracy <= most else f"a tree on the designs tells {accuracy:.1%} of the winners"


def majority(learned: Sequence[str], truth: Sequence[str]) -> float:
    """Accuracy of the answer that is most frequent in `learned`."""
    return truth.count(_most_frequent(learned)) / len(truth)


def lookup_accuracy(
    keys: Sequence[Key], answers: Sequence[str], test_keys: Sequence[Key], truth: Sequence[str]
) -> float:
    """Accuracy of the most frequent answer per key; a key that was not learned gets the overall majority."""
    by_key: dict[Key, list[str]] = defaultdict(list)
    for key, answer in zip(keys, answers, strict=True):
        by_key[key].append(answer)
    fallback = _most_frequent(answers)
    given = [_most_frequent(by_key[key]) if key in by_key else fallback for key in test_keys]
    return sum(a == b for a, b in zip(given, truth, strict=True)) / len(truth)


def tree_accuracy(columns: Array, answers: Sequence[str], test_columns: Array, truth: Sequence[str]) -> float:
    """Mean accuracy of unpruned decision trees."""
    right = [
        np.mean(_trees().DecisionTreeClassifier(random_state=seed).fit(columns, answers).predict(test_columns) == truth)
        for seed in range(TREES)
    ]
    return float(np.mean(right))


def _accuracies(
    dev: Sequence[Task], test: Sequence[Task], answers: Sequence[str], truth: Sequence[str]
) -> Iterator[tuple[str, float]]:
    for name, key in LOOKUPS.items():
        keys, its_keys = [key(t.spec) for t in dev], [key(t.spec) for t in test]
        yield f"a lookup of {name}", lookup_accuracy(keys, answers, its_keys, truth)
    columns = _table(dev, test)
    yield "a tree on all public numbers", tree_accuracy(columns[: len(dev)], answers, columns[len(dev) :], truth)


def _learned_designs(dev: Sequence[Task], test: Sequence[Task]) -> Iterator[Finding]:
    """Where in the box the anchor or the reference lies, as the mean over dev and as a tree on public numbers."""
    columns = _table(dev, test)
    for what, design in (("anchor", _anchor), ("reference", _reference)):
        known = [i for i, task in enumerate(dev) if design(task) is not None]
        if len(known) < ENOUGH:
            yield Figure(f"solved by the learned place of the {what}", None)
            continue
        places = np.array([_place(dev[i], design(dev[i]) or {}) for i in known])
        guesses = {"mean": np.tile(places.mean(axis=0), (len(test), 1))}
        tree = _trees().DecisionTreeRegressor(random_state=SEED).fit(columns[known], places)
        guesses["tree"] = tree.predict(columns[len(dev) :])
        for how, guess in guesses.items():
            solved = sum(_solves(task, place) for task, place in zip(test, guess, strict=True)) / len(test)
            yield Figure(f"solved by the {how} place of the {what}", solved)
            fault = f"the {how} place of the {what}, learned on dev, solves {solved:.1%} of the test tasks"
            yield None if solved <= MOST_SOLVED else fault


def _subtype_figures(dev: Sequence[Task], test: Sequence[Task]) -> Iterator[Figure]:
    """How well the subtype can be told from the brief; it is no answer, and is reported only."""
    subtypes, truth = [t.subtype for t in dev], [t.subtype for t in test]
    columns = _table(dev, test)
    accuracy = tree_accuracy(columns[: len(dev)], subtypes, columns[len(dev) :], truth)
    yield Figure("majority subtype", majority(subtypes, truth))
    yield Figure("subtype from a tree on the brief without history", accuracy)


def _pool_keys() -> dict[str, Callable[[Task], Key]]:
    """What of a pool can be read without comparing metrics."""
    keys: dict[str, Callable[[Task], Key]] = {
        "the profile": lambda task: (task.spec["profile"] or "",),
        "the order of the list": lambda task: tuple(c["id"] for c in task.spec["candidates"]),
    }
    for variable in VARIABLES:
        for extreme, choose in (("largest", max), ("smallest", min)):
            keys[f"profile and {extreme} {variable}"] = _extreme_key(variable, choose)
    return keys


def _extreme_key(variable: str, choose: Callable[..., Any]) -> Callable[[Task], Key]:
    def key(task: Task) -> Key:
        best = choose(task.spec["candidates"], key=lambda candidate: candidate["design"][variable])
        return (task.spec["profile"] or "", str(best["id"]))

    return key


def _pool_table(tasks: Sequence[Task]) -> Array:
    """Profile and the places of all candidates in their box, in the order of the list."""
    profiles = ("performance_first", "balanced", "reliability_first")
    rows = []
    for task in tasks:
        places = [_place(task, c["design"]) for c in task.spec["candidates"]]
        rows.append([*(float(task.spec["profile"] == name) for name in profiles), *np.concatenate(places)])
    return np.array(rows)


def _table(dev: Sequence[Task], test: Sequence[Task]) -> Array:
    return table([t.spec for t in (*dev, *test)], np.random.default_rng(SEED))[1]


def _place(task: Task, design: Design) -> Array:
    return places_of(problem_of_brief(task.spec), design)


def _solves(task: Task, place: Array) -> bool:
    problem = problem_of_brief(task.spec)
    return problem.judge(design_at(problem, np.clip(place, 0.0, 1.0))).feasible


def _learn_and_test(bank: Bank, probe: Probe | str) -> tuple[list[Task], list[Task]]:
    tasks = [task for task in bank.tasks if task.probe == probe]
    return [t for t in tasks if t.split == "dev"], [t for t in tasks if t.split in ("test_id", "test_ood")]


def _anchor(task: Task) -> Design | None:
    return task.gold["anchor_design"]


def _reference(task: Task) -> Design | None:
    return reference_of(task)["design"]


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
