"""A build writes over no other bank, leaves no worker behind, repeats no published task, and its ids say nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder import build
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.overlap import overlaps
from vehbench_builder.seeds import numbered
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.types import PROBES, Task


def test_a_build_does_not_write_over_another_bank(
    small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("tasks were built")

    monkeypatch.setattr(build, "build_tasks", never)
    there = Path(shutil.copytree(small_bank.path, tmp_path / "bank"))
    with pytest.raises(BuildError, match="holds another bank, veh-small-1"):
        build.build_bank(BuildSpec(7, 1, fresh=True), there)
    (tmp_path / "file").touch()
    with pytest.raises(BuildError, match="no folder"):
        build.build_bank(BuildSpec(7, 1, fresh=True), tmp_path / "file")


_PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from vehbench_builder.workers import end_with_parent
if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=end_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
def test_no_worker_outlives_a_killed_build(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    os.kill(worker, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 20
    while _alive(worker) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _alive(worker)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not (stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


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


@given(st.lists(st.integers(), max_size=60), st.integers(0, 50))
def test_no_item_is_lost_and_no_id_used_twice(items: list[int], seed: int) -> None:
    found = numbered(items, seed=seed, probe="p3", split="dev")
    assert [task_id for task_id, _ in found] == [f"v2::p3::dev::{i:04d}" for i in range(1, len(items) + 1)]
    assert sorted(item for _, item in found) == sorted(items)


def test_the_number_does_not_follow_the_order_of_the_items() -> None:
    items = list(range(200))
    orders = [[item for _, item in numbered(items, seed=s, probe="p2", split="dev")] for s in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    follows = sum(a + 1 == b for a, b in zip(orders[0], orders[0][1:], strict=False))
    assert follows < 10
    assert re.fullmatch(r"v2::p2::dev::\d{4}", numbered(items, seed=0, probe="p2", split="dev")[0][0])
