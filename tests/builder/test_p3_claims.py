"""Claims mean what they say, and one about nothing is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.p3.claims import RELATIONS, ClaimError, claim_holds, claim_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, METRICS

NUMBERS = st.floats(-1e6, 1e6)
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def spec_with(values: list[dict[str, float]]) -> Spec:
    """A brief that shows metrics, one a step."""
    spec = empty_spec()
    spec["excitation"]["frequency_hz"] = 50.0
    spec["constraints"]["stress_limit_mpa"] = 20.0
    spec["history"] = [
        {
            "design": {},
            "note": "",
            "verdict": {"feasible": False, "power_uw": 0.0, "slack": {}, "violations": [], "metrics": shown},
        }
        for shown in values
    ]
    return spec


@given(NUMBERS, NUMBERS, st.sampled_from(sorted(RELATIONS)))
def test_a_claim_and_its_opposite_disagree(a: float, b: float, relation: str) -> None:
    spec = spec_with([{"tip_disp_mm": a}])
    claim = claim_of(1, f"tip_disp_mm {relation} {b!r}")
    assert claim_holds(spec, claim) is not claim_holds(spec, {**claim, "relation": OPPOSITE[relation]})


@given(NUMBERS, NUMBERS)
def test_previous_is_the_step_before(a: float, b: float) -> None:
    spec = spec_with([{"tip_disp_mm": a}, {"tip_disp_mm": b}])
    assert claim_holds(spec, claim_of(2, "tip_disp_mm > previous tip_disp_mm")) is (b > a)
    assert claim_holds(spec, claim_of(2, f"previous tip_disp_mm <= {a!r}"))


def test_a_side_is_a_metric_a_limit_or_the_frequency() -> None:
    spec = spec_with([{"resonant_freq_hz": 49.0, "tip_stress_mpa": 20.0}])
    assert claim_holds(spec, claim_of(1, "resonant_freq_hz < frequency_hz"))
    assert claim_holds(spec, claim_of(1, "tip_stress_mpa <= stress_limit_mpa"))
    assert not claim_holds(spec, claim_of(1, "tip_stress_mpa < stress_limit_mpa"))


@pytest.mark.parametrize(
    ("step", "sentence", "said"),
    [
        (0, "resonant_freq_hz < frequency_hz", "step 0"),
        (2, "resonant_freq_hz < frequency_hz", "steps 1 to 1"),
        (1, "previous resonant_freq_hz < frequency_hz", "no step comes before"),
        (1, "resonance < frequency_hz", "'resonance'"),
        (1, "tip_disp_mm < 1", "shows no tip_disp_mm"),
        (1, "resonant_freq_hz < disp_limit_mm", "shows no disp_limit_mm"),
    ],
)
def test_a_claim_about_nothing_is_refused(step: int, sentence: str, said: str) -> None:
    with pytest.raises(ClaimError, match=said):
        claim_holds(spec_with([{"resonant_freq_hz": 49.0}]), claim_of(step, sentence))


def test_a_sentence_without_a_relation_is_refused() -> None:
    with pytest.raises(ClaimError, match="two sides"):
        claim_of(1, "resonant_freq_hz equals frequency_hz")
    with pytest.raises(ClaimError, match="'=='"):
        claim_holds(spec_with([{}]), {"step": 1, "left": "1", "relation": "==", "right": "1"})


def test_every_shown_metric_and_limit_can_be_claimed(small_bank: Bank) -> None:
    for task in small_bank.select(["p3"]):
        for metric in METRICS:
            assert claim_holds(task.spec, claim_of(1, f"{metric} >= 0"))
        for limit in LIMITS:
            assert claim_holds(task.spec, claim_of(2, f"{limit} > 0"))
