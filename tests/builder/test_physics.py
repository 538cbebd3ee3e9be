"""The report on physics repeats the oracle where nothing is off, and docs/physics.md shows what it prints."""

import re
from pathlib import Path

import pytest

from command_line import vehbench
from vehbench_builder.veh import physics
from vehbench_builder.veh.physics import oracle, physics_report, uncertain
from vehbench_hf.bank.bank import Bank, open_bank

PAGE = Path(__file__).resolve().parents[2] / "docs" / "physics.md"


def test_under_the_oracle_itself_everything_stands(small_bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics, "MODELS", {"oracle": oracle, "nothing off": uncertain()})
    report = physics_report(small_bank.tasks)
    assert {kind: total for kind, (_, total) in report.models["oracle"].feasible.items() if total} != {}
    for survival in report.models.values():
        assert all(kept == total for kept, total in survival.feasible.values())
        assert survival.tau == pytest.approx(1.0)
        assert (survival.exact, survival.same_winner) == (1.0, 1.0)


def test_thicker_layers_and_weaker_damping_cost_designs(small_bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics, "MODELS", {"off": uncertain(thickness=0.3, damping=3.0)})
    (survival,) = physics_report(small_bank.tasks).models.values()
    kept, total = (sum(counts) for counts in zip(*survival.feasible.values(), strict=True))
    assert kept < total / 2
    assert survival.tau is not None
    assert survival.tau < 1.0


def test_a_bank_without_designs_has_nothing_to_report(small_bank: Bank) -> None:
    report = physics_report([task for task in small_bank.tasks if task.gold["action"] == "declare_infeasible"])
    assert report.ratios == {}
    assert {survival.tau for survival in report.models.values()} == {None}
    assert "undefined" in report.as_text()


@pytest.mark.slow
def test_the_page_shows_what_the_command_prints() -> None:
    shown = re.search(r"```\n(Oracle over.*?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    printed = physics_report(open_bank("v2").tasks).as_text()
    number = re.compile(r"\d+(?:\.\d+)?")
    assert number.sub("#", printed.split("\n\nA report")[0]).split() == number.sub("#", shown[1]).split()
    pairs = zip(number.findall(shown[1]), number.findall(printed), strict=False)
    assert all(abs(float(old) - float(new)) <= 0.02 + 0.02 * float(new) for old, new in pairs)


def test_the_command_prints_the_report_and_fails_nothing(small_bank: Bank) -> None:
    text = vehbench("audit", str(small_bank.path), "--physics")
    assert text.returncode == 0
    assert "distributed beam, 3 modes" in text.stdout
