"""Checking a record: everything in it computed again from the log and the bank, and compared.

It proves that the scores follow from the log, and that log, settings and tasks are those of the record. It cannot prove
who or what wrote the replies.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.hub.rules import check_bank, check_run, check_scores, run_date
from vehbench_hf.hub.signs import Replies, replies_of, signs_of
from vehbench_hf.hub.submitted_record import (
    MAX_RECORD_BYTES,
    SubmittedRecord,
    log_hashes,
    public_run_json,
    record_id,
    rows_text,
    run_json_hash,
)
from vehbench_hf.runlog.differences import deviations
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.loaded_run import load_run
from vehbench_hf.runlog.run_json import read_run_json
from vehbench_hf.safe_files import printable, read_plain
from vehbench_hf.scoring import SCORING_FAILURES, score_run
from vehbench_hf.scoring.scores_type import Versions
from vehbench_hf.types import Convention

TOLERANCE = 1e-9
"""Sums differ in their last digits between machines; published values have far fewer."""
_ABSENT = object()
_OF_THE_PLACE = ("versions", "problems")
"""Parts of scores that say with which installation and from which place they were computed."""


class Checked(NamedTuple):
    """What differs between a record and its log, a line each, the signs of the log, and its replies."""

    differences: list[str]
    signs: Sequence[str] = ()
    replies: Replies = frozenset()


def check_record(record: SubmittedRecord, log: Path, bank: Bank) -> Checked:
    """Compare a record with what its log and bank give. A log that cannot be scored at all is a difference too."""
    lines: list[str] = []
    try:
        check_bank(bank)
        info, turns = read_run_json(log), read_turns(log).turns
        hashes, date = log_hashes(log), run_date(turns, info)
        # Who has the log in full still sees the addresses that are not published.
        public = [run_json_hash(public_run_json(info, as_it_is=kept)) for kept in (False, True)]
    except UserError as error:
        return Checked([printable(f"log: {error}")])
    lines += _compare("log", record["log"], hashes)
    lines += _compare("settings", record["settings"], info["settings"])
    lines += _compare("deviations", record["deviations"], deviations(info["settings"]))
    lines += [] if record["run_json"] in public else _compare("run.json", record["run_json"], public[0])
    lines += _compare("bank", record["bank"], {"version": bank.version, "fingerprint": bank.fingerprint})
    lines += _compare("date", record["date"], date)
    lines += _compare("id", record["id"], record_id(record))
    convention = record["scores"].get("convention")
    if convention not in get_args(Convention):
        return Checked([*lines, printable(f"scores.convention: {convention}")])
    try:
        check_run(info, bank, record["model_id"])
        run = load_run(log, bank)
        scores = score_run(run, convention)
    except (UserError, *SCORING_FAILURES) as error:
        return Checked([*lines, printable(f"scores: {error}")])
    try:
        check_scores(scores)
    except UserError as error:
        lines.append(printable(f"log: {error}"))
    lines += _compare("versions.run", record["versions"].get("run"), info.get("versions"))
    stated, computed = (_proven(each["versions"]) for each in (record, scores))
    lines += _compare("versions", stated, computed)
    lines += _compare("comparability", record["comparability"], scores["comparability"])
    lines += score_differences(record["scores"], scores)
    return Checked(lines, [printable(sign) for sign in signs_of(record["model_id"], run, turns)], replies_of(turns))


def _proven(versions: Versions) -> dict[str, object]:
    """The versions that follow from a log; the others say with what its scores were computed."""
    return {name: versions.get(name) for name in ("prompts", "protocol", "scorer", "oracle")}


def row_differences(record: SubmittedRecord, rows: Path) -> list[str]:
    """What differs between a record and its file of rows, which the results dataset shows."""
    try:
        same = read_plain(rows, MAX_RECORD_BYTES) == rows_text(record).encode()
    except OSError as error:
        return [f"rows: {rows.name} cannot be read: {error.strerror}"]
    except UserError as error:
        return [printable(f"rows: {error}")]
    return [] if same else [f"rows: {rows.name} does not hold the headlines of the record"]


def score_differences(stored: Mapping[str, Any], computed: Mapping[str, Any]) -> list[str]:
    """Numbers of stored scores that the computed ones do not give. What only a newer scorer adds does not count."""
    kept = {name: value for name, value in stored.items() if name not in _OF_THE_PLACE}
    absent = dict.fromkeys(_absent(stored, way) for way in _published(computed))
    missing = [f"scores.{name}: missing" for name in absent if name]
    return missing + _compare("scores", kept, {name: computed.get(name, _ABSENT) for name in kept})


def _published(scores: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The ways to what a record must state, however bad it is: every probe's headline and outcomes in full."""
    yield from (("complete",), ("headline_splits",))
    for probe, own in scores["probes"].items():
        yield from (("probes", probe, part, name) for part in ("headline", "outcomes") for name in own[part])


def _absent(stored: Any, way: tuple[str, ...]) -> str:
    """The first part of a way that is not there; empty when all of it is."""
    for depth, name in enumerate(way, start=1):
        if not isinstance(stored, Mapping) or name not in stored:
            return ".".join(way[:depth])
        stored = stored[name]
    return ""


def _compare(place: str, stored: Any, computed: Any) -> list[str]:
    return [
        printable(f"{where}: stated {_short(a)}, computed {_short(b)}")
        for where, a, b in _differing(place, stored, computed)
    ]


def _differing(place: str, stored: Any, computed: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(stored, Mapping) and isinstance(computed, Mapping):
        for name in [*stored, *(n for n in computed if n not in stored and not place.startswith("scores"))]:
            yield from _differing(f"{place}.{name}", stored.get(name, _ABSENT), computed.get(name, _ABSENT))
    elif isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        for index, (a, b) in enumerate(zip(stored, computed, strict=True)):
            yield from _differing(f"{place}[{index}]", a, b)
    elif not _equal(stored, computed):
        yield place, stored, computed


def _equal(stored: Any, computed: Any) -> bool:
    if isinstance(stored, bool) or isinstance(computed, bool):
        return stored is computed
    if isinstance(stored, float) or isinstance(computed, float):
        numbers = _number(stored) and _number(computed)
        return numbers and math.isclose(stored, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stored == computed)


def _number(value: object) -> bool:
    """Whether a value is a number in the range of floats, which an integer of JSON need not be."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 1e300)


def _short(value: object) -> str:
    return "nothing" if value is _ABSENT else str(value)[:120]
