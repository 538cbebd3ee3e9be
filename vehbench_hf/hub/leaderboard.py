"""A static page from a copy of the results dataset. Only records whose numbers follow from their logs are on it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.errors import UserError
from vehbench_hf.hub.fetch import read_copy
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.rules import check_bank
from vehbench_hf.hub.signs import Replies, shared_logs
from vehbench_hf.hub.submitted_record import ID, HeadlineRow, SubmittedRecord, headline_rows
from vehbench_hf.hub.verification import check_record, row_differences
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.safe_files import parse_json, printable, read_plain, replace_file

TEMPLATE = Path(__file__).with_name("leaderboard.html.j2")
AGREES = 0.8
"""Share of tasks that a second party must find alike before a record counts as run again."""
Tier = Literal["recomputed", "re-run", "flagged"]


@dataclass(frozen=True)
class Owner:
    """What the owner of a board knows beside the records, which anybody may have written.

    `submitters` are names by record id, `replaced` ids of records with the ids of those that stand for them now, and
    `reruns` by record id the share of tasks that a second party found alike, with a line of text.
    """

    submitters: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    reruns: Mapping[str, tuple[float, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A verified record, the signs that its log may not be what it says, and what a second party found."""

    record: SubmittedRecord
    replies: Replies
    signs: tuple[str, ...]
    rerun: tuple[float, str] | None = None

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record["id"]

    @property
    def tier(self) -> Tier:
        """How far the record was checked."""
        if self.signs:
            return "flagged"
        return "re-run" if self.rerun is not None and self.rerun[0] >= AGREES else "recomputed"


class Displaced(NamedTuple):
    """A verified record that another one stands for, and why."""

    record: SubmittedRecord
    by: str
    why: str


@dataclass(frozen=True)
class Board:
    """What is shown, what others stand for, and the files that are left out with the first reason each."""

    entries: tuple[Entry, ...]
    displaced: tuple[Displaced, ...]
    left_out: tuple[tuple[str, str], ...]

    @property
    def records(self) -> tuple[SubmittedRecord, ...]:
        """The records that are shown."""
        return tuple(entry.record for entry in self.entries)


def read_owner(submitters: Path | None, reruns: Path | None, replaced: Iterable[str] = ()) -> Owner:
    """What the owner of a board gives beside the records.

    `submitters` is a JSON object of names by record id, `reruns` holds lines of `vehbench verify --rerun --note`, and
    `replaced` are texts OLD=NEW. Raises HubError for anything else.
    """
    try:
        names = {} if submitters is None else parse_json(read_plain(submitters))
        lines = [] if reruns is None else [parse_json(line) for line in read_plain(reruns).splitlines() if line.strip()]
        again = {line["record"]: (line["same"] / line["asked"], str(line["text"])) for line in lines}
        pairs = dict(pair.split("=") for pair in replaced)
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise HubError(f"what the board's owner gives cannot be read: {ascii(error)[:200]}") from None
    ids = [*names, *again, *pairs, *pairs.values()] if isinstance(names, dict) else [""]
    wrong = [text for text in ids if not (isinstance(text, str) and ID.fullmatch(text))]
    if wrong or not all(isinstance(name, str) for name in names.values()):
        raise HubError(f"expected ids of records, sixteen hexadecimal digits, and names; got {ascii(wrong)[:100]}.")
    return Owner(names, pairs, again)


def read_results(
    results: Path, bank: Bank, owner: Owner | None = None, *, on_progress: Callable[[str], None] = lambda line: None
) -> Board:
    """Check every record of a folder with `records/`, `rows/` and `logs/`. Raises HubError when there is none.

    A record stands for another one of the same model, settings and tuple only if both have one submitter or the owner
    says so; else both are shown, and say so. `on_progress` is told of every file.
    """
    check_bank(bank)
    if not (results / "records").is_dir():
        raise HubError(f"{results} is no copy of the results dataset: expected a folder records in it.")
    owner = owner or Owner()
    entries, left_out = [], []
    for file in sorted((results / "records").glob("*.json")):
        entry = check_file(file, bank)
        on_progress(f"{printable(file.name)}: {entry if isinstance(entry, str) else 'verified'}")
        if isinstance(entry, str):
            left_out.append((printable(file.name), entry))
        else:
            entries.append(replace(entry, rerun=owner.reruns.get(entry.id)))
    displaced = _displaced(entries, owner)
    gone = {each.record["id"] for each in displaced}
    shown = _compared([entry for entry in entries if entry.id not in gone])
    return Board(tuple(sorted(shown, key=lambda e: (e.record["model_id"], e.id))), tuple(displaced), tuple(left_out))


