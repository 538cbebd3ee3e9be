"""Small hand-made tasks and records. Everything a test does not name has a harmless value."""

from typing import Any

import pytest

from judged import judge_for
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.types import Record, Step, Task
from vehbench_oracle import LIMITS, VARIABLES, Verdict, Violation, respond

DESIGN = {
    "beam_length_mm": 40.0,
    "beam_width_mm": 14.0,
    "substrate_thickness_um": 500.0,
    "piezo_thickness_um": 150.0,
    "tip_mass_g": 2.0,
    "load_resistance_ohm": 250e3,
}


class Make:
    """Builders for tests."""

    def design(self, **changes: float) -> dict[str, float]:
        return {**DESIGN, **changes}

    def task(self, probe: str, task_id: str = "t", **parts: Any) -> Task:
        """A task; `spec` and `gold` update the empty ones, anything else is a field of `Task`."""
        spec, gold = empty_spec(), empty_gold()
        spec["variable_bounds"] = {name: {"min": 0.5 * DESIGN[name], "max": 1.5 * DESIGN[name]} for name in VARIABLES}
        spec["query_budget"] = {"p1": 1, "p2": 6, "p3": 8, "p4": 1}[probe]
        spec.update(parts.pop("spec", {}))
        gold.update(parts.pop("gold", {}))
        fields = {"split": "dev", "subtype": "s", "difficulty": "d", "source_group": None, "anchor": None, **parts}
        return Task(task_id=task_id, probe=probe, bank_version="test", spec=spec, gold=gold, **fields)

    def anchor(self, key: str) -> dict[str, Any]:
        return {"key": key, "doi": None, "doi_released": None, "title": None, "year": None}

    def record(self, task: Task, *steps: Step, **fields: Any) -> Record:
        return Record(task_id=task.task_id, probe=task.probe, steps=steps, **{"outcome": "ok", **fields})

    def verdict(self, power: float = 1.0, total: float | None = None, **slack: float) -> Verdict:
        """A verdict with the given slacks (1 where not named); infeasible when one is negative."""
        slacks = {name: slack.get(name.removesuffix("_limit_mpa").removesuffix("_limit_mm"), 1.0) for name in LIMITS}
        slacks["freq_error_pct_limit"] = slack.get("freq", 1.0)
        slacks["power_target_uw"] = slack.get("power", 1.0)
        broken = tuple(Violation(name, 0.0, 1.0, "", -value) for name, value in slacks.items() if value < 0)
        total = sum(v.normalized for v in broken) if total is None else total
        return Verdict(not broken, power, {"load_power_uw": power}, slacks, broken, total, "")

    def propose(self, verdict: Verdict, action: str = "propose_design", **changes: float) -> Step:
        return Step(action, design=self.design(**changes), verdict=verdict)

    def triage(self, action: str | None, gold: str, task_id: str = "t", **parts: Any) -> tuple[Task, Record]:
        """A P1 row; the action None is an unreadable reply."""
        harness = parts.pop("harness_action", None)
        task = self.task("p1", task_id, gold={"action": gold}, **parts)
        if action is None:
            return task, self.record(task, outcome="format_error")
        return task, self.record(task, Step(action, harness_action=harness))

    def pool(self, task_id: str = "t", *, sensitive: str = "", dominated: str = "", **parts: Any) -> Task:
        """A P4 task with gold order a..e; pairs are written like "ab cd", better first."""

        def pairs(text: str) -> list[dict[str, str]]:
            return [{"better": pair[0], "worse": pair[1]} for pair in text.split()]

        spec = {"profile": parts.pop("profile", "balanced")}
        gold = {
            "ranking": list("abcde"),
            "policy_sensitive_pairs": pairs(sensitive),
            "dominated_pairs": pairs(dominated),
        }
        return self.task("p4", task_id, spec=spec, gold=gold, **parts)

    def rank(self, task: Task, order: str | None, **fields: Any) -> Record:
        """A P4 record; the order None is an unreadable reply."""
        if order is None:
            return self.record(task, outcome="format_error", **fields)
        return self.record(task, Step("rank", ranking=tuple(order)), **fields)


@pytest.fixture(scope="session")
def make() -> Make:
    return Make()


@pytest.fixture(scope="session")
def trapped(make):
    """A P3 task on real physics: resonant and feasible at 2 g, and a history that ended at 2.9 g, off resonance.

    The limits leave the start feasible. The stored slack of the stress limit is wrong on purpose, as in bank v1.
    """
    start = make.design()
    at_start = respond(start, frequency_hz=1.0, acceleration_g=1.0)
    frequency = float(at_start.resonant_freq_hz)
    at_start = respond(start, frequency_hz=frequency, acceleration_g=1.0)
    task = make.task(
        "p3",
        spec={
            "constraints": {
                "stress_limit_mpa": 1.1 * float(at_start.tip_stress_mpa),
                "disp_limit_mm": 1.1 * float(at_start.tip_disp_mm),
                "freq_error_pct_limit": 4.0,
                "power_target_uw": 0.5 * float(at_start.load_power_uw),
            },
            "excitation": {"frequency_hz": frequency, "acceleration_g": 1.0, "stated": []},
            "materials": {"piezo": "PZT-5A", "substrate": "stainless_steel", "damping_ratio": None},
        },
        gold={"trap": {"type": "x", "variable": "tip_mass_g", "direction": "increase", "secondary_constraint": None}},
    )
    last = make.design(tip_mass_g=2.9)
    verdict = judge_for(task.spec, last)
    assert {v.name for v in verdict.violations} == {"freq_error_pct_limit", "power_target_uw"}
    stored = {
        "feasible": False,
        "power_uw": verdict.objective,
        "slack": {**verdict.slack, "stress_limit_mpa": -1.0},
        "violations": [],
        "metrics": None,
    }
    task.spec["history"] = [{"design": last, "note": "", "verdict": stored}]
    return task
