"""The record of a submitted run: scores, settings and hashes, to stand beside the log in the results dataset.

Where the parts lie below the results dataset, all named by the record's id, sixteen hexadecimal digits:

    records/<id>.json   rows/<id>.jsonl   logs/<id>/run.json   logs/<id>/turns*.jsonl
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, cast
from urllib.parse import urlsplit

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.files import sha256_of
from vehbench_hf.hub.names import BankName, HubError, published_bank, repository
from vehbench_hf.hub.rules import check_bank, check_run, check_scores, run_date
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.runlog.differences import deviations
from vehbench_hf.runlog.lines import read_turns, turn_files
from vehbench_hf.runlog.loaded_run import load_run
from vehbench_hf.runlog.run_json import RunJson, read_run_json
from vehbench_hf.safe_files import parse_json
from vehbench_hf.scoring import Scores, score_run
from vehbench_hf.scoring.scores_type import Versions

Setting = str | int | float | list[str] | dict[str, Any] | None
RECORD_SCHEMA = "vehbench-record-1"
PRIVATE = "(private)"
"""What stands for an address that is not published."""
MAX_RECORD_BYTES = 4_000_000
MAX_LOG_FILES = 256
PERCENT = 100.0
"""Published values are the headline times this. Higher is better in all of them."""
ID = re.compile(r"[0-9a-f]{16}")
_VERSION = re.compile(r"[\w.+!-]{1,40}", re.ASCII)
TURNS = re.compile(r"turns(-[0-9]{1,4})?\.jsonl")
_KEPT = ("schema", "kind", "settings", "versions", "begun", "prompts", "backends")
"""Fields of `run.json` that are published; the path of the bank on the author's machine is not."""


class SubmittedRecord(TypedDict):
    """A record. `log` and `run_json` are SHA-256 of the turn files and of the published `run.json`.

    `deviations` are the settings in which the run differs from the default. `scores` are those of `scores.json` without
    versions and problems. One that comes from outside is checked for this shape down to `scores`, no further.
    """

    schema: str
    model_id: str
    date: str
    bank: BankName
    comparability: str
    deviations: dict[str, Setting]
    settings: dict[str, Setting]
    versions: Versions
    log: dict[str, str]
    run_json: str
    scores: Scores
    id: str


class HeadlineRow(TypedDict):
    """A line of `rows/<id>.jsonl`: the headline of one probe in percent, its interval, and the count of each outcome.

    `cards/results_card.md` declares these columns, so that the dataset loads before its first row.
    """

    record: str
    model_id: str
    task_id: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    ok: int
    format_error: int
    truncated: int
    refused: int
    infra_error: int
    comparability: str
    deviations: str
    date: str
    vehbench: str


def make_record(log: Path, bank: Bank, model_id: str) -> SubmittedRecord:
    """The record of a run, with scores computed from its log. Equal logs give equal records.

    Raises HubError for a run that cannot be submitted: imported, a baseline, limited, incomplete, damaged, or on
    another bank than the published one.
    """
    repository(model_id)
    published = published_bank()
    if bank.version != published["version"]:
        raise HubError(f"{log} was made on bank {bank.version}; submissions are on {published['version']}.")
    check_bank(bank)
    info = read_run_json(log)
    settings = info["settings"]
    try:
        check_run(info, bank, model_id)
        day = run_date(read_turns(log).turns, info)
        scores = score_run(load_run(log, bank))
        check_scores(scores)
    except HubError as error:
        raise HubError(f"{log}: {error}") from None
    record: SubmittedRecord = {
        "schema": RECORD_SCHEMA,
        "model_id": model_id,
        "date": day,
        "bank": {"version": bank.version, "fingerprint": bank.fingerprint},
        "comparability": scores["comparability"],
        "deviations": deviations(settings),
        "settings": settings,
        "versions": {**scores["versions"], "run": info.get("versions")},
        "log": log_hashes(log),
        "run_json": run_json_hash(public_run_json(info)),
        "scores": cast("Scores", {n: value for n, value in scores.items() if n not in ("versions", "problems")}),
        "id": "",
    }
    return {**record, "id": record_id(record)}


