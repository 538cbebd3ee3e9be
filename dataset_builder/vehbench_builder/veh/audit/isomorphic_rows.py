"""The isomorphic probes: does every form ask for a design that exists, and for the same one, without showing it?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vehbench_builder.audit.gold import agrees
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.audit import composition
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.schema import arrow_schema
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS, ISOMORPHIC, IsomorphicTask
from vehbench_hf.types import Design, Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

Rows = Sequence[IsomorphicTask]
BRIEF = ("variable_bounds", "constraints", "excitation", "materials", "notes")
"""What the three forms of a group state alike."""
ADDED = {"selection": "candidates", "generation": "initial_design", "completion": "fixed"}
"""What each form states beside that."""
MOST_IN_A_PLACE = 0.25
GRID = 41
"""Values of each open variable by which the feasible share of a completion is told."""
SHARE_TOLERANCE = 2 / GRID**2
"""What rounding may do to a share: a design on the very edge of the limits may count or not."""


def isomorphic_checks(bank: Bank) -> list[Check]:
    """All checks of the config; without it a full bank of ours fails, and for another there is nothing to check."""
    rows = open_isomorphic(bank) if ISOMORPHIC in bank.manifest else ()
    selections, generations, completions = ([row for row in rows if row.form == form] for form in FORMS)
    offered = {row.group: _candidates(row) for row in selections}
    why = f"{bank.version} is not the full bank {composition.FULL_BANK}"
    return [
        whole(isomorphic_counts, rows, unless=None if bank.version == composition.FULL_BANK else why),
        each(selections_have_one_answer, selections),
        each(generations_start_from_a_broken_design, generations, offered),
        each(completions_have_a_completion, completions),
        each(isomorphic_witnesses_are_feasible, rows),
        whole(isomorphic_groups_are_three_forms_of_one_brief, rows),
        each(isomorphic_specs_show_no_gold, rows),
        each(isomorphic_groups_come_from_the_bank, rows, _p2_tasks_and_pools(bank.tasks)),
        whole(isomorphic_answers_have_no_place, selections, completions),
    ]


def isomorphic_counts(rows: Rows) -> Findings:
    """Groups and forms are as many as in the paper, a form asks one question, and no id occurs twice."""
    for form in FORMS:
        questions = Counter(row.spec["question"] for row in rows if row.form == form)
        right = questions.total() == composition.ISOMORPHIC_GROUPS
        yield None if right else f"{form}: {questions.total()} rows, the paper has {composition.ISOMORPHIC_GROUPS}"
        rare = {question for question, _ in questions.most_common()[1:]}
        yield from (f"{row.task_id}: another question" for row in rows if row.spec["question"] in rare)
    for name, count in Counter(row.task_id for row in rows).items():
        yield f"{name}: used {count} times" if count > 1 else None


def selections_have_one_answer(row: IsomorphicTask) -> Findings:
    """Exactly one candidate of every selection is feasible, the answer; the oracle gives the stored verdicts."""
    answer, designs = row.gold["answer"], _candidates(row)
    verdicts = {name: row.problem.judge(design) for name, design in designs.items()}
    feasible = [name for name, verdict in verdicts.items() if verdict.feasible]
    faults = [] if feasible == [answer] else [f"feasible are {', '.join(feasible) or 'none'}, the answer is {answer}"]
    if len(designs) != composition.P4_CANDIDATES or designs.get(answer or "") != row.gold["witness"]:
        faults.append(f"{len(designs)} candidates, or the answer is not the witness")
    as_told = [choice["id"] for choice in row.gold["verdicts"]] == list(verdicts) and all(
        choice["feasible"] == verdict.feasible
        and agrees(choice["total_violation"], verdict.total_violation)
        and choice["violations"] == [violation.name for violation in verdict.violations]
        for choice, verdict in zip(row.gold["verdicts"], verdicts.values(), strict=True)
    )
    faults += [] if as_told else ["stored verdicts are not the oracle's"]
    yield "; ".join(faults) or None


def generations_start_from_a_broken_design(
    row: IsomorphicTask, offered: Mapping[int, Mapping[str, Design]]
) -> Findings:
    """The start of every generation breaks a limit, and is one of the designs of its group's selection."""
    start = row.spec["initial_design"]
    broken = start is not None and not row.problem.judge(start).feasible
    known = row.group not in offered or start in offered[row.group].values()
    yield None if broken and known else "no start, a feasible one, or no candidate of its group"


def completions_have_a_completion(row: IsomorphicTask) -> Findings:
    """The fixed values of every completion are the witness's, which the two open ones make feasible again."""
    fixed, witness, opened = row.spec["fixed"] or {}, row.gold["witness"], row.gold["open_variables"]
    empty = [name for name in VARIABLES if fixed.get(name) is None]
    if len(opened) != 2 or empty != [name for name in VARIABLES if name in opened]:
        yield f"open are {', '.join(empty)}, by the gold {', '.join(opened)}"
        return
    verdict = row.problem.judge(witness)
    faults = [] if verdict.feasible else [verdict.message]
    faults += [f"{name} is fixed elsewhere" for name in fixed if name not in empty and fixed[name] != witness[name]]
    share, stored = _feasible_share(row), row.gold["feasible_share"]
    told = stored is not None and abs(stored - share) <= SHARE_TOLERANCE
    faults += [] if told else [f"feasible share stored {stored}, found {share}"]
    yield "; ".join(faults) or None


