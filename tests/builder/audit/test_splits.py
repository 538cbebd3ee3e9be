"""Papers and devices that leak from one split into another are named."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.audit.report import whole
from vehbench_builder.audit.rows import (
    devices_stay_in_one_split,
    distance,
    dois_are_well_formed,
    papers_stay_in_one_split,
)
from vehbench_hf.types import Task
from vehbench_oracle import VARIABLES

DESIGNS = st.fixed_dictionaries({name: st.floats(0, 1e6) for name in VARIABLES})


def test_a_paper_in_two_splits_is_named(good: Callable[..., Task], tamper: Any) -> None:
    moved = tamper.task(good("p3"), split="test_ood")
    check = whole(papers_stay_in_one_split, [good("p2"), moved])
    assert check.failed == 1
    assert "dev, test_ood" in check.faults[0]


def test_a_paper_under_another_spelling_is_the_same_paper(good: Callable[..., Task], tamper: Any) -> None:
    moved = tamper.task(good("p3"), lambda t: t.anchor.update(doi=t.anchor["doi"].upper(), key="x"), split="test_ood")
    assert whole(papers_stay_in_one_split, [good("p2"), moved]).failed == 1


def test_a_device_under_another_paper_is_the_same_device(good: Callable[..., Task], tamper: Any) -> None:
    def rename(task: Any) -> None:
        task.anchor.update(doi="10.1/x", key="x")
        task.gold["anchor_design"]["beam_length_mm"] *= 1.08

    def shrink(task: Any) -> None:
        task.anchor.update(doi="10.1/y", key="y")
        task.gold["anchor_design"]["beam_length_mm"] *= 0.8

    twin, other = tamper.task(good("p2"), rename, split="test_ood"), tamper.task(good("p2"), shrink, split="test_id")
    check = whole(devices_stay_in_one_split, [good("p2"), twin, other])
    assert (check.checked, check.failed) == (3, 1)
    inside = tamper.task(good("p2"), rename)
    check = whole(devices_stay_in_one_split, [good("p2"), inside, other])
    assert check.figures["alike devices inside one split"] == 1
    assert not check.faults


@pytest.mark.parametrize("doi", [None, "", "10.1016", "10.1016/", "doi:10.1016/j.x", "10.1/J.X", "10.x/y", "10.1/a b"])
def test_a_malformed_identifier_is_named(good: Callable[..., Task], tamper: Any, doi: str | None) -> None:
    broken = tamper.task(good("p2"), lambda t: t.anchor.update(doi=doi))
    assert whole(dois_are_well_formed, [broken]).failed == 1


@given(DESIGNS, DESIGNS)
def test_distance_is_a_distance(a: dict[str, float], b: dict[str, float]) -> None:
    assert distance(a, a) == 0
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1
