import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.analysis.profiles import AXES, SUMMARY_GAINS, indicators, profiles
from vehbench_hf.scoring import score_parts
from vehbench_hf.types import PROBES, Convention

NAMES = [name for names in AXES.values() for name in names]
numbers = st.one_of(st.none(), st.floats(-2, 2, allow_nan=False))
model = st.fixed_dictionaries(dict.fromkeys(NAMES, numbers))
pools = st.dictionaries(st.sampled_from(list("abcd")), model, min_size=1, max_size=4)


def full(value: float) -> dict[str, float | None]:
    return dict.fromkeys(NAMES, value)


@given(pools, st.sampled_from(["released", "defined"]))
def test_a_score_stays_in_the_unit_interval(models: dict[str, dict[str, float | None]], convention: Convention) -> None:
    scored = profiles(models, convention)
    assert scored.keys() == models.keys()
    for scores in scored.values():
        assert list(scores) == list(AXES)
        for axis, score in scores.items():
            assert (score.value is None) == (not score.used)
            assert score.value is None or 0 <= score.value <= 1
            assert set(score.used) <= set(AXES[axis])


@given(pools)
def test_a_released_score_does_not_depend_on_who_else_is_scored(models: dict[str, dict[str, float | None]]) -> None:
    together = profiles(models, "released")
    for name, found in models.items():
        assert profiles({name: found}, "released")[name] == together[name]


@given(model, st.floats(0.1, 5), st.floats(-3, 3))
def test_a_defined_score_does_not_depend_on_the_unit_of_an_indicator(
    found: dict[str, float | None], factor: float, shift: float
) -> None:
    pool = {"x": found, "low": full(-2.5), "high": full(2.5)}
    scaled = {m: {k: None if v is None else factor * v + shift for k, v in of.items()} for m, of in pool.items()}
    for axis in AXES:
        one, two = (profiles(p, "defined")["x"][axis] for p in (pool, scaled))
        assert one.used == two.used
        if one.value is not None:
            assert two.value == pytest.approx(one.value, abs=1e-6)


def test_an_indicator_that_one_model_lacks_is_left_out_for_all() -> None:
    models = {"a": full(0.2), "b": full(0.8), "c": {**full(0.5), SUMMARY_GAINS[0]: None}}
    scores = profiles(models, "defined")
    for found in scores.values():
        assert SUMMARY_GAINS[0] not in found["state"].used
        assert len(found["state"].used) == len(AXES["state"]) - 1
    assert [scores[name]["state"].value for name in "abc"] == pytest.approx([0.0, 1.0, 0.5])
    assert len(profiles(models, "released")["c"]["state"].used) == len(AXES["state"]) - 1


def test_models_without_a_difference_get_zero() -> None:
    scores = profiles({"a": full(0.4), "b": full(0.4)}, "defined")
    assert {found[axis].value for found in scores.values() for axis in AXES} == {0.0}


def test_an_undefined_axis_has_no_score() -> None:
    scores = profiles({"a": dict.fromkeys(NAMES)}, "released")
    assert scores["a"]["edit"].value is None


def test_a_misspelled_indicator_is_refused() -> None:
    with pytest.raises(ValueError, match=r"p1\.acc is no indicator"):
        profiles({"a": {"p1.acc": 1.0}}, "released")


@pytest.mark.parametrize("convention", ["released", "defined"])
def test_every_indicator_is_a_part_of_the_score(convention: Convention) -> None:
    parts = {probe: dict.fromkeys(score_parts(probe, [], convention), 0.5) for probe in PROBES}
    found = indicators(parts, gains=dict.fromkeys(SUMMARY_GAINS, 0.1))
    assert [name for name, value in found.items() if value is None] == []
    assert list(found) == NAMES


def test_a_probe_that_was_not_run_is_undefined() -> None:
    found = indicators({"p1": {"f1": 0.7}})
    assert found["p1.f1"] == 0.7
    assert found["p2.final_feasible"] is None
    assert all(found[name] is None for name in SUMMARY_GAINS)
