"""What must not change while the code moves: every text a model reads, the bank, the scores, and how replies are read.

The records lie beside this file. VEHBENCH_UPDATE_SNAPSHOTS=1 accepts what is found now.
"""

import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hostile_replies import CASES
from vehbench_cli import app
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.loading import columns_of, configs_of
from vehbench_hf.episodes import begin_episode
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic, open_isomorphic
from vehbench_hf.parsing import UnreadableReply, read_answer
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import PROBES, Message, Probe
from vehbench_oracle import oracle_fingerprint
from vehbench_oracle.veh.quantities import VARIABLES

HERE = Path(__file__).parent
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
PROTOCOLS: dict[str, dict[str, Any]] = {
    "default": {},
    "p2_stop budget": {"p2_stop": "budget"},
    "p2_queries 3": {"p2_queries": 3},
    "p3_state summary": {"p3_state": "summary"},
    "p3_state summary, feedback coarse": {"p3_state": "summary", "feedback": "coarse"},
    "feedback coarse": {"feedback": "coarse"},
    "control neutral": {"control": "neutral"},
    "control targeted": {"control": "targeted"},
    "control wrong-boundary": {"control": "wrong-boundary"},
    "control summary+targeted": {"control": "summary+targeted"},
}


def on_record(file: str, found: Any, part: str | None = None) -> Any:
    """The record of a file, or of a part of it; with VEHBENCH_UPDATE_SNAPSHOTS=1 `found` becomes the record."""
    path = HERE / file
    if os.environ.get("VEHBENCH_UPDATE_SNAPSHOTS"):
        known = json.loads(path.read_text(encoding="utf-8")) if part and path.exists() else {}
        body = found if part is None else {**known, part: found}
        path.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    record = json.loads(path.read_text(encoding="utf-8"))
    return record if part is None else record[part]


def hash_of(values: Iterable[Any]) -> str:
    """SHA-256 of JSON values, one after the other."""
    digest = hashlib.sha256()
    for value in values:
        digest.update(json.dumps(value, sort_keys=True, allow_nan=False).encode() + b"\n")
    return digest.hexdigest()


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_task_opens_with_the_messages_on_record_under_every_protocol(name: str, bank_v2: Bank) -> None:
    protocol = Protocol(**PROTOCOLS[name])
    found = {
        probe: hash_of([task.task_id, begin_episode(task, protocol).start()] for task in bank_v2.select([probe]))
        for probe in PROBES
    }
    assert found == on_record("golden.json", found, f"opening messages, {name}")


@pytest.mark.parametrize("shown", [{}, {"p3_state": "summary"}, {"feedback": "coarse"}])
def test_a_recomputed_history_reads_as_the_stored_one(shown: dict[str, Any], bank_v2: Bank) -> None:
    """No hash: two numbers of this bank lie so near to where rounding turns that the processor decides their end."""
    for task in bank_v2.tasks:
        stored = begin_episode(task, Protocol(**shown)).start()
        again = begin_episode(task, Protocol(**shown, p3_history="recomputed")).start()
        assert [NUMBER.sub("#", m["content"]) for m in again] == [NUMBER.sub("#", m["content"]) for m in stored]
        assert numbers(again) == pytest.approx(numbers(stored), rel=2e-5)


def numbers(messages: Iterable[Message]) -> list[float]:
    return [float(number) for message in messages for number in NUMBER.findall(message["content"])]


def test_every_isomorphic_task_opens_with_the_messages_on_record(bank_v2: Bank) -> None:
    opened = defaultdict(list)
    for task in open_isomorphic(bank_v2):
        opened[task.form].append([task.task_id, begin_episode(task, Protocol()).start()])
    found = {form: hash_of(messages) for form, messages in opened.items()}
    assert len(found) == 3
    assert found == on_record("golden.json", found, "opening messages, isomorphic")


def test_fingerprints_are_the_ones_on_record(bank_v2: Bank) -> None:
    found = {
        "oracle": oracle_fingerprint(),
        "prompts": prompts_fingerprint(),
        "bank v2": bank_v2.fingerprint,
        "bank v2, isomorphic": fingerprint_of_isomorphic(bank_v2),
    }
    assert found == on_record("golden.json", found, "fingerprints")


