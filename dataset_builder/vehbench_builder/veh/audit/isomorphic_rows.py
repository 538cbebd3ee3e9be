"""The isomorphic probes: does every form ask for a design that exists, and for the same one, without showing it?"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from vehbench_builder.audit.gold import agrees
from vehbench_builder.audit.report import Check, Figure, Findings, whole
from vehbench_builder.veh.audit import composition
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.schema import arrow_schema
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS, ISOMORPHIC, ChoiceVerdict, IsomorphicTask
from vehbench_hf.types import Task
from vehbench_oracle import VARIABLES, Verdict
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
    why = f"{bank.version} is not the full bank {composition.FULL_BANK}"
    return [
        whole(isomorphic_counts, rows, unless=None if bank.version == composition.FULL_BANK else why),
        whole(selections_have_one_answer, rows),
        whole(generations_start_from_a_broken_design, rows),
        whole(completions_have_a_completion, rows),
        whole(isomorphic_witnesses_are_feasible, rows),
        whole(isomorphic_groups_are_three_forms_of_one_brief, rows),
        whole(isomorphic_specs_show_no_gold, rows),
        whole(isomorphic_groups_come_from_the_bank, rows, bank.tasks),
        whole(isomorphic_answers_have_no_place, rows),
    ]


def isomorphic_counts(rows: Rows) -> Findings:
    """Groups and forms are as many as in the paper, a form asks one question, and no id occurs twice."""
    forms = Counter(row.form for row in rows)
    for form in FORMS:
        right = forms[form] == composition.ISOMORPHIC_GROUPS
        yield None if right else f"{form}: {forms[form]} rows, the paper has {composition.ISOMORPHIC_GROUPS}"
        questions = Counter(row.spec["question"] for row in rows if row.form == form)
        for row in rows:
            if row.form == form and row.spec["question"] != questions.most_common(1)[0][0]:
                yield f"{row.task_id}: another question than the others"
    for name, count in Counter(row.task_id for row in rows).items():
        yield f"{name}: used {count} times" if count > 1 else None


def selections_have_one_answer(rows: Rows) -> Findings:
    """Exactly one candidate of every selection is feasible, the answer; the oracle gives the stored verdicts."""
    for row in _rows_of("selection", rows):
        verdicts = {c["id"]: judge_for(row.spec, c["design"]) for c in row.spec["candidates"]}
        feasible = [name for name, verdict in verdicts.items() if verdict.feasible]
        designs = {c["id"]: c["design"] for c in row.spec["candidates"]}
        faults = []
        if feasible != [row.gold["answer"]]:
            faults.append(f"feasible are {', '.join(feasible) or 'none'}, the answer is {row.gold['answer']}")
        if len(designs) != composition.P4_CANDIDATES or designs.get(row.gold["answer"] or "") != row.gold["witness"]:
            faults.append(f"{len(designs)} candidates, or the answer is not the witness")
        if not _as_told(verdicts, row.gold["verdicts"]):
            faults.append("stored verdicts are not the oracle's")
        yield f"{row.task_id}: {'; '.join(faults)}" if faults else None


def generations_start_from_a_broken_design(rows: Rows) -> Findings:
    """The start of every generation breaks a limit, and is one of the designs of its group's selection."""
    offered = {row.group: [c["design"] for c in row.spec["candidates"]] for row in _rows_of("selection", rows)}
    for row in _rows_of("generation", rows):
        start = row.spec["initial_design"]
        broken = start is not None and not judge_for(row.spec, start).feasible
        known = start in offered.get(row.group, [start])
        yield None if broken and known else f"{row.task_id}: no start, a feasible one, or no candidate of its group"


def completions_have_a_completion(rows: Rows) -> Findings:
    """The fixed values of every completion are the witness's, which the two open ones make feasible again."""
    for row in _rows_of("completion", rows):
        fixed, witness, opened = row.spec["fixed"] or {}, row.gold["witness"], row.gold["open_variables"]
        empty = [name for name in VARIABLES if fixed.get(name) is None]
        if len(opened) != 2 or empty != [name for name in VARIABLES if name in opened]:
            yield f"{row.task_id}: open are {', '.join(empty)}, by the gold {', '.join(opened)}"
            continue
        verdict = judge_for(row.spec, witness)
        faults = [] if verdict.feasible else [verdict.message]
        faults += [
            f"{name} is fixed elsewhere" for name in VARIABLES if name not in empty and fixed[name] != witness[name]
        ]
        share, stored = _feasible_share(row), row.gold["feasible_share"]
        told = stored is not None and abs(stored - share) <= SHARE_TOLERANCE
        faults += [] if told else [f"feasible share stored {stored}, found {share}"]
        yield f"{row.task_id}: {'; '.join(faults)}" if faults else None


def isomorphic_witnesses_are_feasible(rows: Rows) -> Findings:
    """The witness of every row lies inside the bounds and meets every limit."""
    for row in rows:
        verdict = judge_for(row.spec, row.gold["witness"])
        yield None if verdict.feasible else f"{row.task_id}: {verdict.message}"


