"""Sending a submission: a pull request to the results dataset and one to the model, or an update of the open ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vehbench_hf.bank.bank import MANIFEST
from vehbench_hf.hub.names import DATASET, RESULTS, HubError, hub_failures
from vehbench_hf.hub.submission import Submission, eval_path, same_bank, write_eval_file

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TITLE = "VEHBench results"
MAX_MANIFEST_BYTES = 4_000_000


def push_submission(submission: Submission, *, model_repository: bool) -> list[str]:
    """Open or update the pull requests; their addresses. Without `model_repository` the model has none on the Hub.

    The eval-results file is written again with the dataset's commit and the pull request of the record. Raises HubError
    when a repository is missing, when the published tasks are not those of the run, or when the Hub refuses.
    """
    from huggingface_hub import HfApi

    api = HfApi()
    dataset, results = f"{submission.org}/{DATASET}", f"{submission.org}/{RESULTS}"
    model = submission.record["model_id"]
    with hub_failures("nothing was sent; the Hub says"):
        if model_repository and not api.repo_exists(model):
            raise HubError(f"there is no model {model} on the Hub. For a model behind an API give --results-only.")
        revision = _published_revision(api, dataset, submission)
    title = f"{TITLE}: {model} ({submission.record['comparability']})"
    with hub_failures(f"{results} did not take the submission; the Hub says"):
        sent = _send(api, results, "dataset", submission.results, title)
    addresses = [sent.text]
    write_eval_file(submission, revision, sent.number)
    if model_repository:
        with hub_failures(f"{addresses[0]}, but {model} did not take its part; give the command again. The Hub says"):
            addresses.append(_send(api, model, "model", submission.model, title, path=eval_path()).text)
    return addresses


def _published_revision(api: "HfApi", dataset: str, submission: Submission) -> str:
    """The commit of the published dataset. Raises HubError when its tasks are not those of the run."""
    from huggingface_hub import hf_hub_download

    revision = api.dataset_info(dataset).sha
    listed = api.get_paths_info(dataset, [MANIFEST], repo_type="dataset", revision=revision)
    if not listed or getattr(listed[0], "size", MAX_MANIFEST_BYTES + 1) > MAX_MANIFEST_BYTES or revision is None:
        raise HubError(f"{dataset} holds no {MANIFEST} of a usual size; is it the published benchmark?")
    file = hf_hub_download(dataset, MANIFEST, repo_type="dataset", revision=revision)
    if not same_bank(Path(file).read_bytes(), submission.record):
        raise HubError(f"the tasks in {dataset} are not those of the run; give the right --org, or run again.")
    return revision


class _Sent(NamedTuple):
    """A pull request: its number, and its address with what was done."""

    number: int
    text: str


def _send(api: "HfApi", repo_id: str, repo_type: str, folder: Path, title: str, path: str | None = None) -> _Sent:
    """Commit a folder to the open pull request of this title, or open one."""
    from huggingface_hub import CommitOperationAdd

    files = sorted(file for file in folder.rglob("*") if file.is_file())
    adds = [CommitOperationAdd(file.relative_to(folder).as_posix(), str(file)) for file in files]
    known = _open_pull_request(api, repo_id, repo_type, title, [add.path_in_repo for add in adds] if path else ())
    if known is None:
        done = api.create_commit(repo_id, adds, commit_message=title, repo_type=repo_type, create_pr=True)
        return _Sent(done.pr_num or 0, f"opened {done.pr_url}")
    number, address = known
    api.create_commit(
        repo_id, adds, commit_message=f"{title}, updated", repo_type=repo_type, revision=f"refs/pr/{number}"
    )
    return _Sent(number, f"updated {address}")


def _open_pull_request(
    api: "HfApi", repo_id: str, repo_type: str, title: str, paths: Sequence[str]
) -> tuple[int, str] | None:
    """Number and address of an open pull request of ours with this title that holds `paths`."""
    me = api.whoami()["name"]
    for pull in api.get_repo_discussions(
        repo_id, repo_type=repo_type, discussion_type="pull_request", discussion_status="open", author=me
    ):
        branch = f"refs/pr/{pull.num}"
        if pull.title == title and all(
            api.file_exists(repo_id, path, repo_type=repo_type, revision=branch) for path in paths
        ):
            return pull.num, pull.url
    return None
