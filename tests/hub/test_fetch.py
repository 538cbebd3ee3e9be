"""What a stranger may send as a record or as its address: only records come through, with the log beside them."""

import json
from pathlib import Path
from typing import Any

import pytest

from records import change_json
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.fetch import fetch
from vehbench_hf.hub.names import HubError


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "other"}, "expected a record of schema"),
        ({"id": "../../../../etc"}, "the id or the name of a log file"),
        ({"log": {"../../turns.jsonl": "0"}}, "the id or the name of a log file"),
        ({"log": {"/etc/passwd": "0"}}, "the id or the name of a log file"),
        ({"log": {f"turns-{i}.jsonl": "0" for i in range(300)}}, "names 300 log files"),
        ({"scores": 3}, "the field scores is missing or of another kind"),
        ({"model_id": "../x"}, "expected a repository"),
        ({"id": "0123456789abcdef"}, "has the name of its id"),
    ],
)
def test_a_hostile_record_is_refused(change: dict[str, Any], words: str, record_file: Path) -> None:
    change_json(record_file, lambda record: record.update(change))
    with pytest.raises(HubError, match=words):
        fetch(str(record_file), record_file.parent)


def test_a_large_or_broken_record_is_refused(record_file: Path, tmp_path: Path) -> None:
    for text, words in (
        (" " * 4_000_001, "larger than"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("3", "schema"),
    ):
        record_file.write_text(text)
        with pytest.raises(HubError, match=words):
            fetch(str(record_file), tmp_path)
    with pytest.raises(HubError, match="cannot be read"):
        fetch(str(tmp_path / "nothing.json"), tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/datasets/org/vehbench-results/blob/main/records/0123456789abcdef.json",
        "https://huggingface.co/datasets/org/vehbench-results/blob/main/records/../x.json",
        "https://huggingface.co/org/model/blob/main/records/0123456789abcdef.json",
        "file:///etc/passwd",
        "https://[",
        "https://huggingface.co/datasets/org/r/blob/refs%2Fpr%2F1%2F..%2Fx/records/0123456789abcdef.json",
        "https://huggingface.co/datasets/org/r/blob/main/records/0123456789abcdef.json\x1b[2J",
        "https://huggingface.co@example.org/datasets/org/r/blob/main/records/0123456789abcdef.json",
    ],
)
def test_an_address_elsewhere_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="is not the address of a record"):
        fetch(url, tmp_path)


VERIFY = """
import sys
import typer
from typer.testing import CliRunner
from vehbench_cli.commands.verify import verify_command
app = typer.Typer()
app.command()(verify_command)
bank, *urls = sys.argv[1:]
for url in urls:
    done = CliRunner().invoke(app, [url, "--bank", bank])
    print(done.exit_code, done.exception, " ".join(done.output.split()))
"""


@pytest.mark.slow
def test_a_record_on_the_hub_can_be_verified(hub: Any, at_hub: Any, record_file: Path, small_bank: Bank) -> None:
    results = record_file.parent.parent
    files = {str(p.relative_to(results)): p.read_bytes() for p in results.rglob("*") if p.is_file()}
    forged = json.loads(files[f"records/{record_file.name}"])
    forged["scores"]["probes"]["p4"]["headline"]["value"] = 0.99
    urls = []
    for org, record in (("honest", None), ("forged", json.dumps(forged).encode()), ("large", b" " * 4_000_001)):
        changed = {} if record is None else {f"records/{record_file.name}": record}
        hub.repo("dataset", f"{org}/vehbench-results").commit("main", files | changed)
        urls.append(f"{hub.url}/datasets/{org}/vehbench-results/blob/main/records/{record_file.name}")
    # As the Hub links a file of an open pull request, and the same through a mirror.
    hub.repo("dataset", "honest/vehbench-results").commit("refs/pr/1", files)
    for host, branch in (
        (hub.url, "refs%2Fpr%2F1"),
        (hub.url, "refs/pr/1"),
        ("https://huggingface.co", "refs%2Fpr%2F1"),
    ):
        urls.append(f"{host}/datasets/honest/vehbench-results/blob/{branch}/records/{record_file.name}")
    honest, lied, large, *pulls = at_hub(VERIFY, small_bank.path, *urls).splitlines()
    assert honest.startswith("0 None ")
    assert "differences" not in honest
    assert "every number follows from the log" in honest
    assert "cannot prove who" in honest
    assert lied.startswith("1 1 scores.probes.p4.headline.value: stated 0.99, computed")
    assert large.startswith(f"1 large/vehbench-results: records/{record_file.name} has 4000001 bytes; at most 4000000")
    assert [line.split()[:2] for line in pulls] == [["0", "None"]] * 3
    assert hub.unknown == []
