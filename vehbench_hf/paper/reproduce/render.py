"""A reproduction in words, for a terminal."""

from collections.abc import Sequence

from vehbench_hf.paper.reproduce.bootstrap import RESAMPLES
from vehbench_hf.paper.reproduce.cells import SourceKind
from vehbench_hf.paper.reproduce.intervals import NearTie
from vehbench_hf.paper.reproduce.result import NO_DIRECTORY, ComparedCell, Reproduction, TableResult

NAMES: dict[SourceKind, str] = {
    "row_logs": "row logs",
    "aggregates": "aggregates (transcribed, not recomputed)",
    "printed_inputs": "printed inputs (no evidence about logs)",
}


def render(result: Reproduction) -> str:
    """Which directory is which row; by table all differences and what the logs cannot give; last a line a table."""
    lines = ["Directories and printed rows (cells equal of cells in common)"]
    lines += [f"  {fit.label} is {row} ({fit.equal} of {fit.compared})" for row, fit in result.matched.items()]
    lines += [
        f"  {label} is no printed row (closest {fit.row}, {fit.equal} of {fit.compared})"
        for label, fit in result.unmatched.items()
    ]
    rows = {cell.row for table in result.tables.values() for cell in table.not_in_logs if cell.reason == NO_DIRECTORY}
    without = sorted(rows - result.matched.keys())
    if without:
        lines.append(f"  without a directory: {', '.join(without)}")
    if result.absent:
        lines += ["", f"Summaries that are not there, so that their cells are not compared: {', '.join(result.absent)}"]
    lines += ["", "Notes on the logs"]
    lines += [f"  {label}: {note}" for label, notes in result.coverage.items() for note in notes]
    for number, table in result.tables.items():
        detail = [_near_tie(tie) for tie in result.near_ties] if number == "13" else _details(table)
        if detail:
            lines += ["", f"Table {number}, {table.title}", *detail]
    lines += ["", "By table: cells equal of cells compared, by the strongest source that gives a cell"]
    lines += [_line(number, table) for number, table in result.tables.items()]
    return "".join(f"{''.join(c if c.isprintable() else '?' for c in line)}\n" for line in lines)


def _details(table: TableResult) -> list[str]:
    lines = []
    for cell in [*table.different, *table.within]:
        how = "differs" if cell.verdict == "different" else f"equal within {cell.spread:.2g}"
        shown = "undefined" if cell.computed is None else f"{cell.computed:.6g}"
        place = f"{cell.row}, {cell.column}: printed {cell.printed:g}, computed {shown}"
        lines.append(f"  {how}: {place} ({NAMES[cell.source or 'row_logs']})")
    # Rows without a directory are named once, above all tables.
    cells = [cell for cell in table.not_in_logs if cell.reason != NO_DIRECTORY]
    for reason in dict.fromkeys(cell.reason for cell in cells):
        mine = [cell for cell in cells if cell.reason == reason]
        whole = len(mine) == len(table.not_in_logs) and not table.by_source["row_logs"].compared
        lines.append(f"  not in the logs: {'any cell' if whole else _places(mine)}: {reason}")
    nowhere = [cell for cell in cells if cell.source is None]
    if nowhere and len(nowhere) < len(cells):
        lines.append(f"  of these in no file at all: {_places(nowhere)}")
    return lines


def _near_tie(tie: NearTie) -> str:
    """One difference that the paper does not print."""
    start = f"  not printed: {tie.object}, {tie.pair}: "
    if tie.difference is None or tie.source is None:
        return f"{start}cannot be computed: {tie.why}"
    if tie.interval is None:
        return f"{start}{tie.difference:+.4f}, no interval ({NAMES[tie.source]}; {tie.why})"
    low, high = tie.interval
    interval = f"{low:+.4f} to {high:+.4f} in {RESAMPLES} resamples of tasks"
    return f"{start}{tie.difference:+.4f} ({NAMES[tie.source]}; {interval})"


def _places(cells: Sequence[ComparedCell]) -> str:
    """Rows, each with its columns; rows with the same columns together."""
    columns: dict[str, list[str]] = {}
    for cell in cells:
        columns.setdefault(cell.row, []).append(cell.column)
    rows: dict[str, list[str]] = {}
    for row, listed in columns.items():
        rows.setdefault(", ".join(listed), []).append(row)
    return "; ".join(f"{' and '.join(named)}: {listed}" for listed, named in rows.items())


def _line(number: str, table: TableResult) -> str:
    counts = [
        f"{NAMES[kind]} {count.equal} of {count.compared}" for kind, count in table.by_source.items() if count.compared
    ]
    nowhere = sum(cell.source is None for cell in table.not_in_logs)
    return (
        f"Table {number}: {'; '.join(counts) or 'no number to compare'}; {len(table.different)} different; "
        f"{len(table.not_in_logs)} not in the logs" + (f" ({nowhere} nowhere)" if nowhere else "")
    )