def test_every_config_has_the_columns_on_record(bank_v2: Bank) -> None:
    found = {}
    for config in configs_of(bank_v2):
        columns = columns_of(config)
        said = {key.decode(): value.decode() for key, value in (columns.metadata or {}).items()}
        found[config] = hash_of([said, *([field.name, str(field.type), field.nullable] for field in columns)])
    assert len(found) == 5
    assert found == on_record("golden.json", found, "columns")


def test_every_file_of_the_bank_is_the_one_on_record(bank_v2: Bank) -> None:
    files = [file for file in bank_v2.path.rglob("*") if file.is_file()]
    found = {f.relative_to(bank_v2.path).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
    assert found == on_record("golden.json", found, "files of bank v2")


@dataclass(frozen=True)
class Ran:
    """A run of a baseline over bank v2, made and scored by the command line with nothing but its defaults."""

    name: str
    folder: Path

    @property
    def scores(self) -> Any:
        return json.loads((self.folder / "scores.json").read_text(encoding="utf-8"))

    @property
    def turns(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "turns.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module", params=["anchor", "random"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    home = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        done = CliRunner().invoke(app, ["run", "--model", f"baseline/{request.param}", "--bank", "v2"])
    assert done.exit_code == 0, done.output
    (folder,) = (home / "runs").iterdir()
    return Ran(request.param, folder)


def test_the_default_settings_have_the_hash_on_record(ran: Ran) -> None:
    assert ran.folder.name == on_record("golden.json", ran.folder.name, f"run folder, {ran.name}")


def test_a_baseline_is_sent_the_messages_on_record(ran: Ran, bank_v2: Bank) -> None:
    """In every turn; of `random` the first, since the last digit of a drawn load is the processor's."""
    sent, calls = defaultdict(list), Counter[str]()
    for turn in ran.turns:
        probe = bank_v2.by_id[turn["task"]].probe
        calls[probe] += 1
        if ran.name != "random" or turn["index"] == 0:
            sent[probe].append([turn[name] for name in ("task", "epoch", "index", "attempt", "request_hash")])
    found = {probe: {"calls": calls[probe], "messages": hash_of(sorted(sent[probe]))} for probe in PROBES}
    assert found == on_record("golden.json", found, f"requests, {ran.name}")


def test_a_baseline_has_the_scores_on_record(ran: Ran) -> None:
    found = ran.scores["probes"]
    assert list(found) == list(PROBES)
    unlike = list(differing(found, on_record(f"scores_{ran.name}.json", found), ran.name))
    assert not unlike, unlike[:20]


def differing(found: Any, record: Any, at: str) -> Iterable[str]:
    """Where two JSON values differ; numbers may by what rounding does to the last digits."""
    if isinstance(found, dict) and isinstance(record, dict):
        if found.keys() != record.keys():
            yield f"{at}: {sorted(found.keys() ^ record.keys())}"
        for name in found.keys() & record.keys():
            yield from differing(found[name], record[name], f"{at}/{name}")
    elif isinstance(found, list) and isinstance(record, list) and len(found) == len(record):
        for number, (one, other) in enumerate(zip(found, record, strict=True)):
            yield from differing(one, other, f"{at}/{number}")
    elif isinstance(found, float) and isinstance(record, float):
        if found != pytest.approx(record, rel=1e-9, abs=1e-12):
            yield f"{at}: {found} for {record}"
    elif type(found) is not type(record) or found != record:
        yield f"{at}: {found} for {record}"


def test_hostile_replies_are_read_as_on_record() -> None:
    found = {f"{case.probe}: {case.name}": reading(case.reply, case.probe) for case in CASES}
    assert found == on_record("replies.json", found)


@pytest.mark.parametrize("probe", PROBES)
def test_hostile_replies_are_read_as_on_record_in_every_probe(probe: Probe) -> None:
    found = hash_of([case.name, reading(case.reply, probe)] for case in CASES)
    assert found == on_record("golden.json", found, f"hostile replies, {probe}")


def reading(reply: str, probe: Probe) -> dict[str, Any]:
    """What is read of a reply, without what is empty, or why nothing is."""
    try:
        answer = read_answer(reply, probe, VARIABLES, candidate_ids=tuple("ABCDE"), step_count=5)
    except UnreadableReply as error:
        return {"unreadable": error.reason}
    read = {
        "action": answer.action,
        "design": answer.design,
        "ranking": list(answer.ranking),
        "missing_fields": list(answer.missing_fields),
        "prior_step": answer.prior_step,
        "repairs": list(answer.repairs),
    }
    return {name: value for name, value in read.items() if value not in (None, [])}
