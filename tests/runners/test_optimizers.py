"""The optimizers' queries are fixed by seed, task and epoch, lie in the box, and owe nothing to the gold."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from small_bank import small_tasks
from vehbench_hf.errors import UserError
from vehbench_hf.types import Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.domain import Problem
from vehbench_oracle.space import range_of
from vehbench_runners.baselines.answers import BASELINES, baseline_speaker
from vehbench_runners.baselines.counted_oracle import CountedOracle
from vehbench_runners.baselines.searches import SEARCHES, QuerySequence, queries, strongest

TASKS = [task for task in small_tasks() if task.probe == "p2"]
EVERY_SEARCH = pytest.mark.parametrize("name", SEARCHES)
some_search = st.sampled_from(sorted(SEARCHES))


def boxed(task: Task, boxes: list[tuple[float, float]]) -> Problem:
    bounds = {name: {"min": low, "max": high} for name, (low, high) in zip(VARIABLES, boxes, strict=True)}
    return replace(task, spec={**task.spec, "variable_bounds": bounds}).problem  # type: ignore[typeddict-item]


@given(some_search, st.integers(0, 30), st.integers(0, 60), st.integers(0, 2**32))
@settings(max_examples=12)
def test_asking_for_more_never_changes_what_was_asked_before(name: str, few: int, more: int, seed: int) -> None:
    problem, text = TASKS[0].problem, str(seed)
    assert queries(problem, name, text, few) == queries(problem, name, text, few + more)[:few]


@given(some_search, st.data())
@settings(max_examples=25)
def test_every_design_is_in_a_box_of_any_shape(name: str, data: st.DataObject) -> None:
    boxes = []
    for variable in VARIABLES:
        low, high = range_of(TASKS[0].problem, variable)
        a, b = sorted(data.draw(st.tuples(*[st.floats(low or 1e-3, 3 * high)] * 2)))
        boxes.append(data.draw(st.sampled_from([(a, b), (a, a), (a, a * (1 + 1e-12))])))
    asked = queries(boxed(TASKS[0], boxes), name, "0", 30)
    assert len(asked) == 30
    for one in asked:
        for variable, (low, high) in zip(VARIABLES, boxes, strict=True):
            assert low <= one.design[variable] <= high


@EVERY_SEARCH
def test_a_thousand_queries_are_no_trouble(name: str) -> None:
    assert len(queries(TASKS[3].problem, name, "0", 1000)) == 1000


@EVERY_SEARCH
def test_seeds_tasks_and_epochs_differ(name: str) -> None:
    first = [queries(TASKS[0].problem, name, text, 1)[0].design for text in ("0/a/0", "1/a/0", "0/b/0", "0/a/1")]
    assert len({tuple(design.values()) for design in first}) == 4


@EVERY_SEARCH
def test_searches_side_by_side_share_no_random_state(name: str) -> None:
    alone = queries(TASKS[0].problem, name, "0", 20)
    np.random.seed(5)
    before = np.random.get_state()[1].copy()  # type: ignore[index, union-attr]
    sequence, other = QuerySequence(TASKS[0].problem, name, "0"), QuerySequence(TASKS[1].problem, name, "0")
    mixed = []
    for index in range(20):
        mixed.append(sequence.design(index, last=False))
        other.design(index, last=False)
    assert mixed == [one.design for one in alone]
    assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]


class Forbidden(dict[str, Any]):
    """A gold that nobody may look into."""

    def __getitem__(self, key: str) -> Any:
        raise AssertionError(f"gold {key} was read")

    get = __getitem__  # type: ignore[assignment]


@EVERY_SEARCH
def test_no_gold_is_read(name: str) -> None:
    import asyncio

    def first(task: Task) -> str | None:
        return asyncio.run(baseline_speaker(name, task, 0)([], (0, 9, 0))).text  # type: ignore[arg-type]

    hidden = replace(TASKS[0], gold=Forbidden())  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="gold"):
        BASELINES["reference"](hidden, None)  # type: ignore[arg-type]
    assert first(hidden) == first(TASKS[0])


def test_only_the_search_as_released_takes_one_step_for_all_variables() -> None:
    """The step in ohm is small beside the range of the load and large beside that of the length."""
    assert load_spread_over_length_spread("cma-raw") < 0.3
    assert load_spread_over_length_spread("cma") == pytest.approx(1, rel=0.5)


def load_spread_over_length_spread(name: str) -> float:
    """Standard deviations over the first population, each as a share of the range, the load in log scale."""
    designs = [one.design for one in queries(TASKS[0].problem, name, "0", 8)]
    spreads = []
    for variable, scale in (("load_resistance_ohm", np.log), ("beam_length_mm", np.asarray)):
        low, high = range_of(TASKS[0].problem, variable)
        spreads.append(np.std(scale([design[variable] for design in designs])) / (scale(high) - scale(low)))
    return float(spreads[0] / spreads[1])


def test_slsqp_pays_for_its_gradients_and_never_asks_twice() -> None:
    asked = queries(TASKS[0].problem, "slsqp", "0", 40)
    designs = [tuple(one.design.values()) for one in asked]
    assert len(set(designs)) == len(designs)
    for i in range(6):  # the first gradient: six queries, each of which moves one variable a little
        moved = [j for j in range(6) if designs[i + 1][j] != designs[0][j]]
        assert moved == [i]


def best_ratio(task: Task, name: str, count: int) -> float:
    """Power of the best of the first `count` queries over the reference, 0 where none is feasible."""
    best, reference = strongest(queries(task.problem, name, "0", count), task.problem.objective), task.gold["reference"]
    assert reference is not None
    assert reference["power_uw"] is not None
    return (best.verdict.objective or 0.0) / reference["power_uw"] if best else 0.0


@pytest.mark.parametrize("name", ["cma", "de", "slsqp"])
def test_a_search_gets_nearer_the_optimum_than_chance(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def chance(oracle: CountedOracle, draw: np.random.Generator) -> None:
        while True:
            oracle.at_place(draw.random(len(VARIABLES)))

    monkeypatch.setitem(SEARCHES, "chance", chance)
    found = {name: [best_ratio(task, name, 150) for task in TASKS[:3]] for name in (name, "chance")}
    assert np.mean(found[name]) > np.mean(found["chance"]) + 0.05


def test_slsqp_reaches_the_reference() -> None:
    """With wrong derivatives it would stall beside the resonance."""
    assert [best_ratio(task, "slsqp", 200) for task in TASKS[:3]] == pytest.approx([1, 1, 1], abs=0.02)


@pytest.mark.parametrize("name", ["cma", "cma-raw"])
def test_without_the_package_the_user_learns_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(UserError, match=r"pip install 'vehbench-hf\[cma\]'"):
        baseline_speaker(name, TASKS[0], 0)
    baseline_speaker("de", TASKS[0], 0)


def test_importing_the_baselines_loads_no_optimizer() -> None:
    code = (
        "import sys, vehbench_runners.baselines.answers; print({'cma', 'scipy', 'scipy.optimize'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
