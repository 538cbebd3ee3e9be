"""Every figure on the card and in the datasheet, computed from a bank and its manifest; each domain adds its own.

The texts hold no number of their own. None means that a figure has no value for this bank; the texts then say so.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from vehbench_builder.documents.metadata import build_facts
from vehbench_builder.domains import DOMAINS
from vehbench_hf.bank.bank import Bank
from vehbench_hf.isomorphic.types import ISOMORPHIC
from vehbench_hf.types import Task
from vehbench_oracle.space import least_slack


def figures_of(bank: Bank) -> dict[str, Any]:
    """All figures that come from the bank itself, under the names that the texts use."""
    by_probe: dict[str, list[Task]] = {}
    for task in bank.tasks:
        by_probe.setdefault(task.probe, []).append(task)
    splits = list(dict.fromkeys(entry["split"] for entry in bank.manifest["files"]))
    return {
        "version": bank.version,
        "fingerprint": bank.fingerprint,
        "convention": bank.convention,
        "build": build_facts(bank),
        "total": len(bank.tasks),
        "kilobytes": round(sum((bank.path / file.path).stat().st_size for file in bank.data_files) / 1000),
        "splits": splits,
        "headline_splits": [split for split in bank.headline_splits if split in splits],
        "configs": [_config(bank, probe, tasks) for probe, tasks in by_probe.items()],
        "anchors": _anchors(bank.tasks),
        "p1": _triage(by_probe.get("p1", [])),
        "p3": _recovery(by_probe.get("p3", [])),
        "p4": _pools(by_probe.get("p4", [])),
        "isomorphic": _isomorphic(bank),
        **{name: value for domain in DOMAINS.values() for name, value in domain.figures(bank.tasks).items()},
    }


def _config(bank: Bank, probe: str, tasks: Sequence[Task]) -> dict[str, Any]:
    splits = Counter(task.split for task in tasks)
    return {
        "name": probe,
        "splits": dict(splits),
        "total": len(tasks),
        "headline": sum(splits[split] for split in bank.headline_splits),
        "subtypes": sorted(Counter(task.subtype for task in tasks).items()),
        "budgets": sorted({task.spec["query_budget"] for task in tasks}),
    }


def _anchors(tasks: Iterable[Task]) -> dict[str, Any]:
    """How many papers stand behind the tasks of each split, and how many stand behind more than one split."""
    splits: dict[str, set[str]] = {}
    for task in tasks:
        if task.anchor is not None:
            splits.setdefault(task.anchor["key"], set()).add(task.split)
    return {
        "total": len(splits),
        "by_split": dict(Counter(split for its_splits in splits.values() for split in sorted(its_splits))),
        "shared": sum(len(its_splits) > 1 for its_splits in splits.values()),
    }


def _triage(tasks: Sequence[Task]) -> dict[str, Any]:
    infeasible = [task for task in tasks if task.gold["action"] == "declare_infeasible"]
    undecided = [task for task in tasks if task.gold["action"] == "request_missing_info"]
    workable = [task for task in tasks if task.gold["action"] == "propose_design"]
    return {
        "actions": sorted(Counter(str(task.gold["action"]) for task in tasks).items()),
        "infeasible": len(infeasible),
        "certified": sum(bool(task.gold["certificate"]) for task in infeasible),
        "workable": len(workable),
        "witnessed": sum(task.gold["witness"] is not None for task in workable),
        "open": len(undecided),
        "both": sum(
            {True, False} == {completion["feasible"] for completion in task.gold["completions"]} for task in undecided
        ),
    }


def _recovery(tasks: Sequence[Task]) -> dict[str, Any]:
    steps = [len(task.spec["history"]) for task in tasks]
    slacks = [
        float(least_slack(task.problem.limits, task.problem.judge(witness).metrics))
        for task in tasks
        if (witness := task.gold["witness"]) is not None
    ]
    return {
        "tasks": len(tasks),
        "witnessed": len(slacks),
        "least_slack": min(slacks, default=None),
        "traps": sorted(Counter(trap["type"] for task in tasks if (trap := task.gold["trap"]) is not None).items()),
        "steps": sorted(set(steps)),
        "live": sorted({task.spec["query_budget"] - n for task, n in zip(tasks, steps, strict=True)}),
        "shown_feasible": sum(any(step["verdict"]["feasible"] for step in task.spec["history"]) for task in tasks),
    }


def _pools(tasks: Sequence[Task]) -> dict[str, Any]:
    """Candidates, how far they are from their limits, gaps between neighbours in the ranking, places of the winners."""
    candidates = [(task, candidate) for task in tasks for candidate in task.spec["candidates"]]
    shares = [
        min(slack / limit for name, slack in candidate["slack"].items() if (limit := task.spec["constraints"][name]))
        for task, candidate in candidates
        if any(task.spec["constraints"].values())
    ]
    gaps = [abs(a - b) for task in tasks for a, b in pairwise(_utilities(task))]
    places = Counter(
        [candidate["id"] for candidate in task.spec["candidates"]].index(task.gold["ranking"][0]) for task in tasks
    )
    return {
        "pools": len({task.gold["pool_id"] for task in tasks}),
        "profiles": sorted({str(task.spec["profile"]) for task in tasks}),
        "candidates": len(candidates),
        "infeasible": sum(share < 0 for share in shares),
        "least_slack": min(shares, default=None),
        "least_gap": min(gaps, default=None),
        "commonest_place": max(places.values()) / len(tasks) if tasks else None,
    }


def _isomorphic(bank: Bank) -> dict[str, Any] | None:
    """Groups and rows of the isomorphic probes, rows by split; None for a bank without them."""
    part = bank.manifest.get(ISOMORPHIC)
    if part is None:
        return None
    splits = {entry["split"]: entry["rows"] for entry in part["files"]}
    return {"groups": part["groups"], "rows": part["rows"], "splits": splits, "fingerprint": part["fingerprint"]}


def _utilities(task: Task) -> list[float]:
    value = {entry["id"]: entry["value"] for entry in task.gold["utilities"] if entry["value"] is not None}
    return [value[name] for name in task.gold["ranking"] if name in value]
