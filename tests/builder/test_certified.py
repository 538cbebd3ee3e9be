"""A reference without a proof is no reference, and a value at the end of its range is written as that end."""

import pytest

from judged import judge_for
from vehbench_builder.build_spec import BuildError
from vehbench_builder.seeds import rng
from vehbench_builder.veh import certified as module
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.certified import certified, strongest
from vehbench_builder.veh.limits import Factors, limited
from vehbench_builder.veh.numbers import rounded_design
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec


@pytest.fixture(scope="module")
def brief() -> Spec:
    anchor = next(a for a in load_anchors() if a.key == "10_1063_1_3406253")
    design = rounded_design(anchor.design)
    spec = empty_spec()
    box = box_around(
        design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=0.14, draw=rng("test_certified")
    )
    spec["variable_bounds"] = {**box}
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    spec["excitation"] = {"frequency_hz": 1.015 * anchor.resonance_hz, "acceleration_g": 1.0, "stated": []}
    return limited(spec, design, Factors(amplitude=1.08, power=0.7, freq_floor=1.5, freq=1.05))


def test_a_reference_meets_all_limits_and_is_written_with_six_digits(brief: Spec) -> None:
    design = strongest(brief)
    assert design is not None
    verdict = judge_for(brief, design)
    assert verdict.feasible
    assert all(value == float(f"{value:.6g}") for value in design.values())
    found = certified(brief, design).reference
    assert found["power_uw"] == verdict.objective
    assert found["upper_bound_uw"] is not None
    assert found["power_uw"] is not None
    assert found["power_uw"] <= found["upper_bound_uw"] <= 1.05 * found["power_uw"] * (1 + 1e-9)


def test_no_tip_mass_of_next_to_nothing_is_asked_for(brief: Spec) -> None:
    design = strongest(brief)
    assert design is not None
    for name, box in brief["variable_bounds"].items():
        assert box is not None
        inside = min(design[name] - box["min"], box["max"] - design[name]) / (box["max"] - box["min"])
        assert inside == 0 or inside > 1e-6, name


def test_limits_that_nothing_meets_give_no_reference(brief: Spec) -> None:
    impossible: Spec = {**brief, "constraints": {**brief["constraints"], "disp_limit_mm": 1e-9}}
    assert strongest(impossible) is None


def test_a_weak_design_does_not_pass_for_the_reference(brief: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    design = strongest(brief)
    assert design is not None
    monkeypatch.setattr(module, "MAX_BOXES", (2_000, 2_000))
    weak = {**design, "load_resistance_ohm": 0.7 * design["load_resistance_ohm"]}
    assert judge_for(brief, weak).objective < 0.95 * judge_for(brief, design).objective  # type: ignore[operator]
    with pytest.raises(BuildError, match="no proof"):
        certified(brief, weak)


def test_a_brief_that_withholds_its_excitation_or_material_is_not_certified(brief: Spec) -> None:
    silent: Spec = {**brief, "excitation": {**brief["excitation"], "acceleration_g": None}}
    with pytest.raises(ValueError, match="acceleration_g is missing"):
        strongest(silent)
    unnamed: Spec = {**brief, "materials": {**brief["materials"], "piezo": None}}
    with pytest.raises(ValueError, match="withholds a material"):
        strongest(unnamed)
