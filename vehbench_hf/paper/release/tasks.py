"""Released VEH tasks as rows of our schema: what a model may see in `spec`, what a scorer needs in `gold`.

Nothing else of a released row is kept. In particular ids, subtypes, anchors, audits, oracle summaries, roles
and names of candidates and stored "best" designs never reach `spec`.
"""

from pathlib import Path

from vehbench_hf.bank.schema import empty_gold
from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.anchors import anchor
from vehbench_hf.paper.release.brief import common_spec, design_of
from vehbench_hf.paper.release.jsonl import Row, number, read_rows, texts
from vehbench_hf.paper.release.manifest import task_file
from vehbench_hf.paper.release.policy import WEIGHTS, policy_text, utilities
from vehbench_hf.paper.release.references import References
from vehbench_hf.types import PROBES, SPLITS, Candidate, Gold, HistoryStep, Pair, Probe, Spec, Task
from vehbench_oracle import LIMITS
from vehbench_oracle.veh.domain import problem_of_brief

BANK_VERSION = "veh-v1"


def read_tasks(release_dir: Path, references: References) -> list[Task]:
    """All VEH tasks of a release, in the order of its task files.

    P2 tasks carry the reference powers of `references` where known, and a reference design where the release
    has one that the oracle finds feasible. Raises ReleaseError for a row of another form.
    """
    tasks = []
    for probe in PROBES:
        file = release_dir / task_file(probe)
        for row in read_rows(file):
            try:
                tasks.append(_task(probe, row, references))
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                if isinstance(error, ReleaseError):
                    raise
                raise ReleaseError(f"{file}: task {row['task_id']!r} is not a {probe} task: {error!r}") from None
    return tasks


def _task(probe: Probe, row: Row, references: References) -> Task:
    if row["split"] not in SPLITS:
        raise ValueError(f"split {row['split']!r} is not one of {', '.join(SPLITS)}")
    spec = common_spec(row)
    gold = empty_gold()
    if probe == "p1":
        label = row["gold_label"]
        gold["action"] = str(label["action_type"])
        gold["missing_fields"] = list(texts(label.get("missing_fields", [])))
    elif probe == "p2":
        _add_p2(gold, spec, row, references)
    elif probe == "p3":
        _add_p3(gold, spec, row)
    else:
        _add_p4(gold, spec, row)
    return Task(
        task_id=row["task_id"],
        probe=probe,
        split=row["split"],
        subtype=str(row["declared_profile" if probe == "p4" else f"{probe}_subtype"]),
        difficulty=str(row["difficulty_tag"]),
        source_group=row.get("source_group"),
        anchor=anchor(str(row["anchor_id"] if probe == "p1" else row["anchor_paper_doi"])),
        bank_version=BANK_VERSION,
        spec=spec,
        gold=gold,
    )


def _add_p2(gold: Gold, spec: Spec, row: Row, references: References) -> None:
    task_id = row["task_id"]
    # Designs are rounded in the release, and one of them has lost its feasibility to that.
    design = references.designs.get(task_id)
    gold["reference"] = {
        "design": design if design is not None and problem_of_brief(spec).judge(design).feasible else None,
        "power_uw": references.newer.get(task_id),
        "power_uw_older": references.older.get(task_id),
        "upper_bound_uw": None,
    }
    gold["anchor_design"] = design_of(row["anchor_context"]["projected_parameters"])


def _add_p3(gold: Gold, spec: Spec, row: Row) -> None:
    # "best_known_feasible" is the start of the trap here and `source_bkf` solves another task: no reference.
    gold["reference"] = {"design": None, "power_uw": None, "power_uw_older": None, "upper_bound_uw": None}
    gold["anchor_design"] = design_of(row["anchor_context"]["projected_parameters"])
    trap = row["trap_metadata"]
    gold["trap"] = {
        "type": str(trap["trap_type"]),
        "variable": str(trap["trap_variable"]),
        "direction": str(trap["trap_direction"]),
        "secondary_constraint": str(trap["secondary_constraint"]),
        "claims": [],
    }
    spec["history"] = [_history_step(step) for step in row["seed_history"]]


def _history_step(step: Row) -> HistoryStep:
    """An earlier step with its verdict as stored: no metrics, and one slack off by a constant a task."""
    answer = step["verifier_response"]
    return HistoryStep(
        design=design_of(step["candidate"]),
        note=str(step["analysis_summary"]),
        verdict={
            "feasible": bool(answer["feasible"]),
            "power_uw": number(answer["objective_value"]),
            "slack": {name: number(answer["constraint_slack"][name]) for name in LIMITS},
            "violations": list(texts(answer["violations"])),
            "metrics": None,
        },
    )


def _add_p4(gold: Gold, spec: Spec, row: Row) -> None:
    profile = row["declared_profile"]
    stated = row["declared_preference_profile"]["weights"]
    if WEIGHTS.get(profile) != (stated["power"], stated["safety"]):
        raise ValueError(f"profile {profile!r} with weights {stated!r} is not the release's")
    spec["profile"], spec["policy"] = profile, policy_text(profile)
    spec["candidates"] = [_candidate(entry, spec) for entry in row["candidate_pool"]]
    # From stored numbers, which are the same on every machine; the last bits of our oracle need not be.
    powers = {entry["candidate_id"]: number(entry["objective_value"]) for entry in row["candidate_pool"]}
    gold["utilities"] = utilities(profile, spec["candidates"], powers, spec["constraints"])
    gold["ranking"] = list(texts(row["oracle_reference_ranking"]))
    gold["dominated_pairs"] = [Pair(better=p["better"], worse=p["worse"]) for p in row["dominated_pairs"]]
    gold["policy_sensitive_pairs"] = [_sensitive_pair(pair) for pair in row["policy_sensitive_pairs"]]
    gold["pool_id"] = str(row["base_pool_id"])
    gold["pool_family"] = str(row["p4_graph_stats"]["pool_family"])


def _candidate(entry: Row, spec: Spec) -> Candidate:
    design = design_of(entry["candidate"])
    metrics = problem_of_brief(spec).judge(design).metrics
    return Candidate(
        id=str(entry["candidate_id"]),
        design=design,
        metrics={name: round(value, 6) for name, value in metrics.items()},
        slack={name: number(entry["constraint_slack"][name]) for name in LIMITS},
    )


def _sensitive_pair(pair: Row) -> Pair:
    ends, better = [pair["candidate_a"], pair["candidate_b"]], pair["expected_preferred"]
    ends.remove(better)
    return Pair(better=better, worse=ends[0])
