"""A brief of the user's own is read as written, and a slip in it is named with what to write instead."""

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped
from vehbench_hf.user_files.brief import plain_number, read_brief
from vehbench_oracle import LIMITS, VARIABLES

EXAMPLE = shipped("cards/example_brief.yaml").read_text(encoding="utf-8")


def brief(**changes: Any) -> str:
    """The example with some values changed: `excitation__frequency_hz=50`; None as a section's value removes it."""
    value = yaml.safe_load(EXAMPLE)
    for path, new in changes.items():
        section, _, key = path.partition("__")
        if not key:
            value[section] = new
        elif new is ...:
            del value[section][key]
        else:
            value[section][key] = new
    return yaml.safe_dump({name: part for name, part in value.items() if part is not ...})


def test_the_example_is_read_as_written() -> None:
    spec = read_brief(EXAMPLE)
    stated = yaml.safe_load(EXAMPLE)
    assert spec["excitation"] == {**stated["excitation"], "stated": []}
    assert spec["constraints"] == stated["constraints"]
    assert spec["materials"] == stated["materials"]
    assert {n: [b["min"], b["max"]] for n, b in spec["variable_bounds"].items() if b} == stated["variable_bounds"]
    assert set(stated["constraints"]) == set(LIMITS)
    assert set(stated["variable_bounds"]) == set(VARIABLES)


def test_what_may_be_left_out_is_not_needed() -> None:
    spec = read_brief(brief(variable_bounds=..., materials__damping_ratio=...))
    assert spec["variable_bounds"] == dict.fromkeys(VARIABLES)
    assert spec["materials"]["damping_ratio"] is None
    spec = read_brief(brief(variable_bounds={"tip_mass_g": {"min": 0, "max": 3}}))
    assert spec["variable_bounds"] == {**dict.fromkeys(VARIABLES), "tip_mass_g": {"min": 0.0, "max": 3.0}}
    assert read_brief(brief(constraints__power_target_uw=0))["constraints"]["power_target_uw"] == 0


def test_a_number_with_an_exponent_is_a_number() -> None:
    text = EXAMPLE.replace("[1000, 1000000]", "[1e3, 1E+6]").replace("frequency_hz: 60", "frequency_hz: 6e1")
    assert read_brief(text) == read_brief(EXAMPLE)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"excitation__frequency_khz": 0.06}, r"'frequency_khz' in excitation; write frequency_hz.* in Hz"),
        ({"excitation__frequency": 60}, r"write frequency_hz"),
        ({"excitation__acceleration_m_s2": 5}, r"write acceleration_g, peak .* 9\.80665 m/s2, and give the value in g"),
        ({"constraints__stress_limit_pa": 6e7}, r"write stress_limit_mpa.* in MPa"),
        ({"constraints__power_target_mw": 1}, r"write power_target_uw.* in uW"),
        ({"constraints__freq_error_limit": 1}, r"write freq_error_pct_limit.* in %"),
        ({"constraints__cost_eur": 5}, r"unknown key 'cost_eur' in constraints; expected stress_limit_mpa, disp_limit"),
        ({"variable_bounds__beam_length_m": [0.1, 0.2]}, r"write beam_length_mm.* in mm"),
        ({"materials__damping": 0.01}, r"write damping_ratio"),
        ({"materials__adhesive": "epoxy"}, r"unknown key 'adhesive' in materials; expected piezo, substrate"),
        ({"frequency_hz": 60}, r"frequency_hz belongs into the section excitation"),
        ({"frequency_khz": 0.06}, r"'frequency_khz'; write frequency_hz.*in the section excitation"),
        ({"environment": {}}, r"unknown section 'environment'; the sections are excitation, constraints"),
        ({"excitation": ...}, r"needs the section excitation with frequency_hz, acceleration_g; got None"),
        ({"constraints": [1]}, r"needs the section constraints .*got \[1\]"),
        ({"excitation__frequency_hz": ...}, r"excitation lacks frequency_hz: frequency of the base motion, in Hz"),
        ({"constraints__disp_limit_mm": None}, r"constraints lacks disp_limit_mm"),
        ({"excitation__frequency_hz": "60 Hz"}, r"frequency_hz must be a plain positive number in Hz .*'60 Hz'"),
        ({"excitation__frequency_hz": math.nan}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": math.inf}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": "1e999"}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": 10**400}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": True}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": [60]}, r"frequency_hz must be a plain positive number"),
        ({"excitation__frequency_hz": "1,000"}, r"frequency_hz must be a plain positive number"),
        ({"excitation__acceleration_g": 0}, r"acceleration_g must be a plain positive number"),
        ({"constraints__stress_limit_mpa": -1}, r"stress_limit_mpa must be a plain positive number in MPa"),
        ({"constraints__power_target_uw": -1}, r"power_target_uw must be a plain number, 0 or more, in uW"),
        ({"materials__piezo": "unobtainium"}, r"unknown material 'unobtainium'; known are PZT-5A"),
        ({"materials__substrate": 5}, r"materials needs substrate, one of stainless_steel.*got 5"),
        ({"materials__piezo": ...}, r"materials needs piezo"),
        ({"materials__damping_ratio": 0}, r"damping_ratio must be a plain positive number"),
        ({"variable_bounds__tip_mass_g": [3, 1]}, r"variable_bounds\.tip_mass_g must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": [1]}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": 2}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": [-1, 2]}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": [0, math.nan]}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": {"max": 1, "min": 2}}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": {"min": 1}}, r"must be \[smallest, largest\] in g"),
        ({"variable_bounds__tip_mass_g": ["a"] * 500}, r"must be \[smallest, largest\] in g"),
    ],
)
def test_a_slip_in_a_brief_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        read_brief(brief(**changes), "the brief b.yaml")
    assert str(caught.value).startswith("the brief b.yaml")
    assert len(str(caught.value)) < 400


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_number_is_unchanged(number: float) -> None:
    assert plain_number(number) == plain_number(repr(number)) == number


@given(st.text(max_size=20))
def test_a_text_that_is_no_number_never_becomes_one(text: str) -> None:
    number = plain_number(text)
    assert number is None or (math.isfinite(number) and number == float(text))
