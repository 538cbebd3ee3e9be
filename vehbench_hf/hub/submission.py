"""A submission: the eval-results file of the model, and the record with its log for the results dataset."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vehbench_hf.bank.bank import MANIFEST, Bank
from vehbench_hf.hub.names import DATASET, HUB, RESULTS, HubError, organisation
from vehbench_hf.hub.signs import signs_of
from vehbench_hf.hub.submitted_record import SubmittedRecord, make_record, percent, public_run_json, rows_text
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.runlog.lines import read_turns, turn_files
from vehbench_hf.runlog.loaded_run import load_run
from vehbench_hf.runlog.run_json import read_run_json, write_json
from vehbench_hf.safe_files import printable

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

EVAL_FILE = "vehbench.yaml"
_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET = 12
_OURS = re.compile(
    r"(results|results/(records|rows|logs)|results/records/\w{16}\.json|results/rows/\w{16}\.jsonl|results/logs/\w{16}"
    r"|results/logs/\w{16}/(run\.json|turns[-\w]*\.jsonl)|model|model/\.eval_results(/vehbench\.yaml)?)(\.\w+\.tmp)?"
)
"""What a submission consists of, and what is left where one was interrupted."""


@dataclass(frozen=True)
class Submission:
    """What was made of a run: the record, the folder it lies in, and whose datasets it is for.

    `signs` are what the checkers of the record will find odd about its log.
    """

    record: SubmittedRecord
    folder: Path
    org: str
    signs: tuple[str, ...] = ()

    @property
    def results(self) -> Path:
        """The part for the results dataset."""
        return self.folder / "results"

    @property
    def model(self) -> Path:
        """The part for the model's repository."""
        return self.folder / "model"


def make_submission(log: Path, bank: Bank, model_id: str, org: str, out: Path) -> Submission:
    """Score a run from its log and write record, rows, log and eval-results file below `out`.

    Raises HubError for a run that cannot be submitted, or whose log holds a secret of this environment.
    """
    organisation(org)
    record = make_record(log, bank, model_id)
    _refuse_secrets(log, os.environ)
    signs = signs_of(model_id, load_run(log, bank), read_turns(log).turns)
    submission = Submission(record, out, org, tuple(map(printable, signs)))
    _clear(out)
    name = record["id"]
    for folder in ("records", "rows", f"logs/{name}"):
        (submission.results / folder).mkdir(parents=True)
    write_json(submission.results / "records" / f"{name}.json", record)
    (submission.results / "rows" / f"{name}.jsonl").write_text(rows_text(record), encoding="utf-8")
    write_json(submission.results / "logs" / name / "run.json", public_run_json(read_run_json(log)))
    for file in turn_files(log):
        shutil.copyfile(file, submission.results / "logs" / name / file.name)
    write_eval_file(submission)
    return submission


def write_eval_file(submission: Submission, revision: str | None = None, pull: int | None = None) -> Path:
    """Write the model's eval-results file: an entry a headline, with the commit of the dataset where it is known.

    `pull` is the pull request that holds the record until it is taken over; without it the record stands in `main`.
    """
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    entries = eval_entries(submission.record, submission.org, record_url(submission, pull), revision)
    file = submission.model / eval_path()
    file.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True, width=120)
    file.write_text(text, encoding="utf-8")
    return file


def eval_entries(record: SubmittedRecord, org: str, source: str, revision: str | None) -> "list[EvalResultEntry]":
    """The eval results of a record; `source` is its address, `revision` the commit of the dataset below `org`."""
    from huggingface_hub import EvalResultEntry

    scores = {info.task_id: record["scores"]["probes"].get(info.probe) for info in BENCHMARK}
    return [
        EvalResultEntry(
            dataset_id=f"{org}/{DATASET}",
            task_id=task_id,
            value=percent(own["headline"]["value"]),
            dataset_revision=revision,
            date=record["date"],
            source_url=source or None,
            source_name="vehbench record and log" if source else None,
            notes=notes_of(record),
        )
        for task_id, own in scores.items()
        if own is not None and own["headline"]["value"] is not None
    ]


def eval_path() -> str:
    """The path of the eval-results file in a model's repository."""
    from huggingface_hub.constants import EVAL_RESULTS_FOLDER

    return f"{EVAL_RESULTS_FOLDER}/{EVAL_FILE}"


def record_url(submission: Submission, pull: int | None) -> str:
    """The address of the record on the Hub, whatever mirror the clients go by."""
    branch = "main" if pull is None else f"refs%2Fpr%2F{pull}"
    return f"{HUB}/datasets/{submission.org}/{RESULTS}/blob/{branch}/records/{submission.record['id']}.json"


def notes_of(record: SubmittedRecord) -> str:
    """Harness, comparability and deviations in one line."""
    named = ", ".join(f"{name}={json.dumps(value)}" for name, value in record["deviations"].items())
    settings = f"deviations: {named}" if named else "default settings"
    return f"vehbench {record['versions'].get('vehbench')}; {record['comparability']}; {settings}"


def same_bank(manifest: bytes, record: SubmittedRecord) -> bool:
    """Whether the manifest of the published dataset is that of the bank in the record."""
    try:
        return bool(json.loads(manifest)["fingerprint"] == record["bank"]["fingerprint"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise HubError(f"{MANIFEST} of the published dataset cannot be read.") from None


def _clear(out: Path) -> None:
    """Remove an earlier submission and nothing else: what a user keeps in a folder of these names is not ours."""
    if not out.exists() and not out.is_symlink():
        return
    whole = out.is_dir() and not out.is_symlink()
    if not whole or not all(_OURS.fullmatch(file.relative_to(out).as_posix()) for file in out.rglob("*")):
        raise HubError(f"{out} is in the way and no earlier submission; give another --out.")
    shutil.rmtree(out)


def _refuse_secrets(log: Path, environment: Mapping[str, str]) -> None:
    """Raise HubError when a file to be published holds the Hub's token, or a key or token of the environment."""
    from huggingface_hub import get_token

    named = {f"${name}": value for name, value in environment.items() if any(w in name.upper() for w in _SECRET_WORDS)}
    named["the token of the Hub"] = get_token() or ""
    # In a log, which is ASCII, a secret stands as JSON writes it.
    secrets = {
        name: (value.encode(errors="surrogateescape"), json.dumps(value)[1:-1].encode())
        for name, value in named.items()
        if len(value) >= _SHORTEST_SECRET
    }
    for file in [log / "run.json", *turn_files(log)]:
        data = file.read_bytes()
        for name, values in secrets.items():
            if any(value in data for value in values):
                raise HubError(f"{file} holds the value of {name}; it is not published. Remove it from the log.")
