"""Feasibility, slacks and violations of the verdict."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_oracle import (
    DECLARED_DOMAIN,
    LIMITS,
    METRICS,
    VARIABLES,
    InvalidValueError,
    Verdict,
    box_violations,
    feasible,
    judge,
    respond,
    slacks,
)

Design = dict[str, float]

designs = st.fixed_dictionaries({name: st.floats(low, high) for name, (low, high) in DECLARED_DOMAIN.items()})
limits = st.fixed_dictionaries(
    {
        "stress_limit_mpa": st.floats(0.01, 300) | st.none(),
        "disp_limit_mm": st.floats(0.001, 50) | st.none(),
        "freq_error_pct_limit": st.floats(0.1, 200) | st.none(),
        "power_target_uw": st.floats(1e-6, 1e3) | st.none(),
    }
)
SETTING = {"frequency_hz": 60.0, "acceleration_g": 0.5}
WIDE = {"stress_limit_mpa": 1e9, "disp_limit_mm": 1e9, "freq_error_pct_limit": 1e9, "power_target_uw": 0.0}
MIDDLE = {name: (low + high) / 2 for name, (low, high) in DECLARED_DOMAIN.items()}


def is_consistent(verdict: Verdict) -> bool:
    total = sum(v.normalized for v in verdict.violations)
    return (
        verdict.feasible == (not verdict.violations)
        and verdict.total_violation == pytest.approx(total)
        and all(v.normalized > 0 for v in verdict.violations)
        and {v.name for v in verdict.violations} & set(LIMITS) == {n for n, s in verdict.slack.items() if s < 0}
    )


@given(designs, limits)
def test_a_verdict_never_contradicts_itself(design: Design, limit: dict[str, float | None]) -> None:
    verdict = judge(design, limits=limit, **SETTING)
    assert is_consistent(verdict)
    assert verdict.objective == verdict.metrics["load_power_uw"]
    assert verdict.message.startswith("Feasible" if verdict.feasible else "Not feasible")
    json.dumps(asdict(verdict), allow_nan=False)


@given(designs, limits)
def test_a_design_is_judged_alone_as_in_a_batch(design: Design, limit: dict[str, float | None]) -> None:
    verdict = judge(design, limits=limit, **SETTING)
    slack = slacks(respond({name: [value] * 2 for name, value in design.items()}, **SETTING), limit)
    assert feasible(slack).tolist() == [verdict.feasible] * 2
    assert {name: float(values[0]) for name, values in slack.items()} == verdict.slack


@given(designs, st.sampled_from(sorted(LIMITS)))
def test_a_limit_that_is_just_met_is_met(design: Design, name: str) -> None:
    metric = LIMITS[name].metric
    value = judge(design, limits=WIDE, **SETTING).metrics[metric]
    met = judge(design, limits={**WIDE, name: value}, **SETTING)
    assert met.feasible
    assert met.slack[name] == 0
    assert feasible(slacks(respond(design, **SETTING), {**WIDE, name: value}))
    tighter = float(np.nextafter(value, -np.inf if LIMITS[name].upper else np.inf))
    missed = judge(design, limits={**WIDE, name: tighter}, **SETTING)
    assert [v.name for v in missed.violations] == [name]


@pytest.mark.parametrize("name", LIMITS)
def test_an_omitted_limit_is_the_papers_default(name: str) -> None:
    paper = {
        "stress_limit_mpa": 50.0,
        "disp_limit_mm": 5.0,
        "freq_error_pct_limit": 5.0,
        "power_target_uw": 1.0,
    }
    stated = judge(MIDDLE, limits={**WIDE, name: paper[name]}, **SETTING)
    assert judge(MIDDLE, limits={**WIDE, name: None}, **SETTING) == stated
    assert judge(MIDDLE, limits={n: v for n, v in WIDE.items() if n != name}, **SETTING) == stated


@pytest.mark.parametrize("name", LIMITS)
def test_not_a_number_is_not_feasible(name: str) -> None:
    slack = {n: np.array([1.0, 1.0]) for n in LIMITS}
    slack[name] = np.array([np.nan, 1.0])
    assert feasible(slack).tolist() == [False, True]


@given(designs, st.dictionaries(st.sampled_from(sorted(DECLARED_DOMAIN)), st.floats(-0.5, 1.5), min_size=1))
def test_a_design_outside_its_box_is_infeasible_by_its_distance_from_it(
    design: Design, places: dict[str, float]
) -> None:
    """Every box is laid so that the design sits at a known place of its range; 0 to 1 is inside."""
    span = {name: 0.3 * design[name] + 0.1 for name in places}
    bounds = {
        name: {"min": design[name] - place * span[name], "max": design[name] + (1 - place) * span[name]}
        for name, place in places.items()
    }
    verdict = judge(design, limits=WIDE, bounds=bounds, **SETTING)
    clearly_out = {name: max(-p, p - 1) for name, p in places.items() if max(-p, p - 1) > 1e-6}
    named = {v.name for v in verdict.violations}
    assert set(clearly_out) <= named <= {name for name, p in places.items() if not 1e-6 < p < 1 - 1e-6}
    assert verdict.feasible == (not named)
    assert is_consistent(verdict)
    assert verdict.total_violation == pytest.approx(sum(clearly_out.values()), rel=1e-6, abs=1e-5)
    assert all(slack > 0 or name == "power_target_uw" for name, slack in verdict.slack.items())


def test_the_edge_of_the_box_is_inside() -> None:
    bounds = {name: {"min": value, "max": value} for name, value in MIDDLE.items()}
    assert box_violations(VARIABLES, MIDDLE, bounds) == ()


def test_a_box_without_width_gives_a_finite_violation() -> None:
    bounds = {"beam_length_mm": {"min": 50.0, "max": 50.0}, "tip_mass_g": {"min": 0.0, "max": 0.0}}
    found = {v.name: v.normalized for v in box_violations(VARIABLES, {**MIDDLE, "beam_length_mm": 60.0}, bounds)}
    assert found == {"beam_length_mm": pytest.approx(0.2), "tip_mass_g": MIDDLE["tip_mass_g"]}


@pytest.mark.parametrize(
    ("low", "high"), [(float("nan"), 2.0), (1.0, float("inf")), (None, 2.0), ("1", 2.0), (2.0, 1.0)]
)
def test_bounds_that_are_none_are_refused(low: object, high: object) -> None:
    with pytest.raises(ValueError, match="beam_length_mm"):
        box_violations(VARIABLES, MIDDLE, {"beam_length_mm": {"min": low, "max": high}})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "5", True, [5.0]])
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_is_none_is_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidValueError) as caught:
        judge(MIDDLE, limits={**WIDE, name: value}, **SETTING)
    assert caught.value.name == name


def test_the_message_names_every_violation_with_its_numbers() -> None:
    bounds = {"beam_width_mm": {"min": 1.0, "max": 2.0}}
    tight = {
        "stress_limit_mpa": 1e-9,
        "disp_limit_mm": 1e-9,
        "freq_error_pct_limit": 1e-9,
        "power_target_uw": 1e9,
    }
    verdict = judge(MIDDLE, limits=tight, bounds=bounds, **SETTING)
    words = {
        "stress_limit_mpa": METRICS["tip_stress_mpa"].meaning,
        "disp_limit_mm": METRICS["tip_disp_mm"].meaning,
        "freq_error_pct_limit": "resonance 49.4",
        "power_target_uw": METRICS["load_power_uw"].meaning,
        "beam_width_mm": "beam_width_mm",
    }
    assert {v.name for v in verdict.violations} == set(words)
    for v in verdict.violations:
        assert words[v.name] in verdict.message
        assert any(f"{v.value:.{digits}g}" in verdict.message for digits in (3, 4))
        assert f"{v.limit:.3g}" in verdict.message
