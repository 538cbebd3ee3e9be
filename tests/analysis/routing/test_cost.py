import pytest

from vehbench_hf.analysis.cost import cost_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.scoring import Row
from vehbench_hf.types import Convention, Record, Step, Usage
from vehbench_hf.user_files.prices import Price

PRICE = Price(input=1.0, cached=0.5, output=10.0, currency="USD", date="2026-11-01")
WAYS: tuple[Convention, ...] = ("defined", "released")


def rows(bank: Bank, *, right: int, usage: Usage) -> list[Row]:
    """Triage rows of which the first `right` are answered rightly."""
    found = []
    for place, task in enumerate(bank.select(["p1"])):
        gold = str(task.gold["action"])
        wrong = "propose_design" if gold != "propose_design" else "declare_infeasible"
        step = Step(gold if place < right else wrong)
        found.append(Row(task, Record(task.task_id, "p1", "ok", (step,), usage=usage, calls=1)))
    return found


@pytest.mark.parametrize("convention", WAYS)
def test_the_price_of_a_failure_counts(small_bank: Bank, convention: Convention) -> None:
    found = rows(small_bank, right=2, usage=Usage(input=1000, output=100))
    cost = cost_of("p1", found, convention, PRICE, "")
    each = (1000 * 1.0 + 100 * 10.0) / 1e6
    assert cost["solved"] == pytest.approx(2)
    assert (cost["calls"], cost["output_tokens"]) == (len(found), 100 * len(found))
    assert cost["cost"] == pytest.approx(each * len(found))
    assert cost["per_solved"] == pytest.approx(each * len(found) / 2)
    assert cost["currency"] == "USD"


def test_an_unknown_cost_is_undefined(small_bank: Bank) -> None:
    known = Usage(input=10, output=10)
    nothing_solved = cost_of("p1", rows(small_bank, right=0, usage=known), "defined", PRICE, "")
    assert (nothing_solved["per_solved"], nothing_solved["undefined"]) == (None, "no task was solved")
    silent = cost_of("p1", rows(small_bank, right=2, usage=Usage()), "defined", PRICE, "")
    assert (silent["cost"], silent["per_solved"], silent["output_tokens"]) == (None, None, None)
    assert silent["undefined"] == "the log reports no tokens for some tasks"
    no_price = cost_of("p1", rows(small_bank, right=2, usage=known), "defined", None, "no price table")
    assert (no_price["cost"], no_price["undefined"]) == (None, "no price table")
    assert cost_of("p1", [], "defined", PRICE, "")["cost"] is None