def check_file(file: Path, bank: Bank) -> Entry | str:
    """The record of a file, or why it is left out."""
    try:
        record, log, rows = read_copy(file)
        checked = check_record(record, log, bank)
        differing = checked.differences or row_differences(record, rows)
    except UserError as error:
        return printable(str(error))[:400]
    except Exception as error:
        # One bad record must not keep the others from the page, whatever nobody has thought of yet.
        return printable(f"it cannot be checked ({type(error).__name__}: {error})")
    return printable(differing[0]) if differing else Entry(record, checked.replies, tuple(checked.signs))


def _displaced(entries: list[Entry], owner: Owner) -> list[Displaced]:
    """The records that others stand for. Raises HubError when the owner names one that was not verified."""
    by_id = {entry.id: entry for entry in entries}
    displaced = []
    for old, new in owner.replaced.items():
        if old not in by_id or new not in by_id or new in owner.replaced:
            raise HubError(f"{old} cannot be replaced by {new}: expected two records that are verified and shown.")
        displaced.append(Displaced(by_id[old].record, new, "the owner of the board says so"))
    latest: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: (entry.record["date"], entry.id)):
        submitter = owner.submitters.get(entry.id)
        if submitter is None or entry.id in owner.replaced:
            continue
        earlier = latest.get(key := f"{submitter} {_claim(entry)}")
        if earlier is not None:
            displaced.append(Displaced(earlier.record, entry.id, f"a later record of {printable(submitter)}"))
        latest[key] = entry
    return displaced


def _compared(entries: list[Entry]) -> list[Entry]:
    """The entries with the signs that only others of the board show."""
    signs: dict[str, list[str]] = {entry.id: [] for entry in entries}
    claims: dict[str, list[str]] = {}
    for entry in entries:
        claims.setdefault(_claim(entry), []).append(entry.id)
    for ids in claims.values():
        for own in ids if len(ids) > 1 else ():
            others = ", ".join(other for other in ids if other != own)
            signs[own].append(f"another record claims this model under the same settings ({others})")
    for first, second, count in shared_logs([entry.replies for entry in entries]):
        for one, other in ((entries[first], entries[second]), (entries[second], entries[first])):
            signs[one.id].append(
                f"{count} of {len(one.replies)} replies stand word for word in {other.id} of {other.record['model_id']}"
            )
    return [replace(entry, signs=(*entry.signs, *signs[entry.id])) for entry in entries]


def _claim(entry: Entry) -> str:
    """What two records must agree in to be of the same model under the same settings."""
    record = entry.record
    return canonical_json([record["model_id"].lower(), record["comparability"], record["deviations"]])


def write_board(board: Board, out: Path) -> list[Path]:
    """Write `index.html` and `board.json` into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    body = {
        "rows": [
            {**row, "tier": entry.tier, "signs": list(entry.signs)}
            for entry in board.entries
            for row in headline_rows(entry.record)
        ],
        "displaced": [
            {"record": each.record["id"], "model_id": each.record["model_id"], "by": each.by, "why": each.why}
            for each in board.displaced
        ],
        "left_out": [{"file": name, "reason": reason} for name, reason in board.left_out],
    }
    files = {"index.html": render(board), "board.json": json.dumps(body, indent=1) + "\n"}
    for name, text in files.items():
        replace_file(out / name, text.encode("utf-8"))
    return [out / name for name in files]


class _Line(NamedTuple):
    """A line of a table: the entry, its headlines by task id, and its ranks among them."""

    entry: Entry
    cells: dict[str, HeadlineRow]
    ranks: dict[str, int]


def render(board: Board) -> str:
    """The page: a table for each comparability tuple and set of deviations, since others do not compare."""
    groups: dict[tuple[str, str], list[_Line]] = {}
    for entry in board.entries:
        record = entry.record
        named = ", ".join(f"{name} = {json.dumps(value)}" for name, value in record["deviations"].items())
        line = _Line(entry, {row["task_id"]: row for row in headline_rows(record)}, {})
        groups.setdefault((record["comparability"], named), []).append(line)
    for lines in groups.values():
        for info in BENCHMARK:
            values = {line.entry.id: line.cells[info.task_id]["value"] for line in lines if info.task_id in line.cells}
            for line in lines:
                value = values.get(line.entry.id)
                if value is not None:
                    better = sum(other is not None and other > value for other in values.values())
                    line.ranks[info.task_id] = 1 + better
    # What stands in a record was written by others; escaping keeps it text.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    shown: dict[str, Any] = {"displaced": board.displaced, "left_out": board.left_out}
    return template.render(groups=sorted(groups.items(), key=lambda item: item[0]), tasks=BENCHMARK, **shown)
