"""Gold words and numbers that leak into what a model reads are named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tampered import Change, bank_of, failed, good, tampered
from vehbench_builder.audit.report import each
from vehbench_builder.audit.text import ids_say_nothing, significant_digits, text_checks, without_numbers
from vehbench_hf.types import PROBES, Probe, Task


def noted(words: Any, name: str = "note") -> Change:
    """Adds a note of some words, or of what a function of the task says."""
    return lambda t: t.spec["notes"].append({"name": name, "text": words(t) if callable(words) else words})


SECRETS: dict[str, Any] = {
    "id": lambda t: f"see {t.task_id} for more",
    "doi": lambda t: f"see {t.anchor['doi']} for more",
    "title": lambda t: f"see {t.anchor['title'].upper()} for more",
    "subtype": lambda t: f"see {t.subtype} for more",
    "group": lambda t: f"see {t.source_group} for more",
}


@pytest.mark.parametrize(
    ("probe", "change"),
    [
        # The subtype of a P4 task is its profile, which the brief states.
        *[(p, noted(secret)) for p in PROBES for s, secret in SECRETS.items() if (p, s) != ("p4", "subtype")],
        ("p4", noted(lambda t: ">".join(t.gold["ranking"]))),
        ("p3", lambda t: t.spec["history"][0].update(note=f"a {t.gold['trap']['type']}")),
    ],
)
def test_a_gold_word_in_a_prompt_is_named(probe: Probe, change: Change) -> None:
    assert "prompts_hold_no_gold_words" in failed(text_checks(bank_of(tampered(good(probe), change))))


@pytest.mark.parametrize("probe", ["p2", "p3"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (noted(lambda t: f"about {t.gold['reference']['power_uw']:.6g} uW"), "reference power_uw"),
        (noted(lambda t: f"about {t.gold['reference']['power_uw']:.17g} uW"), "reference power_uw"),
        (lambda t: t.spec.update(initial_design=t.gold["reference"]["design"]), "reference"),
        (lambda t: t.spec.update(initial_design=t.gold["anchor_design"]), "anchor design"),
    ],
)
def test_a_gold_number_in_a_prompt_is_named(probe: Probe, change: Change, words: str) -> None:
    checks = {check.name: check.faults for check in text_checks(bank_of(tampered(good(probe), change)))}
    (fault,) = checks["prompts_hold_no_gold_numbers"]
    assert words in fault


@pytest.mark.parametrize("words", ["declare_infeasible", "This is infeasible.", "Feasibility is likely", "gold"])
@pytest.mark.parametrize("stated", [False, True])
def test_a_verdict_in_a_note_of_p1_is_named(words: str, stated: bool) -> None:
    def say(task: Any) -> None:
        entries = task.spec["excitation"]["stated"] if stated else task.spec["notes"]
        entries.append({"name": "remark", "text": words})

    assert "p1_notes_hold_no_verdict" in failed(text_checks(bank_of(tampered(good("p1"), say))))


def test_an_innocent_note_is_looked_at_and_no_verdict() -> None:
    innocent = tampered(good("p1"), noted("The lead wires are not chosen yet."))
    checks = {check.name: check for check in text_checks(bank_of(innocent))}
    assert checks["p1_notes_hold_no_verdict"].checked == 1
    assert not failed(checks.values())


def test_an_id_that_tells_is_named() -> None:
    task: Any = good("p1", "declare_infeasible")
    telling = [
        f"v2::p1::dev::{task.subtype}::0001",
        f"v2::p1::dev::{task.subtype.replace('_', '-')}",
        "v2::p1::declareInfeasible::1",
        f"v2::{task.anchor['doi'].replace('/', '_').replace('.', '_')}",
        f"v2::{task.anchor['key']}",
    ]

    def named(*ids: str) -> list[Task]:
        return [tampered(task, task_id=name) for name in ids]

    check = each(ids_say_nothing, named(*telling, "v2::p1::dev::0001"))
    assert (check.checked, check.failed) == (len(telling) + 1, len(telling))


@given(st.floats(1e-6, 1e6), st.integers(1, 9))
def test_digits_are_counted_right(value: float, digits: int) -> None:
    written = float(f"{value:.{digits}g}")
    assert significant_digits(written) <= digits
    assert float(f"{written:.{significant_digits(written)}g}") == written
    assert significant_digits(-written) == significant_digits(written)
    assert significant_digits(0.0) == significant_digits(float("nan")) == 0


def test_wordings_that_differ_in_numbers_alone_are_one() -> None:
    assert without_numbers("Between 45-55 Hz, 1.5e-3 g") == without_numbers("between 5.2-6.3 Hz, 0.1 g")
