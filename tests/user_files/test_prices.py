"""Money is counted from a table that the user wrote, and a table that is not usable is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.errors import UserError
from vehbench_hf.types import Usage
from vehbench_hf.user_files.prices import FORM, Price, read_price

PRICE = Price(input=2.0, cached=0.5, output=10.0, currency="USD", date="2026-11-01")
COUNT = st.none() | st.integers(0, 10**9)


def test_the_form_in_the_error_text_is_a_usable_table(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(FORM)
    price = read_price(tmp_path / "p.yaml", "openai/NAME")
    assert (price.input, price.cached, price.output, price.currency) == (1.25, 0.125, 10.0, "USD")
    assert price.date == "2026-11-01"


def test_cached_tokens_are_paid_once() -> None:
    assert PRICE.cost(Usage(input=1_000_000, cached=400_000, output=100_000)) == pytest.approx(1.2 + 0.2 + 1.0)


@given(COUNT, COUNT, COUNT)
def test_no_call_costs_less_than_nothing(given_in: int | None, cached: int | None, out: int | None) -> None:
    assert PRICE.cost(Usage(input=given_in, cached=cached, output=out)) >= 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "per_million_tokens: 3",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  other: {input: 1, output: 2}",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  m: {input: -1, output: 2}",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  m: {input: .inf, output: 2}",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  m: {input: true, output: 2}",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  m: {input: cheap, output: 2}",
        "date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  m: [1, 2]",
        "currency: USD\nper_million_tokens:\n  m: {input: 1, output: 2}",
    ],
)
def test_a_table_that_is_not_usable_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(UserError, match="price table"):
        read_price(tmp_path / "p.yaml", "m")


def test_a_missing_table_ends_in_words(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        read_price(tmp_path / "absent.yaml", "m")
