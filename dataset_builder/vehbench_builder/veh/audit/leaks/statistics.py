"""Statistics that give an answer away: wordings by class, places in the box, digits, orders of lists."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from vehbench_builder.audit.gold import action_of, gold_designs
from vehbench_builder.audit.report import Check, Figure, Findings, whole
from vehbench_builder.audit.text import sentences, significant_digits, without_numbers
from vehbench_builder.veh.audit.completions import stands_for_withheld
from vehbench_builder.veh.audit.leaks.features import note_wordings
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, Task
from vehbench_oracle import LIMITS, VARIABLES

ENOUGH = 6
"""Occurrences from which on a wording must be seen under two actions."""
ENOUGH_TASKS = 30
LEAST_P_VALUE = 0.01
"""Notes of one name whose rates by class are less likely than this under equal rates tell the class."""
CENTRED = 0.01
"""Distance from the middle of a range that counts as the middle."""
MOST_CENTRED = 0.10
"""Largest share of anchor or reference values that may lie in the middle of their range."""


def statistics_checks(bank: Bank) -> list[Check]:
    """All checks of rates, orders and places."""
    p1, placed = bank.select(("p1",)), bank.select(("p2", "p3"))
    few = None if len(p1) >= ENOUGH_TASKS else f"{len(p1)} tasks say nothing about rates"
    rates = (
        p1_wordings_under_two_actions,
        p1_note_rates_do_not_tell_the_action,
        p1_note_order_does_not_tell_the_action,
        p1_digits_do_not_tell_the_action,
    )
    return [*(whole(check, p1, unless=few) for check in rates), whole(anchors_do_not_sit_in_the_middle, placed)]


def p1_wordings_under_two_actions(tasks: Sequence[Task]) -> Findings:
    """Every sentence of a note that occurs six times or more occurs under two gold actions or more.

    Sentences about a field that their brief withholds are exempt: they are what P1 is about.
    """
    actions: dict[str, Counter[str]] = defaultdict(Counter)
    for task in tasks:
        for text in _free_wordings(task):
            actions[text][action_of(task)] += 1
    for text, counts in sorted(actions.items()):
        if counts.total() >= ENOUGH:
            yield None if len(counts) > 1 else f"only with {next(iter(counts))} ({counts.total()} times): {text}"


def p1_note_rates_do_not_tell_the_action(tasks: Sequence[Task]) -> Findings:
    """Notes of one name, of one wording and of one length are as frequent under one gold action as under another."""
    yield from _independent(tasks, "note", _note_features)


def p1_digits_do_not_tell_the_action(tasks: Sequence[Task]) -> Findings:
    """The digits with which limits and bounds are written are the same under all gold actions."""
    yield from _independent(tasks, "digits", _digit_features)


def anchors_do_not_sit_in_the_middle(tasks: Sequence[Task]) -> Findings:
    """At most 10 % of the anchor designs' values, and of the references', lie in the middle of their range."""
    for what in ("anchor design", "reference"):
        designs = [(task, design) for task in tasks if (design := gold_designs(task).get(what)) is not None]
        if not designs:
            continue
        share = float((np.abs(np.array([_linear_places(*placed) for placed in designs]) - 0.5) < CENTRED).mean())
        yield Figure(f"values of the {what} in the middle of the range", share)
        # With few tasks one value decides; a single device in the middle says nothing.
        yield f"{share:.1%} of the values of the {what}" if share > MOST_CENTRED and len(designs) > 4 else None


def p1_note_order_does_not_tell_the_action(tasks: Sequence[Task]) -> Findings:
    """Two notes or sentences that occur in both orders do so under every gold action alike."""
    orders: dict[tuple[str, str], Counter[tuple[bool, str]]] = defaultdict(Counter)
    for task in tasks:
        for words in ([note["name"] for note in task.spec["notes"]], note_wordings(task.spec)):
            for first, second in combinations(map(str, words), 2):
                orders[min(first, second), max(first, second)][first < second, action_of(task)] += 1
    for (first, second), counts in sorted(orders.items()):
        actions = sorted({action for _, action in counts})
        table = [[counts[order, action] for order in (True, False)] for action in actions]
        unlike = counts.total() >= ENOUGH and _unlike(table)
        yield f"{first} / {second}: {dict(zip(actions, table, strict=True))}" if unlike else None


def _independent(tasks: Sequence[Task], what: str, features: Callable[[Task], set[str]]) -> Findings:
    """One case a feature: whether its rate depends on the gold action."""
    totals = Counter(action_of(task) for task in tasks)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for task in tasks:
        for feature in features(task):
            counts[feature][action_of(task)] += 1
    for feature, seen in sorted(counts.items()):
        if not ENOUGH <= seen.total() <= totals.total() - ENOUGH:
            continue
        table = [[seen[action], totals[action] - seen[action]] for action in sorted(totals)]
        rates = ", ".join(f"{action} {seen[action] / totals[action]:.0%}" for action in sorted(totals))
        yield f"{what} {feature}: {rates}" if _unlike(table) else None


def _unlike(table: Sequence[Sequence[int]]) -> bool:
    """Whether the rows of a table of counts are unlikely to have one distribution (chi-square test)."""
    from scipy.stats import chi2_contingency

    counts = np.array(table)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    return min(counts.shape) > 1 and float(chi2_contingency(counts).pvalue) < LEAST_P_VALUE


def _free_wordings(task: Task) -> list[str]:
    """The sentences of the notes without numbers, but for those about a field that the brief withholds."""
    notes = sentences(task.spec["notes"])
    return [without_numbers(sentence) for sentence in notes if not stands_for_withheld(task.spec, sentence)]


def _note_features(task: Task) -> set[str]:
    free = _free_wordings(task)
    names = {note["name"] for note in task.spec["notes"]} if free else set()
    return {*free, *names, f"with {len(free)} sentences"}


def _digit_features(task: Task) -> set[str]:
    limits = task.spec["constraints"]
    return {f"{name} with {significant_digits(value)}" for name in LIMITS if (value := limits[name]) is not None}


def _linear_places(task: Task, design: Design) -> list[float]:
    """Where each value lies in its range, 0 to 1, the load too in linear scale: as a reader averages the bounds."""
    boxes = {name: box for name in VARIABLES if (box := task.spec["variable_bounds"].get(name)) is not None}
    return [(design[name] - box["min"]) / (box["max"] - box["min"]) for name, box in boxes.items()]
