"""Completions that a reader would not accept, and statements that contradict each other, are named."""

from typing import Any

import pytest

from tampered import good, tampered
from vehbench_builder.audit.report import each
from vehbench_builder.veh.audit.completions import (
    FIELDS,
    completed,
    field_of,
    inadmissible,
    stated_ranges,
    states,
    tried_completions,
)
from vehbench_builder.veh.audit.p1 import p1_statements_agree
from vehbench_hf.types import Spec, Task
from vehbench_oracle import Box

BRIEF = good("p1", "propose_design")


def without(name: str, text: str | None = None) -> Spec:
    """The brief without a field, with a note about it."""

    def withhold(task: Any) -> None:
        task.spec[FIELDS[name].section][FIELDS[name].name] = None
        task.spec["notes"] += [{"name": name.split("_")[0], "text": text}] if text else []

    return tampered(BRIEF, withhold).spec


@pytest.mark.parametrize("name", FIELDS)
def test_a_withheld_field_counts_as_stated_once_it_is_completed(name: str) -> None:
    spec = without(name)
    assert states(BRIEF.spec, name)
    assert not states(spec, name)
    completions = [{name: 0.01}] if name == "damping_ratio" else tried_completions(spec, name)
    assert completions
    assert all(states(completed(spec, changes), name) for changes in completions)
    assert not states(spec, name)


def test_a_completion_cannot_override_what_the_brief_states() -> None:
    with pytest.raises(ValueError, match="frequency_hz"):
        completed(BRIEF.spec, {"frequency_hz": 50.0})


def test_a_fixed_load_is_no_longer_free() -> None:
    filled = completed(without("load_resistance_ohm"), {"load_resistance_ohm": 5e4, "piezo": None})
    assert filled["variable_bounds"]["load_resistance_ohm"] == Box(min=5e4, max=5e4)


@pytest.mark.parametrize("name", ["excitation_context.frequency_hz", "environment_context.piezo_material", *FIELDS])
def test_the_released_names_of_fields_are_known(name: str) -> None:
    assert field_of(name) in FIELDS


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="wire_gauge"):
        field_of("wire_gauge")


@pytest.mark.parametrize(
    ("name", "text", "admissible", "others"),
    [
        ("frequency_hz", "One fixed frequency between 45 and 55.5 Hz.", [45.0, 50.0, 55.5], [44.9, 56.0]),
        ("frequency_hz", "Between 2700 and 3300 rpm; not settled.", [45.0, 55.0], [2700.0, 44.0]),
        ("frequency_hz", None, [1.0, 1000.0], []),
        ("acceleration_g", "The peak acceleration is 0.73, in g or in m/s2.", [0.73, 0.73 / 9.80665], [2.0, 1.0, 0.1]),
        ("load_resistance_ohm", "Between 1000 and 5e4 ohm.", [1000.0, 5e4], [999.0, 6e4]),
        ("load_resistance_ohm", None, [100.0, 1e7], [10.0, 1e8]),
        ("damping_ratio", "The damping ratio is between 0.008 and 0.013.", [0.008, 0.01, 0.013], [0.007, 0.02]),
        ("piezo", "PZT, its grade to be confirmed: PZT-5A or PZT-5H.", ["PZT-5A", "PZT-5H"], ["PVDF", "nonsense"]),
    ],
)
def test_an_inadmissible_completion_is_told_from_an_admissible_one(
    name: str, text: str | None, admissible: list[Any], others: list[Any]
) -> None:
    spec = without(name, text)
    assert [inadmissible(spec, {name: value}) for value in admissible] == [None] * len(admissible)
    assert None not in [inadmissible(spec, {name: value}) for value in others]


@pytest.mark.parametrize(
    ("first", "second", "cases"),
    [
        ("45-55 Hz", "from 31.3 to 38.2 Hz", (1, 1)),
        ("45-55 Hz", "between 45 and 55 Hz", (1, 0)),
        ("45-55 Hz", "10 to 20 ohm", (0, 0)),
    ],
)
def test_two_ranges_that_disagree_are_named(first: str, second: str, cases: tuple[int, int]) -> None:
    notes = [{"name": "a", "text": first}, {"name": "b", "text": second}]
    task: Task = tampered(BRIEF, lambda t: t.spec.update(notes=notes))
    check = each(p1_statements_agree, [task])
    assert (check.checked, check.failed) == cases
    assert stated_ranges(task.spec, "Hz")[0] == (45.0, 55.0)