def isomorphic_groups_are_three_forms_of_one_brief(rows: Rows) -> Findings:
    """Every group has each form once, with one brief, one witness, one anchor and one split."""
    groups: dict[int, list[IsomorphicTask]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    for group, members in sorted(groups.items()):
        faults = [] if sorted(row.form for row in members) == sorted(FORMS) else ["not each form once"]
        shared = {
            canonical_json([{n: row.spec[n] for n in BRIEF}, row.gold["witness"], row.anchor, row.split])  # type: ignore[literal-required]
            for row in members
        }
        faults += [] if len(shared) == 1 else ["briefs, witnesses, anchors or splits differ"]
        yield f"group {group}: {'; '.join(faults)}" if faults else None


def isomorphic_specs_show_no_gold(rows: Rows) -> Findings:
    """A spec holds the brief and what its form needs: no metric, no verdict, no witness outside a selection."""
    columns = {field.name for field in arrow_schema("isomorphic").field("spec").type}
    for row in rows:
        others = [name for form, name in ADDED.items() if form != row.form]
        faults = [f"{name} in a {row.form}" for name in others if row.spec[name]]  # type: ignore[literal-required]
        faults += [f"field {name}" for name in sorted(set(row.spec) - columns)]
        shown = {name for candidate in row.spec["candidates"] for name in candidate} - {"id", "design"}
        faults += [f"{name} of a candidate" for name in sorted(shown)]
        faults += ["the witness"] if row.gold["witness"] in (row.spec["initial_design"], row.spec["fixed"]) else []
        faults += ["notes"] if row.spec["notes"] else []
        yield f"{row.task_id}: {'; '.join(faults)}" if faults else None


def isomorphic_groups_come_from_the_bank(rows: Rows, tasks: Sequence[Task]) -> Findings:
    """Every row has brief and split of the P2 task it names, and its witness is a candidate of the P4 pool it names."""
    by_id = {task.task_id: task for task in tasks if task.probe == "p2"}
    pools: dict[str | None, list[Task]] = defaultdict(list)
    for task in tasks:
        pools[task.gold["pool_id"]].append(task)
    for row in rows:
        source, pool = by_id.get(row.gold["source_task_id"]), pools[row.gold["pool_id"]]
        if source is None or not pool:
            yield f"{row.task_id}: the bank has no {row.gold['source_task_id']}, or no pool {row.gold['pool_id']}"
            continue
        same = all(row.spec[n] == source.spec[n] for n in BRIEF) and row.split == source.split  # type: ignore[literal-required]
        candidates = [c["design"] for c in pool[0].spec["candidates"]]
        hard = row.difficulty in ("medium", "hard") and row.difficulty == source.difficulty
        faults = [] if same else ["another brief or split than its P2 task"]
        faults += [] if row.bank_version == source.bank_version else [f"bank version {row.bank_version}"]
        faults += [] if row.gold["witness"] in candidates else ["the witness is no candidate of its pool"]
        faults += [] if hard else [f"difficulty {row.difficulty}"]
        yield f"{row.task_id}: {'; '.join(faults)}" if faults else None


def isomorphic_answers_have_no_place(rows: Rows) -> Findings:
    """The answers of the selections stand in every place alike: none has more than a quarter."""
    selections = _rows_of("selection", rows)
    places = Counter([c["id"] for c in row.spec["candidates"]].index(row.gold["answer"] or "") for row in selections)
    for place, count in sorted(places.items()):
        yield f"place {place + 1}: {count} of {len(selections)}" if count > MOST_IN_A_PLACE * len(selections) else None
    if selections:
        yield Figure("largest share of a place", max(places.values()) / len(selections))
        yield Figure("middle of the box picks the answer", _share_of_the_most_central(selections))
    shares = [share for row in _rows_of("completion", rows) if (share := row.gold["feasible_share"]) is not None]
    if shares:
        yield Figure("largest feasible share of a completion", max(shares))


def _share_of_the_most_central(rows: Rows) -> float:
    """How often the candidate nearest to the middle of the box is the answer; a fifth by chance."""
    hits = 0
    for row in rows:
        problem = problem_of_brief(row.spec)
        places = {c["id"]: places_of(problem, c["design"]) for c in row.spec["candidates"]}
        off = {name: float(((place - 0.5) ** 2).sum()) for name, place in places.items()}
        hits += min(off, key=off.__getitem__) == row.gold["answer"]
    return hits / len(rows)


def _feasible_share(row: IsomorphicTask) -> float:
    """The share of a grid over the ranges of the open variables that completes the design feasibly."""
    problem = problem_of_brief(row.spec)
    places = np.tile(places_of(problem, row.gold["witness"])[:, None], GRID * GRID)
    grid = np.meshgrid(*[np.linspace(0, 1, GRID)] * 2, indexing="ij")
    for name, values in zip([v for v in VARIABLES if v in row.gold["open_variables"]], grid, strict=True):
        places[list(VARIABLES).index(name)] = values.ravel()
    return float((problem.least_slack(designs_at(problem, places)) >= 0).mean())


def _as_told(verdicts: Mapping[str, Verdict], stored: Sequence[ChoiceVerdict]) -> bool:
    return [choice["id"] for choice in stored] == list(verdicts) and all(
        choice["feasible"] == verdict.feasible
        and agrees(choice["total_violation"], verdict.total_violation)
        and choice["violations"] == [violation.name for violation in verdict.violations]
        for choice, verdict in zip(stored, verdicts.values(), strict=True)
    )


def _rows_of(form: str, rows: Rows) -> list[IsomorphicTask]:
    return [row for row in rows if row.form == form]
