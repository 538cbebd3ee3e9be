"""Completions that a reader would not accept, and statements that contradict each other, are named."""

from collections.abc import Callable
from typing import Any

import pytest

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

MISSING = {
    "frequency_hz": "excitation",
    "acceleration_g": "excitation",
    "load_resistance_ohm": "variable_bounds",
    "piezo": "materials",
    "damping_ratio": "materials",
}


def without(task: Task, tamper: Any, field: str, text: str | None = None) -> Spec:
    def withhold(changed: Any) -> None:
        changed.spec[MISSING[field]][field] = None
        if text:
            changed.spec["notes"].append({"name": field.split("_")[0], "text": text})

    return tamper.task(task, withhold).spec


@pytest.mark.parametrize("field", MISSING)
def test_a_withheld_field_does_not_count_as_stated(good: Callable[..., Task], tamper: Any, field: str) -> None:
    task = good("p1", "propose_design")
    assert states(task.spec, field)
    spec = without(task, tamper, field)
    assert not states(spec, field)
    for changes in tried_completions(spec, field) or [{field: 0.01}]:
        filled = completed(spec, changes)
        assert states(filled, field)
        assert not states(spec, field)


def test_a_completion_cannot_override_what_the_brief_states(good: Callable[..., Task]) -> None:
    with pytest.raises(ValueError, match="frequency_hz"):
        completed(good("p1", "propose_design").spec, {"frequency_hz": 50.0})


def test_a_fixed_load_is_no_longer_free(good: Callable[..., Task], tamper: Any) -> None:
    spec = without(good("p1", "propose_design"), tamper, "load_resistance_ohm")
    filled = completed(spec, {"load_resistance_ohm": 5e4, "piezo": None})
    assert filled["variable_bounds"]["load_resistance_ohm"] == Box(min=5e4, max=5e4)


@pytest.mark.parametrize("name", ["excitation_context.frequency_hz", "environment_context.piezo_material", *FIELDS])
def test_the_released_names_of_fields_are_known(name: str) -> None:
    assert field_of(name) in FIELDS


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="wire_gauge"):
        field_of("wire_gauge")


@pytest.mark.parametrize(
    ("field", "text", "good_values", "bad_values"),
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
    good: Callable[..., Task],
    tamper: Any,
    field: str,
    text: str | None,
    good_values: list[Any],
    bad_values: list[Any],
) -> None:
    spec = without(good("p1", "propose_design"), tamper, field, text)
    for value in good_values:
        assert inadmissible(spec, {field: value}) is None
    for value in bad_values:
        assert inadmissible(spec, {field: value}) is not None


def test_two_ranges_that_disagree_are_named(good: Callable[..., Task], tamper: Any) -> None:
    def say(first: str, second: str) -> Task:
        notes = [{"name": "a", "text": first}, {"name": "b", "text": second}]
        return tamper.task(good("p1"), lambda t: t.spec.update(notes=notes))

    assert each(p1_statements_agree, [say("45-55 Hz", "from 31.3 to 38.2 Hz")]).failed == 1
    assert each(p1_statements_agree, [say("45-55 Hz", "between 45 and 55 Hz")]).failed == 0
    assert stated_ranges(say("45-55 Hz", "10 to 20 ohm").spec, "Hz") == [(45.0, 55.0)]
