"""A reproduction in words, for a terminal."""

from itertools import groupby

from vehbench_hf.reproduce.result import NO_DIRECTORY, NotInLogs, Reproduction, TableResult


def render(found: Reproduction) -> str:
    """Which directory is which row; by table the counts, all differences, and what the logs cannot give."""
    lines = ["Directories and printed rows (cells equal of cells in common)"]
    lines += [f"  {fit.label} is {row} ({fit.equal} of {fit.compared})" for row, fit in found.matched.items()]
    lines += [
        f"  {label} is no printed row (closest {fit.row}, {fit.equal} of {fit.compared})"
        for label, fit in found.unmatched.items()
    ]
    rows = {cell.row for table in found.tables.values() for cell in table.not_in_logs}
    without = sorted(rows - found.matched.keys())
    if without:
        lines.append(f"  without a directory: {', '.join(without)}")
    for number, table in found.tables.items():
        lines += ["", *_table(number, table)]
    lines += ["", "Notes on the logs"]
    lines += [f"  {label}: {note}" for label, notes in found.coverage.items() for note in notes]
    return "\n".join(lines) + "\n"


def _table(number: str, table: TableResult) -> list[str]:
    lines = [
        f"Table {number}, {table.title}: {table.equal} of {table.compared} compared cells equal, "
        f"{len(table.not_in_logs)} not in the logs"
    ]
    for row, column, printed, computed in table.different:
        shown = "undefined" if computed is None else f"{computed:.6g}"
        lines.append(f"  differs: {row}, {column}: printed {printed:g}, computed {shown}")
    # Rows without a directory are named once, above all tables.
    cells = [cell for cell in table.not_in_logs if cell.reason != NO_DIRECTORY]
    for (row, reason), group in groupby(cells, key=_row_and_reason):
        lines.append(f"  not in the logs: {row}, {', '.join(cell.column for cell in group)}: {reason}")
    return lines


def _row_and_reason(cell: NotInLogs) -> tuple[str, str]:
    return cell.row, cell.reason
