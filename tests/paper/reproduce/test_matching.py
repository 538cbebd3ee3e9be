import pytest

from vehbench_hf.paper.reproduce.cells import CellName, Column, Computed, PrintedTable, match_rows

COLUMNS = [f"c{i}" for i in range(10)]


def table(**rows: list[float]) -> dict[str, PrintedTable]:
    printed = {name: dict(zip(COLUMNS, values, strict=False)) for name, values in rows.items()}
    return {"18": PrintedTable("", {name: Column(False, 2) for name in COLUMNS}, printed)}


def cells(*values: float | None) -> dict[CellName, Computed]:
    """None is a cell that the logs do not give."""
    return {
        CellName("18", name): Computed(None, "absent") if value is None else Computed(value)
        for name, value in zip(COLUMNS, values, strict=False)
    }


def matched(computed: dict[str, dict[CellName, Computed]], tables: dict[str, PrintedTable]) -> dict[str, str]:
    return {row: fit.label for row, fit in match_rows(computed, tables)[0].items()}


@pytest.mark.parametrize(
    ("value", "percent", "decimals", "text"),
    [(0.6625, True, 1, "66.2"), (0.6125, True, 1, "61.3"), (0.6375, True, 1, "63.7"), (-0.0, False, 3, "0.000")],
)
def test_rounding_is_that_of_the_paper(value: float, percent: bool, decimals: int, text: str) -> None:
    column = Column(percent, decimals)
    assert column.text(column.in_print(value)) == text


def test_an_undefined_value_equals_no_printed_one() -> None:
    (only,) = table(row=[0.0] * 10).values()
    assert not only.prints_equal("row", "c0", Computed(None))
    assert only.prints_equal("row", "c0", Computed(0.004))
    assert not only.prints_equal("row", "c0", Computed(0.006))


def test_a_spread_lets_through_what_it_says() -> None:
    (only,) = table(row=[0.0] * 10).values()
    for value, spread, close in [(0.014, 0.01, True), (0.016, 0.01, False), (0.004, 0.0, False), (None, 9.0, False)]:
        assert only.within_spread("row", "c0", Computed(value, spread=spread)) is close


def test_a_row_with_its_own_precision_is_read_with_it() -> None:
    (plain,) = table(row=[1.0] * 10, other=[50.0] * 10).values()
    own = PrintedTable("", plain.columns, plain.rows, {"other": Column(True, 1)})
    assert own.prints_equal("other", "c0", Computed(0.5004))
    assert not plain.prints_equal("other", "c0", Computed(0.5004))


def test_a_directory_needs_half_of_its_cells_and_five_equal() -> None:
    printed = table(row=[1.0] * 10)
    assert matched({"d": cells(*[1.0] * 5, *[2.0] * 5)}, printed) == {"row": "d"}
    assert matched({"d": cells(*[1.0] * 4, *[2.0] * 4)}, printed) == {}
    assert matched({"d": cells(*[1.0] * 5, *[2.0] * 5, 2.0)}, table(row=[1.0] * 11)) == {"row": "d"}
    assert matched({"d": cells(*[1.0] * 4, *[None] * 6)}, printed) == {}


def test_cells_that_the_logs_lack_do_not_count() -> None:
    assert matched({"d": cells(*[1.0] * 5, *[None] * 5)}, table(row=[1.0] * 10)) == {"row": "d"}


def test_two_directories_never_share_a_row() -> None:
    printed = table(row=[1.0] * 10, other=[1.0] * 6 + [3.0] * 4)
    best, second = cells(*[1.0] * 10), cells(*[1.0] * 9, 2.0)
    assert matched({"second": second, "best": best}, printed) == {"row": "best", "other": "second"}
    assert matched({"a": best, "b": best}, table(row=[1.0] * 10)) == {"row": "a"}


def test_a_table_without_the_row_leaves_the_match() -> None:
    printed = {**table(row=[1.0] * 10), "19": PrintedTable("", {"x": Column(False, 1)}, {})}
    computed = {**cells(*[1.0] * 10), CellName("19", "x"): Computed(1.0)}
    assert matched({"d": computed}, printed) == {"row": "d"}
