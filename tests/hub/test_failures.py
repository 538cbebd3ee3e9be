"""Nothing that goes wrong on the way to the Hub ends in a traceback, loses a user's files, or shows a token."""

import json
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

import made_runs
from vehbench_cli.commands.verify import _model_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.fetch import fetch
from vehbench_hf.hub.names import HubError, hub_failures
from vehbench_hf.hub.submission import make_submission
from vehbench_hf.types import Reply

TOKEN = "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"


class LostConnection(HTTPError):
    """As the client of the Hub raises it: no OSError."""


@pytest.mark.parametrize(
    "error",
    [
        LostConnection("Server disconnected"),
        RuntimeError("Error while uploading 'logs/turns.jsonl' to the Hub."),
        UnicodeEncodeError("ascii", "x", 0, 1, "ordinal not in range"),
        ValueError(f"Illegal header value b'Bearer {TOKEN}\\x0b'"),
        OSError(f"bad token {TOKEN}"),
    ],
)
def test_a_failure_of_the_hub_ends_in_words_without_a_token(error: Exception) -> None:
    with pytest.raises(HubError, match=r"^nothing was sent: .") as caught, hub_failures("nothing was sent"):
        raise error
    assert TOKEN not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_token_in_an_address_is_not_shown(tmp_path: Path) -> None:
    url = f"https://user:{TOKEN}@huggingface.co/datasets/org/vehbench-results/blob/main/records/0123456789abcdef.json"
    with pytest.raises(HubError, match=r"^https://huggingface\.co/datasets/org/vehbench-results/blob") as caught:
        fetch(url, tmp_path)
    assert TOKEN not in str(caught.value)


@pytest.mark.usefixtures("small_published")
def test_a_folder_that_only_looks_like_a_submission_is_kept(
    run_of_small: Path, small_bank: Bank, tmp_path: Path
) -> None:
    kept = tmp_path / "out" / "thesis.tex"
    (tmp_path / "out" / "results" / "records").mkdir(parents=True)
    kept.write_text("years")
    with pytest.raises(HubError, match="in the way and no earlier submission"):
        make_submission(run_of_small, small_bank, "org/model", "org", tmp_path / "out")
    assert kept.read_text() == "years"
    kept.unlink()
    # What an interrupted submission leaves is in nobody's way.
    (tmp_path / "out" / "results" / "records" / "0123456789abcdef.json.77.tmp").write_text("{")
    made = make_submission(run_of_small, small_bank, "org/model", "org", tmp_path / "out")
    assert [file.stem for file in (made.results / "records").iterdir()] == [made.record["id"]]
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with pytest.raises(HubError, match="in the way"):
        make_submission(run_of_small, small_bank, "org/model", "org", tmp_path / "link")


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize("secret", ['pass"word\\0123456789', "p\u00e4sswort-0123456789", TOKEN])
def test_a_secret_that_json_writes_otherwise_is_not_published(
    secret: str, small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if secret == TOKEN:  # logged in, with no variable set
        monkeypatch.setattr("huggingface_hub.get_token", lambda: TOKEN)
    else:
        monkeypatch.setenv("LAB_SECRET", secret)

    def leaks(task: Any, index: int, attempt: int) -> Reply:
        right = made_runs.gold(task, index, attempt)
        return Reply(f"{secret} {right.text}")

    run = made_runs.make_run(tmp_path / "run", small_bank, leaks)
    with pytest.raises(HubError, match=r"holds the value of (\$LAB_SECRET|the token of the Hub)") as caught:
        make_submission(run, small_bank, "org/model", "org", tmp_path / "out")
    assert secret not in json.dumps(str(caught.value), ensure_ascii=False)


@pytest.mark.parametrize("model", ["vllm//srv/weights", "hf/../weights", "vllm/weights"])
def test_a_model_in_a_record_never_becomes_a_path(model: str) -> None:
    with pytest.raises(HubError, match="expected a repository of the Hub"):
        _model_of({"settings": {"model": model}})
    assert _model_of({"settings": {"model": "vllm/org/model"}}) == "vllm/org/model"
