"""The record of a submitted run: scores, settings and hashes, to stand beside the log in the results dataset.

Where the parts lie below the results dataset, all named by the record's id, sixteen hexadecimal digits:

    records/<id>.json   rows/<id>.jsonl   logs/<id>/run.json   logs/<id>/turns*.jsonl
"""

import hashlib
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.hub.errors import HubError
from vehbench_hf.hub.names import PUBLISHED_BANK, repository
from vehbench_hf.hub.rescore import deviations, log_hashes, rescore
from vehbench_hf.hub.rules import check_run, check_scores
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog import read_run_json, read_turns

RECORD_SCHEMA = "vehbench-record-1"
MAX_RECORD_BYTES = 4_000_000
MAX_LOG_FILES = 256
MAX_DEPTH = 20
PERCENT = 100.0
"""Published values are the headline times this. Higher is better in all of them."""
ID = re.compile(r"[0-9a-f]{16}")
TURNS = re.compile(r"turns(-[0-9]{1,4})?\.jsonl")
_KEPT = ("schema", "kind", "settings", "versions", "begun", "prompts", "backends")
"""Fields of `run.json` that are published; the path of the bank on the author's machine is not."""


def make_record(log: Path, bank: Bank, model_id: str) -> dict[str, Any]:
    """The record of a run, with scores computed from its log. Equal logs give equal records.

    Raises HubError for a run that cannot be submitted: imported, a baseline, limited, incomplete, damaged, or on
    another bank than the published one.
    """
    repository(model_id)
    info = read_run_json(log)
    settings = info["settings"]
    if bank.version != PUBLISHED_BANK:
        raise HubError(f"{log} was made on bank {bank.version}; submissions are on {PUBLISHED_BANK}.")
    try:
        check_run(info, bank, model_id)
        scores = rescore(log, bank)
        check_scores(scores)
    except HubError as error:
        raise HubError(f"{log}: {error}") from None
    body = {
        "schema": RECORD_SCHEMA,
        "model_id": model_id,
        "date": run_date(log),
        "bank": {"version": bank.version, "fingerprint": bank.fingerprint},
        "comparability": scores["comparability"],
        "deviations": deviations(settings),
        "settings": settings,
        "versions": {**scores["versions"], "run": info.get("versions")},
        "log": log_hashes(log),
        "run_json": run_json_hash(public_run_json(info)),
        "scores": {name: value for name, value in scores.items() if name not in ("versions", "problems")},
    }
    return {**body, "id": record_id(body)}


def record_id(record: dict[str, Any]) -> str:
    """Sixteen hexadecimal digits over model, bank, settings and log. Scores follow from those and are left out."""
    named = {name: record[name] for name in ("model_id", "bank", "settings", "log", "run_json")}
    return _sha256(named)[:16]


def public_run_json(info: dict[str, Any]) -> dict[str, Any]:
    """`run.json` as it is published: without paths of the author's machine."""
    return {**{name: info[name] for name in _KEPT if name in info}, "bank": info["settings"]["bank_version"]}


def run_json_hash(info: dict[str, Any]) -> str:
    """SHA-256 over a published `run.json`."""
    return _sha256(info)


def headline_rows(record: dict[str, Any]) -> list[dict[str, Any]]:
    """One flat row a probe, the same columns always: what the board and the results dataset show."""
    rows = []
    for info in PROBE_TABLE.values():
        found = record["scores"]["probes"].get(info.probe)
        if found is None:
            continue
        headline = found["headline"]
        low, high = headline["interval"] or (None, None)
        rows.append(
            {
                "record": record["id"],
                "model_id": record["model_id"],
                "task_id": info.task_id,
                "value": percent(headline["value"]),
                "low": percent(low),
                "high": percent(high),
                "n": headline["n"],
                **found["outcomes"],
                "comparability": record["comparability"],
                "deviations": canonical_json(record["deviations"]),
                "date": record["date"],
                "vehbench": record["versions"].get("vehbench"),
            }
        )
    return rows


def rows_text(record: dict[str, Any]) -> str:
    """The rows of a record as the file in the results dataset."""
    return "".join(json.dumps(row) + "\n" for row in headline_rows(record))


def percent(value: float | None) -> float | None:
    """A headline as it is published: times 100, two decimals."""
    return None if value is None else round(PERCENT * value, 2)


def read_record(text: str | bytes, where: str) -> dict[str, Any]:
    """A record, checked for its shape. Raises HubError when it is none; `where` names it in messages."""
    if len(text) > MAX_RECORD_BYTES:
        raise HubError(f"{where} is larger than {MAX_RECORD_BYTES} bytes, which no record is.")
    try:
        record = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise HubError(f"{where} is no JSON: {str(error)[:200]}") from None
    if not isinstance(record, dict) or record.get("schema") != RECORD_SCHEMA:
        raise HubError(f"{where}: expected a record of schema {RECORD_SCHEMA!r}.")
    if _depth(record) > MAX_DEPTH:
        raise HubError(f"{where} is nested deeper than {MAX_DEPTH} levels, which no record is.")
    texts = ("id", "model_id", "date", "comparability", "run_json")
    mappings = ("bank", "deviations", "settings", "versions", "log", "scores")
    wrong = [name for name in texts if not isinstance(record.get(name), str)]
    wrong += [name for name in mappings if not isinstance(record.get(name), dict)]
    if wrong:
        raise HubError(f"{where}: the field {wrong[0]} is missing or of another kind.")
    if len(record["log"]) > MAX_LOG_FILES:
        raise HubError(f"{where} names {len(record['log'])} log files; at most {MAX_LOG_FILES} are read.")
    if not ID.fullmatch(record["id"]) or not all(TURNS.fullmatch(name) for name in record["log"]):
        raise HubError(f"{where}: the id or the name of a log file is not one that vehbench writes.")
    if not isinstance(record["versions"].get("vehbench"), str):
        raise HubError(f"{where}: the field versions.vehbench is missing or of another kind.")
    repository(record["model_id"])
    return record


def run_date(log: Path) -> str:
    """The day of the last call of a run, or of its beginning where calls have no time."""
    times = [turn.time for turn in read_turns(log).turns if turn.time]
    day = (max(times) if times else str(read_run_json(log).get("begun", "")))[:10]
    try:
        # The time is a text of the log, and the day goes into YAML and onto pages: it must be a day.
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise HubError(f"the log of {log} does not say when it was made.") from None


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _depth(value: object) -> int:
    """How deep mappings and lists are nested."""
    deepest, open_ = 0, [(value, 1)]
    while open_:
        inside, depth = open_.pop()
        deepest = max(deepest, depth)
        parts = inside.values() if isinstance(inside, dict) else inside if isinstance(inside, list) else ()
        open_ += [(part, depth + 1) for part in parts]
    return deepest
