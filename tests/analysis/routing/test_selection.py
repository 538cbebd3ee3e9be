import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.analysis.stage_choice import StageScore, choose, mean_norm, simulate
from vehbench_hf.paper.reproduce.printed_inputs import held_out
from vehbench_hf.types import PROBES, Probe

unit = st.floats(0.01, 1)
stage_scores = st.builds(StageScore, unit, st.one_of(st.none(), unit), unit)
pools = st.dictionaries(
    st.sampled_from(list("abcde")), st.fixed_dictionaries(dict.fromkeys(PROBES, stage_scores)), min_size=1, max_size=5
)
Pool = dict[str, dict[Probe, StageScore]]


def alone(dev: float | None, auxiliary: float | None = None, held: float | None = 0.5) -> dict[Probe, StageScore]:
    return {"p1": StageScore(dev, auxiliary, held)}


@given(pools)
def test_the_router_does_not_look_at_held_out_scores(pool: Pool) -> None:
    found = simulate(pool)
    assert found is not None
    for stage, model in found.router.chosen.items():
        assert pool[model][stage].dev == max(scores[stage].dev or 0 for scores in pool.values())
    blind = {m: {s: StageScore(x.dev, x.auxiliary, 0.5) for s, x in of.items()} for m, of in pool.items()}
    other = simulate(blind)
    assert other is not None
    assert other.router.chosen == found.router.chosen
    assert other.leader is not None
    assert found.leader is not None
    assert other.leader.chosen == found.leader.chosen


@given(pools)
def test_no_strategy_beats_the_envelope(pool: Pool) -> None:
    found = simulate(pool)
    assert found is not None
    assert found.envelope.mean_norm == pytest.approx(1.0)
    every = [found.router, found.leader, found.best_single, *found.specialists.values()]
    for strategy in every:
        assert strategy is not None
        assert strategy.mean_norm is not None
        assert 0 < strategy.mean_norm <= 1 + 1e-12
        assert found.best_single is not None
        if strategy is not found.router:
            assert strategy.mean_norm <= (found.best_single.mean_norm or 0) + 1e-12
    assert found.gain == pytest.approx((found.router.mean_norm or 0) - (found.leader.mean_norm or 0))  # type: ignore[union-attr]
    assert found.headroom == pytest.approx(1 - (found.router.mean_norm or 0))


@given(pools, st.floats(0.1, 10))
def test_the_unit_of_a_stage_does_not_matter(pool: Pool, factor: float) -> None:
    scaled = {
        m: {
            s: StageScore((x.dev or 0) * factor, x.auxiliary, (x.held_out or 0) * factor) if s == "p2" else x
            for s, x in of.items()
        }
        for m, of in pool.items()
    }
    one, two = simulate(pool), simulate(scaled)
    assert one is not None
    assert two is not None
    assert two.router.mean_norm == pytest.approx(one.router.mean_norm)


@given(pools)
def test_a_model_that_is_worse_everywhere_changes_no_choice(pool: Pool) -> None:
    worst = {stage: StageScore(0.001, 0.0, 0.001) for stage in PROBES}
    one, two = simulate(pool), simulate({"worst": worst, **pool})
    assert one is not None
    assert two is not None
    assert (one.router, one.leader, one.envelope) == (two.router, two.leader, two.envelope)


def test_a_tie_is_broken_by_the_second_score() -> None:
    choice = choose({"a": alone(0.5, 0.1), "b": alone(0.5, 0.2), "c": alone(0.4, 0.9)}, "p1")
    assert choice is not None
    assert (choice.model, choice.tied, choice.decided_by) == ("b", ("a", "b"), "auxiliary")
    for second in ((0.2, 0.2), (None, 0.2)):
        choice = choose({"a": alone(0.5, second[0]), "b": alone(0.5, second[1])}, "p1")
        assert choice is not None
        assert choice.decided_by == "order"
    assert choose({"a": alone(None)}, "p1") is None
    assert choose({"a": {}}, "p1") is None


def test_held_out_splits_are_averaged_by_their_sizes() -> None:
    assert held_out([(0.2, 40), (0.5, 104)]) == pytest.approx((40 * 0.2 + 104 * 0.5) / 144)
    assert held_out([(None, 0), (0.5, 3)]) == 0.5
    assert held_out([(None, 2), (0.5, 3)]) is None
    assert held_out([]) is None


def test_the_worked_normalization_of_the_paper_comes_out() -> None:
    raw: dict[Probe, float] = {"p1": 0.594, "p2": 0.185, "p3": 0.239, "p4": 0.839}
    best: dict[Probe, float] = {"p1": 0.594, "p2": 0.385, "p3": 0.457, "p4": 0.888}
    assert f"{mean_norm(raw, best):.3f}" == "0.737"  # the paper prints 0.738, from unrounded scores
    assert mean_norm({"p4": -0.1}, {"p4": -0.1}) is None
    assert mean_norm({}, {}) is None


def test_a_model_that_skipped_a_stage_is_not_the_best_single_one() -> None:
    pool: Pool = {"all": {p: StageScore(0.2, None, 0.2) for p in PROBES}, "one": alone(0.9, None, 0.9)}
    found = simulate(pool)
    assert found is not None
    assert found.leader is not None
    assert set(found.leader.chosen.values()) == {"all"}
    assert found.router.chosen == {"p1": "one", "p2": "all", "p3": "all", "p4": "all"}
    nobody = simulate({"a": alone(0.1), "b": {"p2": StageScore(0.1, None, 0.1)}})
    assert nobody is not None
    assert nobody.leader is None
    assert nobody.best_single is None
    assert nobody.gain is None
    assert simulate({"a": alone(None)}) is None
    assert simulate({}) is None
