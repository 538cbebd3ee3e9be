import pytest

from vehbench_hf.paper.reproduce.cells import CellName, Computed
from vehbench_hf.paper.reproduce.matching import match_rows, prints_equal, within_spread
from vehbench_hf.paper.reproduce.published import Column, PrintedTable

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
def test_rounding_is_not_that_of_the_paper(value: float, percent: bool, decimals: int, text: str) -> None:
    column = Column(percent, decimals)
    assert column.text(column.in_print(value)) == text


def test_an_undefined_value_equals_a_printed_one() -> None:
    (only,) = table(row=[0.0] * 10).values()
    assert not prints_equal(0.0, Computed(None), only, "row", "c0")
    assert prints_equal(0.0, Computed(0.004), only, "row", "c0")
    assert not prints_equal(0.0, Computed(0.006), only, "row", "c0")


def test_a_spread_lets_more_through_than_it_says() -> None:
    (only,) = table(row=[0.0] * 10).values()
    for value, spread, close in [(0.014, 0.01, True), (0.016, 0.01, False), (0.004, 0.0, False), (None, 9.0, False)]:
        assert within_spread(0.0, Computed(value, spread=spread), only, "row", "c0") is close


def test_a_row_with_its_own_precision_is_read_with_that_of_the_column() -> None:
    (plain,) = table(row=[1.0] * 10, other=[50.0] * 10).values()
    own = PrintedTable("", plain.columns, plain.rows, {"other": Column(True, 1)})
    assert prints_equal(50.0, Computed(0.5004), own, "other", "c0")
    assert not prints_equal(50.0, Computed(0.5004), plain, "other", "c0")


def test_a_directory_with_half_of_its_cells_equal_is_not_taken() -> None:
    printed = table(row=[1.0] * 10)
    assert matched({"d": cells(*[1.0] * 5, *[2.0] * 5)}, printed) == {"row": "d"}
    assert matched({"d": cells(*[1.0] * 4, *[2.0] * 4)}, printed) == {}
    assert matched({"d": cells(*[1.0] * 5, *[2.0] * 5, 2.0)}, table(row=[1.0] * 11)) == {"row": "d"}
    assert matched({"d": cells(*[1.0] * 4, *[None] * 6)}, printed) == {}


def test_cells_that_the_logs_lack_count_against_a_directory() -> None:
    assert matched({"d": cells(*[1.0] * 5, *[None] * 5)}, table(row=[1.0] * 10)) == {"row": "d"}


def test_two_directories_share_a_row() -> None:
    printed = table(row=[1.0] * 10, other=[1.0] * 6 + [3.0] * 4)
    best, second = cells(*[1.0] * 10), cells(*[1.0] * 9, 2.0)
    assert matched({"second": second, "best": best}, printed) == {"row": "best", "other": "second"}
    assert matched({"a": best, "b": best}, table(row=[1.0] * 10)) == {"row": "a"}


def test_a_table_without_the_row_breaks_the_match() -> None:
    printed = {**table(row=[1.0] * 10), "19": PrintedTable("", {"x": Column(False, 1)}, {})}
    computed = {**cells(*[1.0] * 10), CellName("19", "x"): Computed(1.0)}
    assert matched({"d": computed}, printed) == {"row": "d"}
