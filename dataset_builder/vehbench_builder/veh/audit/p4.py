"""P4: are all candidates feasible, and do order, utilities and pairs follow from the policy that the brief states?"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import nan

from vehbench_builder.audit.gold import agrees, not_built_here
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.audit import composition
from vehbench_builder.veh.audit.stated_policy import Judged, expected_order, judged_pool, stated_weights
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.types import Pair, Task
from vehbench_oracle.space import places_of

LEAST_SLACK = 0.005
"""Share of every limit that a candidate keeps in hand."""
LEAST_GAP = 0.005
"""Smallest difference of utility between neighbours of an order."""
UTILITY_ROUNDING = 1e-5
"""What a utility may be off when it was computed from rounded powers, far below the smallest gap."""
LEAST_DISTANCE = 0.05
"""Share of a range by which two candidates differ in some variable."""
MOST_WINS = 0.25
"""Largest share of tasks in which one id, or one place in the list, is the best."""
ENOUGH = 40
"""Fewer tasks than this say nothing about shares."""
ROUNDING = 1e-5
"""Slack and distance that rounding a design to six digits may cost."""


def p4_checks(bank: Bank) -> list[Check]:
    """All checks of P4."""
    tasks = bank.select(("p4",))
    few = f"{len(tasks)} tasks say nothing about shares" if len(tasks) < ENOUGH else None
    partial = None if bank.version in composition.FULL_BANKS else f"{bank.version} is not a full bank"
    return [
        each(p4_subtype_is_the_profile, tasks, unless=not_built_here(bank)),
        each(p4_candidates_feasible, tasks),
        whole(p4_tasks_with_infeasible_candidates, tasks),
        each(p4_candidates_keep_slack, tasks),
        each(p4_numbers_recomputed, tasks),
        each(p4_policy_states_the_profile, tasks),
        each(p4_ranking_follows_the_policy, tasks),
        each(p4_ranking_follows_from_shown_numbers, tasks),
        each(p4_utilities_recomputed, tasks),
        each(p4_utility_gaps, tasks),
        each(p4_dominated_pairs, tasks),
        each(p4_policy_sensitive_pairs, tasks),
        each(p4_candidates_differ, tasks),
        whole(p4_pools_have_three_profiles, tasks, unless=partial),
        whole(p4_winner_places, tasks, unless=few),
        each(candidates_are_listed_by_id, tasks),
    ]


def p4_candidates_feasible(task: Task) -> Findings:
    """Every candidate meets all limits of its brief and lies inside the bounds."""
    for name, candidate in judged_pool(task.spec).items():
        yield None if candidate.verdict.feasible else f"{name}: {candidate.verdict.message}"


def p4_tasks_with_infeasible_candidates(tasks: Sequence[Task]) -> Findings:
    """No pool holds a candidate that breaks a limit."""
    feasible = Counter[int]()
    for task in tasks:
        pool = judged_pool(task.spec)
        good = sum(candidate.verdict.feasible for candidate in pool.values())
        feasible[good] += 1
        yield None if good == len(pool) else f"{task.task_id}: {good} of {len(pool)} candidates are feasible"
    for good, count in sorted(feasible.items()):
        yield Figure(f"tasks with {good} feasible candidates", count)


def p4_candidates_keep_slack(task: Task) -> Findings:
    """Every candidate keeps 0.5 % of every limit in hand."""
    for name, candidate in judged_pool(task.spec).items():
        tight = {limit: share for limit, share in candidate.share.items() if share < LEAST_SLACK - ROUNDING}
        yield f"{name}: {', '.join(f'{k} {v:.3%}' for k, v in tight.items())}" if tight else None


def p4_numbers_recomputed(task: Task) -> Findings:
    """Metrics and slacks of every candidate are what the oracle gives."""
    for candidate in task.spec["candidates"]:
        verdict = task.problem.judge(candidate["design"])
        stored, computed = {**candidate["metrics"], **candidate["slack"]}, {**verdict.metrics, **verdict.slack}
        wrong = [
            f"{n} {x!r}, not {computed.get(n)!r}" for n, x in stored.items() if not agrees(x, computed.get(n, nan))
        ]
        yield f"{candidate['id']}: {', '.join(wrong)}" if wrong else None


def p4_policy_states_the_profile(task: Task) -> Findings:
    """The policy text states a complete rule with the weights of its profile."""
    weights, stated = composition.PROFILES.get(task.spec["profile"] or ""), stated_weights(task.spec)
    if stated is None:
        yield f"no rule that can be computed: {(task.spec['policy'] or '')[:80]!r}"
    else:
        yield None if stated == weights else f"profile {task.spec['profile']}, weights {stated}"


def p4_ranking_follows_the_policy(task: Task) -> Findings:
    """The gold order is what the stated policy gives at full precision."""
    yield _other_order(task, judged_pool(task.spec), "the policy gives")


def p4_ranking_follows_from_shown_numbers(task: Task) -> Findings:
    """The gold order also follows from the rounded numbers that a model reads."""
    yield _other_order(task, judged_pool(task.spec, shown=True), "the shown numbers give")


def _other_order(task: Task, pool: Mapping[str, Judged], source: str) -> str | None:
    gold, (order, _) = task.gold["ranking"], expected_order(task.spec, pool)
    return None if gold == order else f"gold {' > '.join(gold)}, {source} {' > '.join(order)}"


def p4_utilities_recomputed(task: Task) -> Findings:
    """Stored utilities are what the stated policy gives."""
    _, utility = expected_order(task.spec, judged_pool(task.spec))
    stored = {entry["id"]: entry["value"] for entry in task.gold["utilities"]}
    if sorted(utility) != sorted(entry["id"] for entry in task.gold["utilities"]):
        yield f"utilities of {sorted(stored)}, candidates are {sorted(utility)}"
        return
    for name, value in utility.items():
        given = stored[name]
        same = given is value if value is None or given is None else abs(given - value) <= UTILITY_ROUNDING
        yield None if same else f"{name}: stored {given}, the policy gives {value}"


def p4_utility_gaps(task: Task) -> Findings:
    """Neighbours of an order differ by 0.005 or more in utility under the declared profile."""
    _, utility = expected_order(task.spec, judged_pool(task.spec))
    values = sorted((value for value in utility.values() if value is not None), reverse=True)
    for above, below in pairwise(values):
        yield None if above - below >= LEAST_GAP else f"utilities {above:.5f} and {below:.5f}"


def p4_dominated_pairs(task: Task) -> Findings:
    """The dominated pairs are all pairs in which one candidate is at least as good in power and in every slack."""
    pool = judged_pool(task.spec)
    expected = {(a, b) for a in pool for b in pool if a != b and _dominates(pool[a], pool[b])}
    yield _pairs_differ(task.gold["dominated_pairs"], expected)


def p4_policy_sensitive_pairs(task: Task) -> Findings:
    """The policy-sensitive pairs are all feasible pairs that the declared profile orders against the power."""
    pool = judged_pool(task.spec)
    order = [name for name in expected_order(task.spec, pool)[0] if pool[name].verdict.feasible]
    expected = {(a, b) for a, b in combinations(order, 2) if pool[a].power < pool[b].power}
    yield _pairs_differ(task.gold["policy_sensitive_pairs"], expected)


def p4_candidates_differ(task: Task) -> Findings:
    """Two candidates of a pool differ by 5 % of its range in some variable."""
    places = {c["id"]: places_of(task.problem, c["design"]) for c in task.spec["candidates"]}
    for a, b in combinations(places, 2):
        apart = float(abs(places[a] - places[b]).max())
        yield None if apart >= LEAST_DISTANCE - ROUNDING else f"{a} and {b} differ by {apart:.2%} at most"


def candidates_are_listed_by_id(task: Task) -> Findings:
    """The candidates of a pool are listed in the order of their ids."""
    ids = [candidate["id"] for candidate in task.spec["candidates"]]
    yield None if ids == sorted(ids) else f"listed as {', '.join(ids)}"


def p4_pools_have_three_profiles(tasks: Sequence[Task]) -> Findings:
    """Every pool occurs once under each profile with the same candidates, and the profiles disagree about the best."""
    pools: dict[tuple[str, str | None], list[Task]] = defaultdict(list)
    for task in tasks:
        pools[task.split, task.gold["pool_id"]].append(task)
    winners = Counter[int]()
    for (split, pool_id), members in pools.items():
        profiles = sorted(t.spec["profile"] or "none" for t in members)
        designs = [{c["id"]: canonical_json(c["design"]) for c in t.spec["candidates"]} for t in members]
        contents = {tuple(sorted(named.values())) for named in designs}
        best = {named.get(t.gold["ranking"][0]) for t, named in zip(members, designs, strict=True)}
        winners[len(best)] += 1
        faults = [f"profiles {', '.join(profiles)}"] if profiles != sorted(composition.PROFILES) else []
        faults += [f"{len(contents)} different sets of candidates"] if len(contents) > 1 else []
        faults += ["one candidate wins under every profile"] if len(best) == 1 else []
        yield f"{split} {pool_id}: {'; '.join(faults)}" if faults else None
    for number, count in sorted(winners.items()):
        yield Figure(f"pools with {number} winners", count)


def p4_winner_places(tasks: Sequence[Task]) -> Findings:
    """No id and no place in the list is the best in more than 25 % of the tasks."""
    by_id = Counter(task.gold["ranking"][0] for task in tasks)
    listed = Counter([c["id"] for c in task.spec["candidates"]].index(task.gold["ranking"][0]) + 1 for task in tasks)
    for kind, counts in (("id", by_id), ("place", listed)):
        for name, count in sorted(counts.items()):
            share = count / len(tasks)
            yield None if share <= MOST_WINS else f"{kind} {name} is the best in {share:.1%} of {len(tasks)} tasks"
            yield Figure(f"{kind} {name} is the best", count)


def _dominates(a: Judged, b: Judged) -> bool:
    ours, theirs = [a.power, *a.share.values()], [b.power, *b.share.values()]
    return all(x >= y for x, y in zip(ours, theirs, strict=True)) and ours != theirs


def _pairs_differ(stored: Sequence[Pair], expected: set[tuple[str, str]]) -> str | None:
    pairs = Counter((pair["better"], pair["worse"]) for pair in stored)
    kinds = {
        "lacks": expected - set(pairs),
        "lists wrongly": set(pairs) - expected,
        "lists twice": {pair for pair, count in pairs.items() if count > 1},
    }
    faults = [f"{kind} {', '.join(f'{a} over {b}' for a, b in sorted(some))}" for kind, some in kinds.items() if some]
    return "; ".join(faults) or None


def p4_subtype_is_the_profile(task: Task) -> Findings:
    """The subtype of a P4 task is its profile."""
    profile = task.spec["profile"]
    yield None if task.subtype == profile else f"subtype {task.subtype}, profile {profile}"
