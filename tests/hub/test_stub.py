"""The local Hub answers the real clients as the Hub does, so that what passes here is no accident of the stub."""

from pathlib import Path
from typing import Any

import pytest

ROUND = """
import sys
from pathlib import Path
from huggingface_hub import HfApi, hf_hub_download, CommitOperationAdd
api = HfApi()
assert api.whoami()["name"] == "tester"
api.create_repo("org/data", repo_type="dataset", exist_ok=True)
api.create_repo("org/data", repo_type="dataset", exist_ok=True)
folder = Path(sys.argv[1])
api.upload_folder(repo_id="org/data", repo_type="dataset", folder_path=folder)
for name in ("README.md", "rows.jsonl"):
    got = hf_hub_download("org/data", name, repo_type="dataset")
    assert Path(got).read_bytes() == (folder / name).read_bytes()
add = [CommitOperationAdd("more.txt", b"more")]
made = api.create_commit("org/data", add, commit_message="More", repo_type="dataset", create_pr=True)
assert made.pr_num == 1, made
(pull,) = api.get_repo_discussions("org/data", repo_type="dataset", discussion_status="open")
assert (pull.num, pull.title, pull.author) == (1, "More", "tester")
assert not api.file_exists("org/data", "more.txt", repo_type="dataset")
assert api.file_exists("org/data", "more.txt", repo_type="dataset", revision="refs/pr/1")
again = [CommitOperationAdd("more.txt", b"more")]
api.create_commit("org/data", again, commit_message="Again", repo_type="dataset", revision="refs/pr/1")
assert not api.repo_exists("org/nothing")
"""


@pytest.mark.slow
def test_the_stub_serves_what_the_clients_ask(hub: Any, at_hub: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Data\n")
    (folder / "rows.jsonl").write_text('{"a": 1}\n')
    at_hub(ROUND, folder)
    assert hub.unknown == []
    assert hub.files("dataset", "org/data", "refs/pr/1")["more.txt"] == b"more"
    assert "more.txt" not in hub.files("dataset", "org/data")
