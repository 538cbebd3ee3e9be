"""Do the authors' logs agree with themselves and with the bank? One sentence for each disagreement."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import isclose

from vehbench_hf.paper.release.records import effective_action, live_steps
from vehbench_hf.paper.release.rows import LogRow, Place
from vehbench_hf.types import Pair, Task


def coverage_gaps(lines: Mapping[Place, Sequence[LogRow]], tasks: Iterable[Task]) -> list[str]:
    """Probes and splits that a run holds in part or twice. A probe that it lacks altogether is no gap."""
    wanted: dict[Place, Counter[str]] = {}
    for task in tasks:
        wanted.setdefault((task.probe, task.split), Counter())[task.task_id] += 1
    probes = {probe for probe, _ in lines}
    gaps = []
    for place, ids in wanted.items():
        counts = Counter(row.result["task_id"] for row in lines.get(place, ()))
        if place[0] in probes and counts != ids:
            repeated = ", ".join(sorted(task_id for task_id, times in counts.items() if times > 1))
            gaps.append(
                f"{'/'.join(place)}: {counts.total()} rows for {len(counts)} of {len(ids)} tasks"
                + (f"; repeated: {repeated}" if repeated else "")
            )
    return gaps


def disagreements(task: Task, row: LogRow) -> list[str]:
    """What in a line contradicts the bank, its own steps or a metric computed anew; empty if all is well."""
    check = {"p1": _triage, "p2": _search, "p3": _search, "p4": _ranking}[task.probe]
    try:
        return [f"{task.task_id}: {what}" for what in check(task, row)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return [f"{task.task_id}: cannot be checked, {type(error).__name__}: {error}"]


def _triage(task: Task, row: LogRow) -> list[str]:
    result, gold = row.result, task.gold["action"]
    pairs = {
        "gold_action": (result["gold_action"], gold),
        "missing_fields_ground_truth": (result["missing_fields_ground_truth"], task.gold["missing_fields"]),
        "is_correct": (result["is_correct"], result["predicted_action"] == gold),
        "is_problem_recognition_correct": (
            result.get("is_problem_recognition_correct", effective_action(result) == gold),
            effective_action(result) == gold,
        ),
        "number of steps": (len(row.trace["steps"]) if row.trace else 1, 1),
    }
    return _unequal(pairs)


def _search(task: Task, row: LogRow) -> list[str]:
    result, steps = row.result, live_steps(row, task)
    answers = [step["verifier_response"] for step in steps if step["action_type"] == "propose_design"]
    feasible = [bool(answer["feasible"]) for answer in answers]
    turns = sum(step["action_type"] in ("propose_design", "replan") for step in steps)
    first = feasible[0] if feasible else None
    pairs = {
        "queries_used": (result["queries_used"], len(steps)),
        "is_feasible": (result["is_feasible"], any(feasible)),
        "final_action_type": (result["final_action_type"], steps[-1]["action_type"]),
        "first_proposal_is_feasible": (result.get("first_proposal_is_feasible"), first),
        "objective_history": (len(result["objective_history"]), turns + len(task.spec["history"])),
    }
    if task.probe == "p2":
        pairs["feasibility of the last step"] = (
            result["is_feasible"],
            steps[-1]["action_type"] == "propose_design" and feasible[-1],
        )
    faults = _unequal(pairs)
    powers = [answer["objective_value"] for answer in answers if answer["feasible"]]
    if result["is_feasible"] and powers and result["objective_value"] != max(powers):
        faults.append(f"objective_value is {result['objective_value']}, the best feasible step has {max(powers)}")
    reference, power = result["bkf_objective_value"], result["objective_value"]
    if power is not None and reference:
        regret = max(0.0, 1 - power / reference)
        if result["regret"] is None or not isclose(result["regret"], regret, abs_tol=1e-6):
            faults.append(f"regret is {result['regret']}, objective and reference give {regret:.6f}")
    return faults


def _ranking(task: Task, row: LogRow) -> list[str]:
    result, gold = row.result, task.gold["ranking"]
    pairs = {
        "oracle_reference_ranking": (result["oracle_reference_ranking"], gold),
        "n_dominated_pairs": (result["n_dominated_pairs"], len(task.gold["dominated_pairs"])),
    }
    given = result["predicted_ranking"]
    if result["is_parse_error"]:
        return _unequal(pairs)
    if sorted(given) != sorted(gold):
        return [*_unequal(pairs), f"predicted_ranking {given} is no order of the candidates"]
    kept = [given.index(a) < given.index(b) for a, b in combinations(gold, 2)]
    pairs |= {
        "full_kendall_tau": (result["full_kendall_tau"], 2 * sum(kept) / len(kept) - 1),
        "exact_match": (result["exact_match"], given == gold),
        "top1_accuracy": (result["top1_accuracy"], given[0] == gold[0]),
        "top2_set_accuracy": (result["top2_set_accuracy"], set(given[:2]) == set(gold[:2])),
        "pareto_violation_rate": (
            result["pareto_violation_rate"],
            1 - _share_kept(given, task.gold["dominated_pairs"], empty=1.0),
        ),
        "policy_sensitive_pair_accuracy": (
            result["policy_sensitive_pair_accuracy"],
            _share_kept(given, task.gold["policy_sensitive_pairs"], empty=0.0),
        ),
    }
    return _unequal(pairs)


def _share_kept(ranking: Sequence[str], pairs: Sequence[Pair], *, empty: float) -> float:
    if not pairs:
        return empty
    return sum(ranking.index(p["better"]) < ranking.index(p["worse"]) for p in pairs) / len(pairs)


def _unequal(pairs: Mapping[str, tuple[object, object]]) -> list[str]:
    return [
        f"{name} is {logged!r}, the rest gives {expected!r}"
        for name, (logged, expected) in pairs.items()
        if not _same(logged, expected)
    ]


def _same(logged: object, expected: object) -> bool:
    if isinstance(logged, float) and isinstance(expected, int | float):
        return isclose(logged, expected, abs_tol=1e-6)  # logged with 6 decimals
    return logged == expected
