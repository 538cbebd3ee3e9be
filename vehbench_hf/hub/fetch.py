"""A record with its log, from a run folder, a file, or an address on the Hub. What comes from outside is limited."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from vehbench_hf.errors import UserError
from vehbench_hf.hub.failures import HubError, hub_failures
from vehbench_hf.hub.names import repository
from vehbench_hf.hub.submitted_record import MAX_RECORD_BYTES, SubmittedRecord, read_record
from vehbench_hf.runlog.lines import turn_files

MAX_RUN_JSON_BYTES = 4_000_000
MAX_LOG_BYTES = 1_000_000_000
"""Of all turn files of a run. That of a model that thinks at length is a tenth of that."""
MAX_LINES = 1_000_000
"""Of a turn file; ten repeats of everything are a tenth of that. Each line costs more memory than its bytes."""
_PATH = re.compile(r"/datasets/([^/]+/[^/]+)/(?:resolve|blob)/([^/]+|refs/pr/\d+)/(records/[0-9a-f]{16}\.json)")


class Fetched(NamedTuple):
    """A record (None for a run that was never submitted), the folder of its log, and its file of rows."""

    record: SubmittedRecord | None
    log: Path
    rows: Path | None = None


def fetch(place: str, into: Path) -> Fetched:
    """What `vehbench verify` is given: a run folder, a record file, or the address of a record on the Hub.

    Files from the Hub are written to the folder `into`. Raises HubError or RunError for anything else.
    """
    if re.match(r"[a-z]+://", place):
        return _from_hub(place, into)
    path = Path(place)
    if path.is_dir():
        submitted = sorted(path.glob("submission/results/records/*.json"))
        return Fetched(_read(submitted[0]), path, _rows_beside(submitted[0])) if submitted else Fetched(None, path)
    record, log, rows = read_copy(path)
    return Fetched(record, log, rows)


def read_copy(file: Path) -> tuple[SubmittedRecord, Path, Path]:
    """A record of a copy of the results dataset, with the folder of its log and its file of rows.

    Raises HubError for a file that is no record, and for a log of a size or kind that no run has.
    """
    record = _read(file)
    log = log_beside(file, record)
    _check_log(log)
    return record, log, _rows_beside(file)


def _check_log(log: Path) -> None:
    """Raise HubError for more than a log may hold. A link in a copy may lead to a device that never ends."""
    total = 0
    for file in (log / "run.json", *turn_files(log)):
        if file.exists() and not file.is_file():
            raise HubError(f"{file} is no file.")
        size = file.stat().st_size if file.exists() else 0
        total += size
        if total > MAX_LOG_BYTES or (file.name == "run.json" and size > MAX_RUN_JSON_BYTES):
            raise HubError(f"{log} holds more than a log may: {file.name} has {size} bytes.")
    for file in turn_files(log):
        with file.open("rb") as stream:
            if sum(part.count(b"\n") for part in iter(lambda: stream.read(1 << 20), b"")) > MAX_LINES:
                raise HubError(f"{file} has more than {MAX_LINES} lines, which no log has.")


def log_beside(file: Path, record: SubmittedRecord) -> Path:
    """The folder of a record's log in a copy of the results dataset."""
    if file.stem != record["id"]:
        raise HubError(f"{file} holds the record {record['id']}; a record's file has the name of its id.")
    return file.parent.parent / "logs" / str(record["id"])


def _rows_beside(file: Path) -> Path:
    return file.parent.parent / "rows" / f"{file.stem}.jsonl"


def _read(file: Path) -> SubmittedRecord:
    if file.exists() and not file.is_file():
        raise HubError(f"{str(file)[:200]} is no file; expected a record.")
    try:
        with file.open("rb") as stream:
            return read_record(stream.read(MAX_RECORD_BYTES + 1), str(file))
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise HubError(f"{str(file)[:200]} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _from_hub(url: str, into: Path) -> Fetched:
    from huggingface_hub.constants import ENDPOINT

    parts, home = urlsplit(url), urlsplit(ENDPOINT)
    address = _PATH.fullmatch(parts.path)
    if (parts.scheme, parts.netloc) != (home.scheme, home.netloc) or address is None:
        expected = f"{ENDPOINT}/datasets/ORG/vehbench-results/blob/main/records/ID.json"
        raise HubError(f"{_without_login(url)[:200]} is not the address of a record; expected {expected}.")
    repo_id, revision, name = repository(address[1]), address[2], address[3]
    # Everything is read at one commit: a branch could move between the record and its log.
    commit = _commit(repo_id, revision)
    record_file = _download(repo_id, commit, name, MAX_RECORD_BYTES, into)
    record = _read(record_file)
    log = log_beside(record_file, record)
    _download(repo_id, commit, f"logs/{record['id']}/run.json", MAX_RUN_JSON_BYTES, into)
    left = MAX_LOG_BYTES
    for turns in record["log"]:
        left -= _download(repo_id, commit, f"logs/{record['id']}/{turns}", left, into).stat().st_size
    _check_log(log)
    rows = _download(repo_id, commit, f"rows/{record['id']}.jsonl", MAX_RECORD_BYTES, into)
    return Fetched(record, log, rows)


def _without_login(url: str) -> str:
    """An address as it may be printed: addresses for git carry a user and a token before the host."""
    return re.sub(r"://[^/]*@", "://", url)


def _commit(repo_id: str, revision: str) -> str:
    from huggingface_hub import HfApi

    with hub_failures(f"{repo_id} cannot be read at {revision}"):
        sha = HfApi().dataset_info(repo_id, revision=revision).sha
    if sha is None:
        raise HubError(f"{repo_id} does not say which commit {revision} is.")
    return sha


def _download(repo_id: str, commit: str, name: str, most: int, into: Path) -> Path:
    """A file of a dataset at a commit, written below `into`; its size is asked for before it is fetched."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

    with hub_failures(f"{repo_id}: {name} cannot be read"):
        size = get_hf_file_metadata(hf_hub_url(repo_id, name, repo_type="dataset", revision=commit)).size
        if size is None or size > most:
            raise HubError(f"{repo_id}: {name} has {size} bytes; at most {most} are read.")
        return Path(hf_hub_download(repo_id, name, repo_type="dataset", revision=commit, local_dir=into))
