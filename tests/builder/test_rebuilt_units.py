"""Units built again give the rows that ship: equal words, choices and labels, numbers to what rounding leaves.

Numbers of briefs may differ by one in their sixth digit on another processor; what an optimizer finds may differ more,
so that the power of a reference is compared instead of its design.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from vehbench_builder.build_spec import BuildSpec
from vehbench_builder.domains import VEH
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.isomorphic.groups import build_group, planned_groups
from vehbench_builder.workers import FIXED, worker_pool
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.schema import task_to_row
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.types import Probe

ALL_DISPATCHED = FIXED["NPY_DISABLE_CPU_FEATURES"]
SIXTH_DIGIT = 1.1e-5
"""Relative: one more or less in the sixth digit of 100000."""
OPTIMUM = 2e-3
FOUND_BY_SEARCH = ("design", "witness", "certificate", "upper_bound_uw", "checksum")
"""What a search found: its power is compared, itself is not."""


@pytest.fixture(scope="module")
def bank() -> Bank:
    return open_bank("v2")


@pytest.mark.parametrize(("probe", "places"), [("p1", (1, 4, 83)), ("p2", (3, 120)), ("p3", (0, 4, 80)), ("p4", (1,))])
def test_units_built_again_give_the_shipped_rows(bank: Bank, probe: Probe, places: Sequence[int]) -> None:
    p2 = {task.task_id: task for task in bank.select(["p2"])}
    units = VEH.probes[probe].units(load_anchors(), BuildSpec(), p2)
    assert len(units) == {"p1": 240, "p2": 208, "p3": 156, "p4": 53}[probe]
    for place in places:
        for task in VEH.probes[probe].build_unit(units[place]):
            rebuilt, shipped = (_brief_and_gold(task_to_row(one)) for one in (task, bank.by_id[task.task_id]))
            assert list(_differences(rebuilt, shipped)) == [], task.task_id


def test_an_isomorphic_group_built_again_gives_the_shipped_rows(bank: Bank) -> None:
    shipped = {row.task_id: row for row in open_isomorphic(bank)}
    group = planned_groups(bank.tasks, 0)[7]
    rows = build_group(bank.tasks, 0, group)
    assert len(rows) == 3
    for row in rows:
        assert list(_differences(vars(row), vars(shipped[row.task_id]))) == []


def _brief_and_gold(row: Mapping[str, Any]) -> dict[str, Any]:
    gold = {name: value for name, value in row["gold"].items() if name != "anchor_design"}
    return {**row, "gold": _without_search(gold), "checksum": None, "bank_version": None}


def _without_search(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_search(inner) for name, inner in value.items() if name not in FOUND_BY_SEARCH}
    return [_without_search(inner) for inner in value] if isinstance(value, list) else value


def _differences(rebuilt: Any, shipped: Any, place: str = "") -> list[str]:
    """Where two rows differ, in words."""
    if isinstance(shipped, dict) and isinstance(rebuilt, dict):
        names = sorted({*rebuilt, *shipped})
        return [
            text for name in names for text in _differences(rebuilt.get(name), shipped.get(name), f"{place}.{name}")
        ]
    if isinstance(shipped, list) and isinstance(rebuilt, list) and len(shipped) == len(rebuilt):
        pairs = enumerate(zip(rebuilt, shipped, strict=True))
        return [text for number, pair in pairs for text in _differences(*pair, f"{place}[{number}]")]
    if isinstance(shipped, float) and isinstance(rebuilt, float):
        tolerance = OPTIMUM if place.endswith("reference.power_uw") else SIXTH_DIGIT
        same = isclose(rebuilt, shipped, rel_tol=tolerance, abs_tol=1e-9)
    else:
        same = rebuilt == shipped
    return [] if same else [f"{place}: {rebuilt!r}, shipped {shipped!r}"]


PRETENDED = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge", "NPY_DISABLE_CPU_FEATURES": ALL_DISPATCHED},
    "Zen with many threads": {"OPENBLAS_CORETYPE": "Zen", "OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "4"},
    "Nehalem without FMA": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
        "NPY_DISABLE_CPU_FEATURES": ALL_DISPATCHED,
    },
}
"""Environments in which the libraries choose the code of that processor."""

_BUILD = """
import hashlib, sys
from pathlib import Path
import numpy
from vehbench_builder import build
from vehbench_builder.build_spec import BuildSpec
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.domains import VEH
from vehbench_hf.bank.bank import open_bank
if __name__ == "__main__":
    kept = Path(sys.argv[1])
    p2 = {task.task_id: task for task in open_bank("v2").select(["p2"])}
    for probe, place in (("p1", 4), ("p2", 3), ("p3", 4), ("p4", 1)):
        units = VEH.probes[probe].units(load_anchors(), BuildSpec(), p2)
        build._build_units("veh", probe, units[place : place + 1], kept, 1, lambda *_: None)
    a = numpy.random.default_rng(0).uniform(0.1, 5, (200, 100))
    own = a.T @ a, a**0.37
    print(hashlib.sha256(b"".join(part.tobytes() for part in own)).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="fixed code is known for x86-64 alone")
def test_every_pretended_processor_builds_the_same_bytes(tmp_path: Path) -> None:
    built, own = {}, set()
    for name, pretended in PRETENDED.items():
        script, kept = tmp_path / f"{name}.py", tmp_path / name
        script.write_text(_BUILD)
        environment = {n: v for n, v in os.environ.items() if n not in FIXED} | pretended
        done = subprocess.run(
            [sys.executable, str(script), str(kept)], env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        own.add(done.stdout)
        built[name] = {file.relative_to(kept).as_posix(): file.read_bytes() for file in kept.rglob("*.json")}
    first, *others = built.values()
    assert sorted(name.partition("/")[0] for name in first) == ["p1", "p2", "p3", "p4"]
    assert all(other == first for other in others)
    # They did pretend: what is computed outside the workers differs.
    assert len(own) > 1


def test_a_worker_has_the_fixed_environment_and_its_parent_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("NPY_ENABLE_CPU_FEATURES", "AVX2")
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    before = dict(os.environ)
    with worker_pool(1) as pool:
        there = {name: pool.submit(os.getenv, name).result() for name in (*FIXED, "NPY_ENABLE_CPU_FEATURES")}
    assert there == {**FIXED, "NPY_ENABLE_CPU_FEATURES": None}
    assert dict(os.environ) == before
