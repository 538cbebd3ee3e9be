"""No fresh task that repeats a published one is handed out for training."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vehbench_builder import build
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.overlap import overlaps
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_hf.bank.bank import open_bank
from vehbench_hf.types import PROBES, Task


@pytest.fixture(scope="module")
def published() -> tuple[Task, ...]:
    return open_bank("v2").tasks


def renamed(task: Task, **spec: Any) -> Task:
    return replace(task, task_id="fresh", split="train", spec={**task.spec, **spec})  # type: ignore[typeddict-item]


@pytest.mark.parametrize("probe", PROBES)
def test_a_published_brief_under_another_id_is_named(published: tuple[Task, ...], probe: str) -> None:
    task = next(task for task in published if task.probe == probe)
    (found,) = overlaps([renamed(task)], published)
    assert found.startswith("fresh repeats v2::")


def test_other_limits_in_a_published_box_are_named(published: tuple[Task, ...]) -> None:
    task = next(task for task in published if task.probe == "p2")
    same_box = renamed(task, constraints={**task.spec["constraints"], "power_target_uw": 1.0})
    assert len(overlaps([same_box], published)) == 1
    box = {name: {**ends, "min": ends["min"] * 0.999} for name, ends in task.spec["variable_bounds"].items() if ends}
    other = renamed(same_box, variable_bounds=box)
    assert overlaps([other], published) == []


def fresh_units(seed: int) -> Iterator[p2.Unit]:
    yield from p2.units(load_anchors(), BuildSpec(seed, 4, fresh=True), {})


@pytest.mark.parametrize("seed", [0, 1])
def test_fresh_tasks_do_not_repeat_published_ones(published: tuple[Task, ...], seed: int) -> None:
    """Seed 0 is that of the published bank. The boxes are drawn before anything is searched."""
    dev = {unit.anchor.key for unit in p2.units(load_anchors(), BuildSpec(), {}) if unit.split == "dev"}
    chosen = [unit for unit in fresh_units(seed) if unit.anchor.key in dev][:3]
    tasks = [task for unit in chosen for task in p2.build_unit(unit)]
    assert {task.split for task in tasks} == {"train"}
    assert overlaps(tasks, published) == []


def test_draws_of_fresh_tasks_are_not_those_of_published_ones() -> None:
    keys = {unit.key for unit in fresh_units(0)}
    assert len(keys) == 64
    assert not keys & {unit.key for unit in p2.units(load_anchors(), BuildSpec(), {})}


def test_a_build_of_repeated_tasks_is_not_written(
    published: tuple[Task, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = next(task for task in published if task.probe == "p2")
    monkeypatch.setattr(build, "build_tasks", lambda *_, **__: [renamed(task)])
    with pytest.raises(BuildError, match=rf"fresh repeats {task.task_id}.*another --seed"):
        build.build_bank(BuildSpec(7, 1, fresh=True), tmp_path / "out")
    assert not (tmp_path / "out").exists()