def log_hashes(log: Path) -> dict[str, str]:
    """SHA-256 of the turn files of a log by name. Raises HubError where there is none."""
    hashes = {file.name: sha256_of(file) for file in turn_files(log)}
    if not hashes:
        raise HubError(f"{log} holds no turns: expected turns.jsonl.")
    return hashes


def record_id(record: Mapping[str, Any]) -> str:
    """Sixteen hexadecimal digits over model, bank, settings and log. Scores follow from those and are left out."""
    named = {name: record[name] for name in ("model_id", "bank", "settings", "log", "run_json")}
    return _sha256(named)[:16]


def public_run_json(info: RunJson, *, as_it_is: bool = False) -> RunJson:
    """`run.json` as it is published: without paths of the author's machine and addresses within their network.

    `as_it_is` keeps the addresses, as in records of earlier versions.
    """
    kept = {name: value for name, value in info.items() if name in _KEPT}
    if "backends" in info and not as_it_is:
        kept["backends"] = [_without_place(used) for used in info["backends"]]
    return cast("RunJson", kept | {"bank": info["settings"].get("bank_version", "")})


def _without_place(used: dict[str, Any]) -> dict[str, Any]:
    """What a backend says about itself, without an address that is not one of the public net."""
    try:
        parts = urlsplit(str(used.get("base_url") or ""))
        public = parts.scheme == "https" and parts.port is None and re.search(r"\.[a-z]{2,}$", parts.hostname or "")
    except ValueError:
        public = None
    inside = public is None or parts.netloc != parts.hostname or str(parts.hostname).endswith((".local", ".internal"))
    return {**used, "base_url": PRIVATE} if used.get("base_url") and inside else used


def run_json_hash(info: RunJson) -> str:
    """SHA-256 over a published `run.json`."""
    return _sha256(info)


def headline_rows(record: SubmittedRecord) -> list[HeadlineRow]:
    """One flat row a probe, the same columns always: what the board and the results dataset show."""
    rows: list[HeadlineRow] = []
    for info in BENCHMARK:
        scores = record["scores"]["probes"].get(info.probe)
        if scores is None:
            continue
        headline = scores["headline"]
        low, high = headline["interval"] or (None, None)
        row = {
            "record": record["id"],
            "model_id": record["model_id"],
            "task_id": info.task_id,
            "value": percent(headline["value"]),
            "low": percent(low),
            "high": percent(high),
            "n": headline["n"],
            **scores["outcomes"],
            "comparability": record["comparability"],
            "deviations": canonical_json(record["deviations"]),
            "date": record["date"],
            "vehbench": record["versions"]["vehbench"],
        }
        rows.append(cast("HeadlineRow", row))
    return rows


def rows_text(record: SubmittedRecord) -> str:
    """The rows of a record as the file in the results dataset."""
    return "".join(json.dumps(row) + "\n" for row in headline_rows(record))


def percent(value: float | None) -> float | None:
    """A headline as it is published: times 100, two decimals."""
    return None if value is None else round(PERCENT * value, 2)


def read_record(text: str | bytes, where: str) -> SubmittedRecord:
    """A record, checked for its shape. Raises HubError when it is none; `where` names it in messages."""
    if len(text) > MAX_RECORD_BYTES:
        raise HubError(f"{where} is larger than {MAX_RECORD_BYTES} bytes, which no record is.")
    try:
        record = parse_json(text)
    except ValueError as error:
        raise HubError(f"{where} is no JSON: {str(error)[:200]}") from None
    if not isinstance(record, dict) or record.get("schema") != RECORD_SCHEMA:
        raise HubError(f"{where}: expected a record of schema {RECORD_SCHEMA!r}.")
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
    version = record["versions"].get("vehbench")
    if not (isinstance(version, str) and _VERSION.fullmatch(version)):
        raise HubError(f"{where}: the field versions.vehbench is missing or of another kind.")
    repository(record["model_id"])
    return cast("SubmittedRecord", record)


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
