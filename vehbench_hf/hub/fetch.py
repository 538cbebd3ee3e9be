"""A record with its log, from a folder, a file, or an address on the Hub. What comes from outside is limited."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from vehbench_hf.errors import UserError
from vehbench_hf.hub.names import HUB, HubError, hub_failures, repository
from vehbench_hf.hub.submitted_record import MAX_RECORD_BYTES, SubmittedRecord, read_record
from vehbench_hf.runlog.lines import turn_files
from vehbench_hf.safe_files import lies_within, open_plain, printable, read_plain

MAX_RUN_JSON_BYTES = 4_000_000
MAX_LOG_BYTES = 250_000_000
"""Of all turn files of a run; that of a model that thinks at length is half of that."""
MAX_LINES = 200_000
"""Of a turn file; ten repeats of everything are half of that. Each line costs more memory than its bytes."""
_PATH = re.compile(
    r"/datasets/([^/]+/[^/]+)/(?:resolve|blob|raw)/([\w.-]+|refs(?:/|%2F)pr(?:/|%2F)\d+)/(records/[0-9a-f]{16}\.json)",
    re.IGNORECASE | re.ASCII,
)


class Fetched(NamedTuple):
    """A record, the folder of its log, and its file of rows."""

    record: SubmittedRecord
    log: Path
    rows: Path


def fetch(place: str, into: Path) -> Fetched:
    """The record that a file or an address on the Hub holds. Files from the Hub are written to the folder `into`.

    Raises HubError for anything that is no record, and for a log of a size or kind that no run has.
    """
    return _from_hub(place, into) if re.match(r"[A-Za-z]+://", place) else read_copy(Path(place))


def read_copy(file: Path) -> Fetched:
    """A record of a copy of the results dataset, `<copy>/records/<id>.json`, with its log and its rows.

    Raises HubError for a file that is no record, for a log of a size or kind that no run has, and for what leads out of
    the copy.
    """
    copy = file.parent.parent
    record = _read(file)
    if file.stem != record["id"]:
        raise HubError(f"{printable(str(file))} holds the record {record['id']}; its file has the name of its id.")
    found = Fetched(record, copy / "logs" / record["id"], copy / "rows" / f"{file.stem}.jsonl")
    for path in (file, found.rows, found.log, found.log / "run.json", *turn_files(found.log)):
        if not lies_within(path, copy):
            raise HubError(f"{printable(str(path))} is a link that leads out of {copy}; it is not followed.")
    _check_log(found.log)
    return found


def _check_log(log: Path) -> None:
    """Raise HubError for more than a log may hold."""
    left = MAX_LOG_BYTES
    for file in (log / "run.json", *turn_files(log)):
        most = min(left, MAX_RUN_JSON_BYTES) if file.name == "run.json" else left
        lines = size = 0
        try:
            with open_plain(file) as stream:
                while size <= most and lines <= MAX_LINES and (part := stream.read(1 << 20)):
                    size, lines = size + len(part), lines + part.count(b"\n")
        except FileNotFoundError:
            continue  # who checks the record says so
        except (OSError, UserError) as error:
            raise HubError(printable(f"{file.name} of {log.name} cannot be read: {error}")) from None
        if size > most:
            raise HubError(f"{log} holds more than a log may: {file.name} has more than {most} bytes.")
        if lines > MAX_LINES:
            raise HubError(f"{file} has more than {MAX_LINES} lines, which no log has.")
        left -= size


def _read(file: Path) -> SubmittedRecord:
    try:
        return read_record(read_plain(file, MAX_RECORD_BYTES), printable(str(file)))
    except HubError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise HubError(f"the record {printable(str(file))[:200]} cannot be read: {why}") from None


def _from_hub(url: str, into: Path) -> Fetched:
    from huggingface_hub.constants import ENDPOINT

    home = urlsplit(ENDPOINT)
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    address = _PATH.fullmatch(parts.path)
    # A mirror serves what stands on the Hub, under the Hub's links as well as under its own.
    known = {(home.scheme, home.netloc), *(("https", host) for host in (urlsplit(HUB).netloc, "hf.co"))}
    if (parts.scheme, parts.netloc) not in known or address is None:
        expected = f"{HUB}/datasets/ORG/vehbench-results/blob/main/records/ID.json"
        raise HubError(f"{printable(_without_login(url))[:200]} is not the address of a record; expected {expected}.")
    repo_id, revision, name = repository(address[1]), unquote(address[2]), address[3].lower()
    # Everything is read at one commit: a branch could move between the record and its log.
    commit = _commit(repo_id, revision)
    record = _read(_download(repo_id, commit, name, MAX_RECORD_BYTES, into))
    _download(repo_id, commit, f"logs/{record['id']}/run.json", MAX_RUN_JSON_BYTES, into)
    left = MAX_LOG_BYTES
    for turns in record["log"]:
        left -= _download(repo_id, commit, f"logs/{record['id']}/{turns}", left, into).stat().st_size
    _download(repo_id, commit, f"rows/{record['id']}.jsonl", MAX_RECORD_BYTES, into)
    return read_copy(into / name)


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