def isomorphic_witnesses_are_feasible(row: IsomorphicTask) -> Findings:
    """The witness of every row lies inside the bounds and meets every limit."""
    verdict = row.problem.judge(row.gold["witness"])
    yield None if verdict.feasible else verdict.message


def isomorphic_groups_are_three_forms_of_one_brief(rows: Rows) -> Findings:
    """Every group has each form once, with one brief, one witness, one anchor and one split."""
    groups: dict[int, list[IsomorphicTask]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    for group, members in sorted(groups.items()):
        faults = [] if sorted(row.form for row in members) == sorted(FORMS) else ["not each form once"]
        shared = {canonical_json([_brief(row), row.gold["witness"], row.anchor, row.split]) for row in members}
        faults += [] if len(shared) == 1 else ["briefs, witnesses, anchors or splits differ"]
        yield f"group {group}: {'; '.join(faults)}" if faults else None


def isomorphic_specs_show_no_gold(row: IsomorphicTask) -> Findings:
    """A spec holds the brief and what its form needs: no metric, no verdict, no witness outside a selection."""
    spec: Mapping[str, Any] = row.spec
    columns = {field.name for field in arrow_schema("isomorphic").field("spec").type}
    faults = [f"{name} in a {row.form}" for form, name in ADDED.items() if form != row.form and spec[name]]
    faults += [f"field {name}" for name in sorted(set(spec) - columns)]
    shown = {name for candidate in spec["candidates"] for name in candidate} - {"id", "design"}
    faults += [f"{name} of a candidate" for name in sorted(shown)]
    faults += ["the witness"] if row.gold["witness"] in (spec["initial_design"], spec["fixed"]) else []
    faults += ["notes"] if spec["notes"] else []
    yield "; ".join(faults) or None


def isomorphic_groups_come_from_the_bank(row: IsomorphicTask, sources: Mapping[str, Task]) -> Findings:
    """Every row has brief and split of the P2 task it names, and its witness is a candidate of the P4 pool it names."""
    source, pool = sources.get(row.gold["source_task_id"]), sources.get(row.gold["pool_id"])
    if source is None or pool is None:
        yield f"the bank has no {row.gold['source_task_id']}, or no pool {row.gold['pool_id']}"
        return
    faults = [] if (_brief(row), row.split) == (_brief(source), source.split) else ["another brief or split"]
    faults += [] if row.bank_version == source.bank_version else [f"bank version {row.bank_version}"]
    faults += [] if row.gold["witness"] in _candidates(pool).values() else ["the witness is no candidate of its pool"]
    hard = row.difficulty in ("medium", "hard") and row.difficulty == source.difficulty
    faults += [] if hard else [f"difficulty {row.difficulty}"]
    yield "; ".join(faults) or None


def isomorphic_answers_have_no_place(selections: Rows, completions: Rows) -> Findings:
    """The answers of the selections stand in every place alike: none has more than a quarter."""
    places = Counter(list(_candidates(row)).index(row.gold["answer"] or "") for row in selections)
    for place, count in sorted(places.items()):
        yield f"place {place + 1}: {count} of {len(selections)}" if count > MOST_IN_A_PLACE * len(selections) else None
    if selections:
        central = sum(_most_central(row) == row.gold["answer"] for row in selections)
        yield Figure("largest share of a place", max(places.values()) / len(selections))
        yield Figure("middle of the box picks the answer", central / len(selections))
    if shares := [share for row in completions if (share := row.gold["feasible_share"]) is not None]:
        yield Figure("largest feasible share of a completion", max(shares))


def _most_central(row: IsomorphicTask) -> str:
    """The candidate nearest to the middle of the box."""
    places = {name: places_of(row.problem, design) for name, design in _candidates(row).items()}
    return min(places, key=lambda name: float(((places[name] - 0.5) ** 2).sum()))


def _feasible_share(row: IsomorphicTask) -> float:
    """The share of a grid over the ranges of the open variables that completes the design feasibly."""
    problem = problem_of_brief(row.spec)
    places = np.tile(places_of(problem, row.gold["witness"])[:, None], GRID * GRID)
    grid = np.meshgrid(*[np.linspace(0, 1, GRID)] * 2, indexing="ij")
    opened = [place for place, name in enumerate(VARIABLES) if name in row.gold["open_variables"]]
    places[opened] = np.reshape(grid, (2, -1))
    return float((problem.least_slack(designs_at(problem, places)) >= 0).mean())


def _brief(task: Task) -> list[Any]:
    spec: Mapping[str, Any] = task.spec
    return [spec[name] for name in BRIEF]


def _candidates(task: Task) -> dict[str, Design]:
    return {candidate["id"]: candidate["design"] for candidate in task.spec["candidates"]}


def _p2_tasks_and_pools(tasks: Iterable[Task]) -> dict[str, Task]:
    """The P2 tasks by id, and a task of each P4 pool by the pool's id."""
    return {task.gold["pool_id"] or task.task_id: task for task in tasks if task.probe in ("p2", "p4")}
