"""Gold words and numbers that leak into what a model reads are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import each
from vehbench_builder.audit.text import (
    ids_say_nothing,
    p1_notes_hold_no_verdict,
    prompts_hold_no_gold_numbers,
    prompts_hold_no_gold_words,
    text_checks,
)
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, Probe, Task


def noted(task: Any, text: str) -> None:
    task.spec["notes"].append({"name": "note", "text": text})


def test_the_sample_bank_gives_nothing_away(small_bank: Bank) -> None:
    for check in text_checks(small_bank):
        assert not check.faults, check.faults


@pytest.mark.parametrize(
    ("probe", "secret"),
    # The subtype of a P4 task is its profile, which the brief states.
    [(p, s) for p in PROBES for s in ("id", "doi", "title", "subtype", "group") if (p, s) != ("p4", "subtype")],
)
def test_a_gold_word_in_a_note_is_named(good: Callable[..., Task], tamper: Any, probe: Probe, secret: str) -> None:
    task = good(probe)
    words = {
        "id": task.task_id,
        "doi": task.anchor["doi"],
        "title": task.anchor["title"].upper(),
        "subtype": task.subtype,
        "group": task.source_group,
    }
    leaking = tamper.task(task, lambda t: noted(t, f"see {words[secret]} for more"))
    assert each(prompts_hold_no_gold_words, [leaking]).failed == 1


def test_the_order_of_a_pool_in_a_note_is_named(good: Callable[..., Task], tamper: Any) -> None:
    leaking = tamper.task(good("p4"), lambda t: noted(t, ">".join(t.gold["ranking"])))
    assert each(prompts_hold_no_gold_words, [leaking]).failed == 1


def test_the_trap_in_the_notes_of_a_history_is_named(good: Callable[..., Task], tamper: Any) -> None:
    leaking = tamper.task(good("p3"), lambda t: t.spec["history"][0].update(note=f"a {t.gold['trap']['type']}"))
    assert each(prompts_hold_no_gold_words, [leaking]).failed == 1


@pytest.mark.parametrize("probe", ["p2", "p3"])
@pytest.mark.parametrize("digits", [6, 17])
def test_a_reference_in_the_brief_is_named(good: Callable[..., Task], tamper: Any, probe: Probe, digits: int) -> None:
    reference = good(probe).gold["reference"]
    power = tamper.task(good(probe), lambda t: noted(t, f"about {reference['power_uw']:.{digits}g} uW"))
    design = tamper.task(good(probe), lambda t: t.spec.update(initial_design=reference["design"]))
    anchor = tamper.task(good(probe), lambda t: t.spec.update(initial_design=t.gold["anchor_design"]))
    check = each(prompts_hold_no_gold_numbers, [power, design, anchor, good(probe)])
    assert check.failed == 3
    assert "reference power" in check.faults[0]


@pytest.mark.parametrize("words", ["declare_infeasible", "This is infeasible.", "Feasibility is likely", "gold"])
@pytest.mark.parametrize("where", ["note", "stated"])
def test_a_verdict_in_a_triage_note_is_named(good: Callable[..., Task], tamper: Any, words: str, where: str) -> None:
    def say(task: Any) -> None:
        entries = task.spec["notes"] if where == "note" else task.spec["excitation"]["stated"]
        entries.append({"name": "remark", "text": words})

    assert each(p1_notes_hold_no_verdict, [tamper.task(good("p1"), say)]).failed == 1


def test_an_innocent_triage_note_is_not_called_a_verdict(good: Callable[..., Task], tamper: Any) -> None:
    innocent = tamper.task(good("p1"), lambda t: noted(t, "The lead wires are not chosen yet."))
    assert not each(p1_notes_hold_no_verdict, [innocent]).faults


def test_an_id_that_tells_is_named(good: Callable[..., Task], tamper: Any) -> None:
    task = good("p1", "declare_infeasible")
    ids = [
        f"v2::p1::dev::{task.subtype}::0001",
        f"v2::p1::dev::{task.subtype.replace('_', '-')}",
        "v2::p1::declareInfeasible::1",
        f"v2::{task.anchor['doi'].replace('/', '_').replace('.', '_')}",
        f"v2::{task.anchor['key']}",
    ]
    assert each(ids_say_nothing, [tamper.task(task, task_id=name) for name in ids]).failed == len(ids)
    assert not each(ids_say_nothing, [tamper.task(task, task_id="v2::p1::dev::0001")]).faults
