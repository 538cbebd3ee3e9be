"""The record of a submitted run: scores, settings and hashes, to stand beside the log in the results dataset.

Who submits a run and who checks a record apply the same rules, `check_run` and `check_scores`. Without them a record
could be true and still mislead: a log without the tasks that went badly, or one whose steps were written down instead
of judged, gives the numbers it states.

Where the parts lie below the results dataset, all named by the record's id, sixteen hexadecimal digits:

    records/<id>.json   rows/<id>.jsonl   logs/<id>/run.json   logs/<id>/turns*.jsonl
"""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypedDict, cast

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.hub.failures import HubError
from vehbench_hf.hub.names import PUBLISHED_BANK, repository
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.runlog.differences import deviations
from vehbench_hf.runlog.lines import read_turns, turn_files
from vehbench_hf.runlog.loaded_run import load_run
from vehbench_hf.runlog.run_json import RunJson, read_run_json
from vehbench_hf.scoring import Scores, score_run
from vehbench_hf.scoring.scores_type import Versions
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION

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


class BankName(TypedDict):
    """The bank of a run."""

    version: str
    fingerprint: str


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
    deviations: dict[str, Any]
    settings: dict[str, Any]
    versions: Versions
    log: dict[str, str]
    run_json: str
    scores: Scores
    id: str


def make_record(log: Path, bank: Bank, model_id: str) -> SubmittedRecord:
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
        scores = score_run(load_run(log, bank))
        check_scores(scores)
    except HubError as error:
        raise HubError(f"{log}: {error}") from None
    record: SubmittedRecord = {
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
        "scores": cast("Scores", {n: value for n, value in scores.items() if n not in ("versions", "problems")}),
        "id": "",
    }
    return {**record, "id": record_id(record)}


def check_run(info: RunJson, bank: Bank, model_id: str) -> None:
    """Raise HubError for a run that is no run of this model over the headline's tasks; `info` is its `run.json`."""
    settings = info["settings"]
    model, splits, probes = settings.get("model"), settings.get("splits"), settings.get("probes")
    if info.get("kind") != "model" or not isinstance(model, str) or model.startswith("baseline/"):
        raise HubError("this is no run of a language model; baselines and imported logs are not submitted.")
    if _named_weights(model) not in (None, model_id):
        raise HubError(f"the run was made with {model[:200]}; the submission says {model_id}.")
    for name in ("limit", "subset", "isomorphic"):
        if settings.get(name) is not None:
            raise HubError(f"the run was made with --{name} {settings[name]}; a submission covers all tasks.")
    if not isinstance(probes, list) or not isinstance(splits, list) or not set(bank.headline_splits) <= _texts(splits):
        raise HubError(f"the run lacks a split of the headline ({', '.join(bank.headline_splits)}).")
    for name, now in (("prompts_version", PROMPTS_VERSION), ("protocol_version", PROTOCOL_VERSION)):
        if settings.get(name) != now:
            raise HubError(f"the run has {name} {str(settings.get(name))[:40]!r}; this version checks {now!r}.")


def check_scores(scores: Scores) -> None:
    """Raise HubError when scores that were computed from a log are not those of a whole run."""
    if scores["problems"]:
        raise HubError(f"the log has problems: {'; '.join(scores['problems'])[:400]}")
    if not scores["complete"]:
        raise HubError("the run is incomplete: some tasks are unscored or missing. Give its `vehbench run` again.")


def log_hashes(log: Path) -> dict[str, str]:
    """SHA-256 of the turn files of a log by name. Raises HubError where there is none."""
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in turn_files(log)}
    if not hashes:
        raise HubError(f"{log} holds no turns: expected turns.jsonl.")
    return hashes


def record_id(record: Mapping[str, Any]) -> str:
    """Sixteen hexadecimal digits over model, bank, settings and log. Scores follow from those and are left out."""
    named = {name: record[name] for name in ("model_id", "bank", "settings", "log", "run_json")}
    return _sha256(named)[:16]


def public_run_json(info: RunJson) -> RunJson:
    """`run.json` as it is published: without paths of the author's machine."""
    kept = {name: value for name, value in info.items() if name in _KEPT}
    return cast("RunJson", kept | {"bank": info["settings"]["bank_version"]})


def run_json_hash(info: RunJson) -> str:
    """SHA-256 over a published `run.json`."""
    return _sha256(info)


def headline_rows(record: SubmittedRecord) -> list[dict[str, Any]]:
    """One flat row a probe, the same columns always: what the board and the results dataset show."""
    rows: list[dict[str, Any]] = []
    for info in BENCHMARK:
        scores = record["scores"]["probes"].get(info.probe)
        if scores is None:
            continue
        headline = scores["headline"]
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
                **scores["outcomes"],
                "comparability": record["comparability"],
                "deviations": canonical_json(record["deviations"]),
                "date": record["date"],
                "vehbench": record["versions"].get("vehbench"),
            }
        )
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
    return cast("SubmittedRecord", record)


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


def _named_weights(model: str) -> str | None:
    """The repository ORG/MODEL whose weights a run loaded; None for a path and for a model behind an API."""
    kind, _, name = model.partition("/")
    return name if kind in ("vllm", "hf") and not name.startswith("/") else None


def _texts(values: list[Any]) -> set[str]:
    return {value for value in values if isinstance(value, str)}
