"""Bad input ends in a typed error that names the quantity, and extreme input in a verdict."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_oracle import (
    DECLARED_DOMAIN,
    InvalidValueError,
    MissingVariableError,
    OracleError,
    UnknownMaterialError,
    judge,
    respond,
)
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE, piezo, substrate

MIDDLE = {name: (low + high) / 2 for name, (low, high) in DECLARED_DOMAIN.items()}
SETTING = {"frequency_hz": 60.0, "acceleration_g": 0.5}
LIMITS_NONE = dict.fromkeys(("stress_limit_mpa", "disp_limit_mm", "power_target_uw"))

NOT_NUMBERS = [
    "12",
    "",
    b"12",
    True,
    False,
    np.True_,
    1j,
    {},
    object(),
    ["12"],
    [True],
    [[1.0], [1.0, 2.0]],
    [None],
]
OUT_OF_RANGE = [float("nan"), float("inf"), float("-inf"), -1.0, -(10**400), 10**400]


@pytest.mark.parametrize("value", [*NOT_NUMBERS, *OUT_OF_RANGE], ids=lambda v: f"{type(v).__name__}")
@pytest.mark.parametrize("name", [*DECLARED_DOMAIN, *SETTING, "damping_ratio"])
def test_bad_input_is_refused_by_the_name_of_the_quantity(name: str, value: object) -> None:
    changed = {**MIDDLE, **SETTING, name: value}
    design = {n: changed.pop(n) for n in DECLARED_DOMAIN}
    with pytest.raises(InvalidValueError, match=name) as caught:
        respond(design, **changed)
    assert caught.value.name == name
    assert len(caught.value.message) < 150
    with pytest.raises(InvalidValueError, match=name):
        judge(design, limits={}, **changed)


@pytest.mark.parametrize("name", [*DECLARED_DOMAIN, *SETTING])
def test_zero_is_refused_where_it_has_no_meaning(name: str) -> None:
    changed = {**MIDDLE, **SETTING, name: 0.0}
    design = {n: changed.pop(n) for n in DECLARED_DOMAIN}
    if name == "tip_mass_g":
        assert respond(design, **changed).load_power_uw > 0
        return
    with pytest.raises(InvalidValueError, match=name):
        respond(design, **changed)


@pytest.mark.parametrize("absent", [True, False])
@pytest.mark.parametrize("name", DECLARED_DOMAIN)
def test_a_missing_variable_is_named(name: str, absent: bool) -> None:
    design = {n: v for n, v in MIDDLE.items() if n != name} if absent else {**MIDDLE, name: None}
    for call in (
        lambda: respond(design, **SETTING),
        lambda: judge(design, limits={}, **SETTING),
    ):
        with pytest.raises(MissingVariableError, match=name) as caught:
            call()
        assert caught.value.name == name


@pytest.mark.parametrize("name", SETTING)
def test_a_withheld_excitation_is_named(name: str) -> None:
    with pytest.raises(MissingVariableError, match=name) as caught:
        judge(MIDDLE, limits={}, **{**SETTING, name: None})
    assert caught.value.name == name


def test_one_bad_design_in_a_batch_is_named() -> None:
    lengths = np.full(5000, 50.0)
    lengths[4321] = -3.5
    with pytest.raises(InvalidValueError, match=r"beam_length_mm.*-3\.5"):
        respond({**MIDDLE, "beam_length_mm": lengths}, **SETTING)


def test_an_empty_batch_gives_an_empty_response() -> None:
    assert respond({**MIDDLE, "beam_length_mm": []}, **SETTING).load_power_uw.shape == (0,)


def test_a_list_is_not_taken_for_one_design() -> None:
    with pytest.raises(InvalidValueError, match="beam_length_mm"):
        judge({**MIDDLE, "beam_length_mm": [50.0]}, limits={}, **SETTING)


@pytest.mark.parametrize("number", [50, np.int32(50), np.float32(50), np.float64(50), np.array(50.0)])
def test_a_number_of_another_type_gives_the_same_verdict(number: object) -> None:
    verdict = judge({**MIDDLE, "beam_length_mm": number}, limits={}, **SETTING)
    assert verdict == judge({**MIDDLE, "beam_length_mm": 50.0}, limits={}, **SETTING)


SPELLINGS = {
    "PZT-5A": ["pzt5a"],
    "PZT-5H": ["PZT_5H", "pzt 5h"],
    "MFC-M8528": ["MFCM8528", "MFC", "m8528"],
    "PVDF": ["pvdf film", "Polyvinylidene fluoride"],
    "stainless_steel": ["Stainless Steel", "stainless-steel", "steel"],
    "aluminum": ["Aluminium", "Al"],
    "brass": ["BRASS"],
    "titanium": ["Ti"],
}


@pytest.mark.parametrize(("known", "name"), [(known, name) for known, names in SPELLINGS.items() for name in names])
def test_a_known_spelling_of_a_material_is_understood(known: str, name: str) -> None:
    assert (piezo(name) == PIEZO[known]) if known in PIEZO else (substrate(name) == SUBSTRATE[known])


@pytest.mark.parametrize("bad", ["", "unobtainium", "PZT", "PZT-5A steel", None, 5, ["PVDF"], "x" * 10_000])
def test_an_unknown_material_is_refused_with_the_known_ones(bad: object) -> None:
    with pytest.raises(UnknownMaterialError, match=r"piezo material.*PZT-5A, PZT-5H, MFC-M8528, PVDF") as caught:
        piezo(bad)
    assert caught.value.name == "piezo material"
    assert len(str(caught.value)) < 200
    with pytest.raises(UnknownMaterialError, match=r"substrate material.*stainless_steel"):
        respond(MIDDLE, **SETTING, substrate=bad)


@given(
    st.fixed_dictionaries(
        {name: st.sampled_from([1e-300, 1e-30, 1.0, 50.0, 1e30, 1e150, 1e300]) for name in DECLARED_DOMAIN}
    ),
    st.sampled_from([1e-300, 1e-3, 60.0, 1e300]),
    st.sampled_from([1e-300, 0.5, 1e300]),
)
def test_an_absurd_design_gets_a_finite_verdict_that_is_not_feasible(
    design: dict[str, float], frequency_hz: float, acceleration_g: float
) -> None:
    extreme = any(not 1.0 <= value <= 50.0 for value in design.values())
    bounds = {name: {"min": low, "max": high} for name, (low, high) in DECLARED_DOMAIN.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = judge(design, limits={}, bounds=bounds, frequency_hz=frequency_hz, acceleration_g=acceleration_g)
    assert not (extreme and verdict.feasible)
    assert verdict.message
    assert all(np.isfinite(v) for v in [*verdict.metrics.values(), *verdict.slack.values()])


@pytest.mark.parametrize("name", DECLARED_DOMAIN)
def test_a_value_of_1e300_alone_is_not_feasible(name: str) -> None:
    verdict = judge({**MIDDLE, name: 1e300}, limits={}, **SETTING)
    assert not verdict.feasible
    assert verdict.message.startswith("Not feasible")


def test_an_error_is_unchanged_on_its_way_between_processes() -> None:
    error = InvalidValueError("beam_length_mm", "beam_length_mm must be finite")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), copy.name, str(copy)) == (InvalidValueError, error.name, str(error))
    assert isinstance(error, OracleError)
    assert isinstance(error, ValueError)
