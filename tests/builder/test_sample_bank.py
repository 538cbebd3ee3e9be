"""Every statement of the sample bank is true, and the committed files are what the builder writes."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from vehbench_builder.devices import DEVICES
from vehbench_builder.sample import write_sample
from vehbench_builder.sample_p4 import WEIGHTS
from vehbench_builder.veh.closed_bounds import allowed_range_hz, power_bound_uw, resonance_range_hz
from vehbench_builder.veh.spec_numbers import bounds_of, excited, response_for, unit_box
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import PROBES, Probe, Spec, Task
from vehbench_oracle import DECLARED_DOMAIN, LIMITS, METRICS, VARIABLES, feasible, oracle_fingerprint, slacks

COMMITTED = Path(__file__).resolve().parents[2] / "dataset_builder" / "vehbench_builder" / "sample_bank"
DRAWS = 20_000


def random_designs(spec: Spec, n: int = DRAWS, seed: int = 1) -> dict[str, np.ndarray]:
    """Designs all over the box; every variable sits at an end of its range now and then."""
    u = np.random.default_rng(seed).uniform(-0.1, 1.1, (len(VARIABLES), n))
    return unit_box(spec)(np.clip(u, 0.0, 1.0))


def feasible_designs(spec: Spec, designs: dict[str, np.ndarray]) -> np.ndarray:
    return feasible(slacks(response_for(spec, designs), spec["constraints"]))


def least_share(task: Task, slack: dict[str, float]) -> float:
    return min(slack[name] / (task.spec["constraints"][name] or 0.0) for name in LIMITS)


def of_probe(bank: Bank, probe: Probe, subtype: str | None = None) -> list[Task]:
    tasks = [task for task in bank.select([probe]) if subtype in (None, task.subtype)]
    assert tasks
    return tasks


@pytest.mark.slow
def test_the_committed_files_are_not_what_the_builder_writes(tmp_path: Path) -> None:
    manifest = write_sample(tmp_path)
    committed = open_bank(COMMITTED)
    built_with = committed.manifest["built_with"]
    files = {p.relative_to(COMMITTED): p.read_bytes() for p in COMMITTED.rglob("*") if p.is_file()}
    rebuilt = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert files.keys() == rebuilt.keys()
    if built_with == {name: version(name) for name in built_with}:
        assert [name for name in files if files[name] != rebuilt[name]] == []
        return
    # Other versions of numpy and scipy may end a search in other last digits, and pyarrow stamps its own version.
    assert manifest["counts"] == committed.manifest["counts"]
    for ours, theirs in zip(open_bank(tmp_path).tasks, committed.tasks, strict=True):
        assert (ours.task_id, ours.subtype, ours.anchor) == (theirs.task_id, theirs.subtype, theirs.anchor)
        if ours.gold["reference"] and theirs.gold["reference"]:
            assert ours.gold["reference"]["power_uw"] == pytest.approx(theirs.gold["reference"]["power_uw"], rel=1e-3)


def test_the_bank_is_large_incomplete_or_made_with_another_oracle(sample_bank: Bank) -> None:
    assert sample_bank.path == COMMITTED
    assert sum(p.stat().st_size for p in COMMITTED.rglob("*") if p.is_file()) < 200_000
    counts = {(p, s): len(sample_bank.select([p], [s])) for p in PROBES for s in ("dev", "test_id", "test_ood")}
    assert counts == {(p, s): n for p in PROBES for s, n in (("dev", 2), ("test_id", 1), ("test_ood", 2))}
    assert len(sample_bank.by_id) == 20
    assert (sample_bank.version, sample_bank.convention) == ("veh-sample-1", "defined")
    assert sample_bank.manifest["oracle"] == oracle_fingerprint()
    assert {task.bank_version for task in sample_bank.tasks} == {sample_bank.version}


def test_the_card_opens_with_anything_but_what_this_is_not(sample_bank: Bank) -> None:
    text = (COMMITTED / "README.md").read_text(encoding="utf-8")
    opening = " ".join(text.split("---")[2].split())[:600]
    assert "20 tasks" in opening
    assert "not the VEHBench benchmark" in opening
    assert 'means nothing beyond "it works"' in opening
    assert all(device.doi in text for device in DEVICES)
    assert "CC-BY-4.0" in text
    assert CANARY in text
    assert "{" not in text


def test_a_paper_lies_in_two_splits_or_is_not_cited(sample_bank: Bank) -> None:
    splits: dict[str, set[str]] = {}
    for task in sample_bank.tasks:
        assert task.anchor is not None
        assert task.anchor["doi_released"] is None
        assert all(task.anchor[name] for name in ("key", "doi", "title", "year"))  # type: ignore[literal-required]
        splits.setdefault(task.anchor["doi"] or "", set()).add(task.split)
    assert len(splits) == len(DEVICES)
    assert all(len(found) == 1 for found in splits.values())


def test_a_scaled_device_is_not_similar_to_the_stated_one() -> None:
    assert [device.scale == 1 for device in DEVICES] == [device.split != "test_ood" for device in DEVICES]
    for device in DEVICES:
        stated, k = dict(zip(VARIABLES, device.stated, strict=True)), device.scale
        for name, (low, high) in DECLARED_DOMAIN.items():
            factor = {"tip_mass_g": k**3, "load_resistance_ohm": 1.0}.get(name, k)
            assert device.design[name] == pytest.approx(stated[name] * factor, rel=1e-5)
            assert low <= device.design[name] <= high


def test_a_box_leaves_the_domain_or_is_centred_on_its_device(sample_bank: Bank) -> None:
    designs = {device.key: device.design for device in DEVICES}
    for task in sample_bank.tasks:
        assert task.anchor is not None
        for name, (lowest, highest) in DECLARED_DOMAIN.items():
            low, high = bounds_of(task.spec, name)
            assert lowest <= low < high <= highest
            assert low <= designs[task.anchor["key"]][name] <= high
        low, high = bounds_of(task.spec, "beam_length_mm")
        assert abs((designs[task.anchor["key"]]["beam_length_mm"] - low) / (high - low) - 0.5) > 1e-3
        assert task.spec["materials"]["damping_ratio"] == 0.01
        assert task.spec["initial_design"] is None


def test_a_workable_brief_has_no_comfortable_witness(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p1", "solvable_base"):
        assert task.gold["action"] == "propose_design"
        assert task.gold["witness"] is not None
        verdict = judge_for(task.spec, task.gold["witness"])
        assert verdict.feasible
        assert least_share(task, verdict.slack) >= 0.05


def test_a_brief_called_infeasible_by_frequency_can_be_met(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p1", "infeasible_structural"):
        assert task.gold["action"] == "declare_infeasible"
        reach, allowed = resonance_range_hz(task.spec), allowed_range_hz(task.spec)
        assert allowed.low > 1.15 * reach.high
        for end in (*reach, *allowed):
            assert f"{end:.6g}" in (task.gold["certificate"] or "")
        resonances = response_for(task.spec, random_designs(task.spec)).resonant_freq_hz
        assert reach.low <= resonances.min() < resonances.max() <= reach.high
        assert not feasible_designs(task.spec, random_designs(task.spec)).any()


def test_a_brief_called_infeasible_by_power_can_be_met(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p1", "infeasible_margin"):
        assert task.gold["action"] == "declare_infeasible"
        bound, target = power_bound_uw(task.spec), task.spec["constraints"]["power_target_uw"]
        assert target is not None
        assert target > 1.25 * bound
        assert f"{bound:.6g} uW, and the target is {target:.6g} uW" in (task.gold["certificate"] or "")
        designs = random_designs(task.spec)
        assert not feasible_designs(task.spec, designs).any()
        tuned = response_for(task.spec, designs)
        met = tuned.freq_error_pct <= (task.spec["constraints"]["freq_error_pct_limit"] or 0.0)
        assert tuned.load_power_uw[met].max() <= bound
        # Nothing but the target stands in the way.
        lower: Spec = {**task.spec, "constraints": {**task.spec["constraints"], "power_target_uw": 1e-3}}
        assert feasible_designs(lower, designs).any()


def test_a_missing_value_decides_nothing(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p1", "missing_blocker_obvious"):
        assert task.gold["action"] == "request_missing_info"
        assert task.gold["missing_fields"] == ["frequency_hz"]
        assert task.spec["excitation"]["frequency_hz"] is None
        certificate = task.gold["certificate"] or ""
        good, bad = (float(number) for number in re.findall(r"frequency_hz = ([0-9.]+)", certificate))
        witness = json.loads(re.findall(r"\{.*\}", certificate)[0])
        acceleration = task.spec["excitation"]["acceleration_g"]
        met = judge_for(excited(task.spec, frequency_hz=good, acceleration_g=acceleration), witness)
        assert met.feasible
        assert least_share(task, met.slack) >= 0.05
        hopeless = excited(task.spec, frequency_hz=bad, acceleration_g=acceleration)
        assert allowed_range_hz(hopeless).low > 1.15 * resonance_range_hz(hopeless).high
        assert not feasible_designs(hopeless, random_designs(hopeless)).any()


@pytest.mark.parametrize("probe", ["p2", "p3"])
def test_a_reference_is_infeasible_weak_or_above_its_bound(probe: Probe, sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, probe):
        reference = task.gold["reference"]
        assert reference is not None
        assert reference["design"] is not None
        assert reference["power_uw"] is not None
        assert reference["power_uw_older"] is None
        verdict = judge_for(task.spec, reference["design"])
        assert verdict.feasible
        assert verdict.objective == reference["power_uw"]
        assert (reference["upper_bound_uw"] or 0) >= reference["power_uw"]
        assert reference["upper_bound_uw"] == power_bound_uw(task.spec)
        shifts = np.random.default_rng(2).normal(1.0, 0.01, (len(VARIABLES), DRAWS))
        near = {name: reference["design"][name] * shift for name, shift in zip(VARIABLES, shifts, strict=True)}
        near = {name: np.clip(values, *bounds_of(task.spec, name)) for name, values in near.items()}
        for designs in (random_designs(task.spec, 100_000), near):
            power = response_for(task.spec, designs).load_power_uw
            feasible_power = power[feasible_designs(task.spec, designs)]
            assert feasible_power.max(initial=0.0) <= 1.001 * reference["power_uw"]


def test_a_search_has_no_target_device_or_budget(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p2"):
        reference, anchor = task.gold["reference"], task.gold["anchor_design"]
        assert reference is not None
        assert anchor is not None
        assert task.spec["constraints"]["power_target_uw"] == pytest.approx(
            0.4 * (reference["power_uw"] or 0), rel=1e-3
        )
        assert judge_for(task.spec, anchor).feasible
        assert anchor in [device.design for device in DEVICES]
        assert task.spec["query_budget"] == 6


def test_a_history_holds_a_way_out_or_a_verdict_of_other_limits(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p3"):
        assert (len(task.spec["history"]), task.spec["query_budget"]) == (4, 8)
        for step in task.spec["history"]:
            verdict = judge_for(task.spec, step["design"])
            assert not verdict.feasible
            assert all(bounds_of(task.spec, n)[0] <= v <= bounds_of(task.spec, n)[1] for n, v in step["design"].items())
            assert step["verdict"] == {
                "feasible": False,
                "power_uw": verdict.objective,
                "slack": verdict.slack,
                "violations": [v.name for v in verdict.violations],
                "metrics": verdict.metrics,
            }


def test_walking_back_along_the_trap_variable_is_enough(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p3"):
        trap, history = task.gold["trap"], task.spec["history"]
        assert trap is not None
        assert trap["variable"] is not None
        walked = [step["design"][trap["variable"]] for step in history]
        moves = [b - a for a, b in pairwise(walked)]
        assert all((move > 0) == (trap["direction"] == "increase") for move in moves)
        others = [{n: v for n, v in step["design"].items() if n != trap["variable"]} for step in history]
        assert all(one == others[0] for one in others)
        line = np.linspace(*bounds_of(task.spec, trap["variable"]), 50_021)
        assert not feasible_designs(task.spec, {**history[-1]["design"], trap["variable"]: line}).any()
        # On that line the named limit alone is what a tuned and strong enough design breaks.
        name = trap["secondary_constraint"]
        assert name is not None
        relaxed: Spec = {**task.spec, "constraints": {**task.spec["constraints"], name: 1e9}}
        assert feasible_designs(relaxed, {**history[-1]["design"], trap["variable"]: line}).any()


def test_a_note_tells_the_truth(sample_bank: Bank) -> None:
    """What each kind of note claims, against the verdicts that stand beside it."""
    seen = set()
    for task in of_probe(sample_bank, "p3"):
        verdicts = [step["verdict"] for step in task.spec["history"]]
        metrics = [verdict["metrics"] or {} for verdict in verdicts]
        excitation = task.spec["excitation"]["frequency_hz"] or 0.0
        resonances = [m["resonant_freq_hz"] for m in metrics]
        errors = [m["freq_error_pct"] for m in metrics]
        powers = [verdict["power_uw"] for verdict in verdicts]
        assert errors == sorted(errors)
        if task.subtype == "wrong_direction":  # claims that the move raises a resonance that is too low
            assert excitation > resonances[0]
            assert resonances == sorted(resonances, reverse=True)
        elif task.subtype == "unit_flip":  # claims that the resonance is 6.28 times lower than read, and too low
            assert all(excitation < f for f in resonances)
            assert all(f / (2 * np.pi) < excitation for f in resonances)
            assert resonances == sorted(resonances)
        else:  # claims that the limits do not matter and that the power rises
            assert task.subtype == "verifier_ignored"
            assert all("freq_error_pct_limit" in verdict["violations"] for verdict in verdicts)
            assert powers == sorted(powers, reverse=True)
        for step, before in zip(task.spec["history"][1:], metrics, strict=False):
            shown = (before["resonant_freq_hz"], before["resonant_freq_hz"] / (2 * np.pi), before["freq_error_pct"])
            assert any(f"{value:.{digits}g}" in step["note"] for value in shown for digits in (3, 4))
        seen.add(task.subtype)
    assert len(seen) == 3


def test_an_order_does_not_follow_from_the_policy(sample_bank: Bank) -> None:
    profiles = set()
    for task in of_probe(sample_bank, "p4"):
        spec, gold, candidates = task.spec, task.gold, task.spec["candidates"]
        assert spec["profile"] is not None
        assert spec["policy"] is not None
        power_weight, margin_weight = (float(x) for x in re.findall(r"(0\.\d+) (?:P|S)\b", spec["policy"])[:2])
        assert (power_weight, margin_weight) == WEIGHTS[spec["profile"]]
        power = {c["id"]: c["metrics"]["load_power_uw"] for c in candidates}
        stress, disp = spec["constraints"]["stress_limit_mpa"] or 0.0, spec["constraints"]["disp_limit_mm"] or 0.0
        safety = {
            c["id"]: min(1 - c["metrics"]["tip_stress_mpa"] / stress, 1 - c["metrics"]["tip_disp_mm"] / disp)
            for c in candidates
        }
        u = {i: power_weight * power[i] / max(power.values()) + margin_weight * safety[i] for i in power}
        order = sorted(u, key=lambda i: -u[i])
        assert gold["ranking"] == order
        assert [one["id"] for one in gold["utilities"]] == order
        assert [one["value"] for one in gold["utilities"]] == pytest.approx([u[i] for i in order])
        assert min(u[a] - u[b] for a, b in pairwise(order)) >= 0.005 - 1e-9
        assert [c["id"] for c in candidates] == ["A", "B", "C", "D", "E"]
        profiles.add(spec["profile"])
    assert profiles == set(WEIGHTS)
    assert len({tuple(task.gold["ranking"]) for task in of_probe(sample_bank, "p4")}) > 2


def test_a_candidate_is_infeasible_or_misreported(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p4"):
        for candidate in task.spec["candidates"]:
            verdict = judge_for(task.spec, candidate["design"])
            assert verdict.feasible
            assert least_share(task, verdict.slack) >= 0.005
            assert candidate["metrics"] == {name: verdict.metrics[name] for name in METRICS}
            assert candidate["slack"] == verdict.slack


def test_a_pair_is_listed_wrongly_or_left_out(sample_bank: Bank) -> None:
    for task in of_probe(sample_bank, "p4"):
        power = {c["id"]: c["metrics"]["load_power_uw"] for c in task.spec["candidates"]}
        worth = {c["id"]: [power[c["id"]], *c["slack"].values()] for c in task.spec["candidates"]}
        dominated, sensitive = set(), set()
        for a, b in combinations(task.gold["ranking"], 2):
            for x, y in ((a, b), (b, a)):
                if all(p >= q for p, q in zip(worth[x], worth[y], strict=True)) and worth[x] != worth[y]:
                    dominated.add((x, y))
            if power[b] > power[a]:
                sensitive.add((a, b))
        assert {(p["better"], p["worse"]) for p in task.gold["dominated_pairs"]} == dominated
        assert {(p["better"], p["worse"]) for p in task.gold["policy_sensitive_pairs"]} == sensitive
        assert dominated
        assert sensitive


def test_load_dataset_gives_other_tasks_than_open_bank(sample_bank: Bank, tmp_path: Path) -> None:
    code = (
        "import sys, datasets\n"
        "from vehbench_hf.bank.bank import open_bank\n"
        "from vehbench_hf.bank.schema import row_to_task\n"
        "bank = open_bank(sys.argv[1])\n"
        "for probe in ('p1', 'p2', 'p3', 'p4'):\n"
        "    data = datasets.load_dataset(sys.argv[1], probe)\n"
        "    assert list(data) == ['dev', 'test_id', 'test_ood'], list(data)\n"
        "    tasks = [row_to_task(row) for split in data.values() for row in split]\n"
        "    assert tasks == bank.select([probe]), probe\n"
        "    print(probe, len(tasks))\n"
    )
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HF_DATASETS_CACHE": str(tmp_path / "datasets")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(sample_bank.path)],
        env={**os.environ, **offline},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["p1", "5", "p2", "5", "p3", "5", "p4", "5"]
