"""What `vehbench publish` uploads: repositories with their files, checked before anything leaves the machine."""

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.hub.names import DATASET, RESULTS, hub_failures, organisation
from vehbench_hf.hub.submitted_record import HeadlineRow, percent
from vehbench_hf.metrics.compute import compute
from vehbench_hf.paths import shipped
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.runlog.differences import comparability
from vehbench_hf.types import Task
from vehbench_hf.versions import __version__
from vehbench_oracle.space import centre

README = "README.md"
FIRST_ROWS = "baseline.jsonl"
EVAL_YAML = "eval.yaml"
_SPACE_FIELDS = ("title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "app_file", "license", "tags")
_DATASET_FIELDS = ("pretty_name", "license", "configs")
_PAPER = "2607.18181"
_LOCAL_CALL = re.compile(r'load_dataset\(\s*"vehbench", ("p2", split="dev")\s*\)[^\n]*')
"""How the card of a bank loads it: from a folder of that name."""


@dataclass(frozen=True)
class PlannedFile:
    """A file to upload: its path in the repository, its size in bytes and its SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class PlannedRepo:
    """A repository to make or to bring up to date from a folder. `grows` keeps what others added to it."""

    repo_id: str
    repo_type: Literal["dataset", "space"]
    folder: Path
    files: tuple[PlannedFile, ...]
    grows: bool = False


def plan_publication(org: str, dataset: Path, stage: Path) -> list[PlannedRepo]:
    """The dataset in `dataset`, four metric Spaces and the results dataset below `org`; writes into the folder `stage`.

    Raises HubError for an organisation that is none.
    """
    organisation(org)
    _name_the_repository(dataset / README, f"{org}/{DATASET}")
    repos = [_planned(f"{org}/{DATASET}", "dataset", dataset)]
    for info in BENCHMARK:
        folder = stage / info.headline
        shutil.copytree(
            shipped(f"metrics/{info.headline}"), folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
        readme = folder / README
        readme.write_text(readme.read_text(encoding="utf-8").replace('"ORG/', f'"{org}/'), encoding="utf-8")
        repos.append(_planned(f"{org}/{info.headline}", "space", folder))
    results = stage / RESULTS
    (results / "rows").mkdir(parents=True)
    rows = "".join(json.dumps(row) + "\n" for row in first_rows(open_bank(dataset)))
    (results / "rows" / FIRST_ROWS).write_text(rows, encoding="utf-8")
    card = shipped("cards/results_card.md").read_text(encoding="utf-8")
    card = card.replace("ORG/", f"{org}/").replace("--org ORG", f"--org {org}")
    (results / README).write_text(card, encoding="utf-8")
    repos.append(_planned(f"{org}/{RESULTS}", "dataset", results, grows=True))
    return repos


def first_rows(bank: Bank) -> list[HeadlineRow]:
    """Headlines of a baseline that looks at nothing: the rows of the results dataset before the first record.

    `datasets` cannot load a split without rows. It proposes the centre of every box and keeps the order of every pool.
    """
    from vehbench_hf.bank.schema import task_to_row

    rows: list[HeadlineRow] = []
    for info in BENCHMARK:
        tasks = bank.select([info.probe], bank.headline_splits)
        if not tasks:
            continue
        scores = compute(info.headline, [_blind(task) for task in tasks], [task_to_row(task) for task in tasks])
        low, high = scores["interval"] or (None, None)
        row = {
            "record": "",
            "model_id": "baseline/centre",
            "task_id": info.task_id,
            "value": percent(scores[info.headline]),
            "low": percent(low),
            "high": percent(high),
            "n": scores["n"],
            **scores["outcomes"],
            "comparability": comparability(bank.version, bank.convention),
            "deviations": "{}",
            "date": datetime.now(UTC).date().isoformat(),
            "vehbench": __version__,
        }
        rows.append(cast("HeadlineRow", row))
    return rows


def _blind(task: Task) -> Any:
    """An answer that does not depend on what the brief says."""
    if task.probe == "p1":
        return "propose_design"
    if task.probe == "p4":
        return [candidate["id"] for candidate in task.spec["candidates"]]
    return centre(task.problem)


def _name_the_repository(card: Path, repo_id: str) -> None:
    """Let the card of a bank load it from its repository, and link the paper, which the Hub lists by."""
    text = card.read_text(encoding="utf-8")
    text = _LOCAL_CALL.sub(lambda call: f'load_dataset("{repo_id}", {call[1]})', text)
    link = f"[arXiv:{_PAPER}](https://arxiv.org/abs/{_PAPER})"
    text = re.sub(rf"(?<!\[)arXiv:{_PAPER}", link, text)
    if repo_id not in text:
        text += f'\n```python\nload_dataset("{repo_id}", "p2", split="dev")\n```\n'
    if link not in text:
        text += f"\nAfter the benchmark of {link}.\n"
    card.write_text(text, encoding="utf-8", newline="")


def card_problems(repos: Sequence[PlannedRepo]) -> list[str]:
    """What is wrong with the cards and `eval.yaml` of the repositories, a sentence each."""
    problems = []
    for repo in repos:
        own = _space_problems(repo) if repo.repo_type == "space" else _dataset_problems(repo)
        problems += [f"{repo.repo_id}: {problem}" for problem in own]
    return problems


def push_publication(repos: Sequence[PlannedRepo]) -> list[str]:
    """Make the repositories where they are missing and upload their files; the addresses of the commits.

    The token is the one that huggingface_hub finds by itself. Raises HubError when the Hub refuses.
    """
    from huggingface_hub import HfApi

    api, addresses = HfApi(), []
    for repo in repos:
        with hub_failures(f"{repo.repo_id} was not uploaded; earlier ones were. The Hub says"):
            sdk = "gradio" if repo.repo_type == "space" else None
            api.create_repo(repo.repo_id, repo_type=repo.repo_type, space_sdk=sdk, exist_ok=True)
            done = api.upload_folder(
                repo_id=repo.repo_id,
                repo_type=repo.repo_type,
                folder_path=repo.folder,
                commit_message="Update from vehbench",
                delete_patterns=None if repo.grows else "*",
            )
        addresses.append(str(getattr(done, "commit_url", done)))
    return addresses


def _planned(repo_id: str, repo_type: Literal["dataset", "space"], folder: Path, *, grows: bool = False) -> PlannedRepo:
    files = []
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        data = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        files.append(PlannedFile(name, len(data), hashlib.sha256(data).hexdigest()))
    return PlannedRepo(repo_id, repo_type, folder, tuple(files), grows)


def _space_problems(repo: PlannedRepo) -> list[str]:
    header, names = _header(repo), {file.path for file in repo.files}
    problems = [f"{README} lacks the field {name}" for name in _SPACE_FIELDS if not header.get(name)]
    needed = {f"{repo.repo_id.split('/')[1]}.py", "requirements.txt", str(header.get("app_file"))}
    return problems + [f"{name} is missing" for name in sorted(needed - names)]


def _dataset_problems(repo: PlannedRepo) -> list[str]:
    header, names = _header(repo), {file.path for file in repo.files}
    problems = [f"{README} lacks the field {name}" for name in _DATASET_FIELDS if not header.get(name)]
    splits: set[tuple[str, str]] = set()
    for config in header.get("configs") or []:
        for entry in config["data_files"]:
            place = (config["config_name"], entry["split"])
            problems += [f"config {place[0]} lists the split {place[1]} twice"] if place in splits else []
            splits.add(place)
            paths = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
            if not repo.grows:
                problems += [f"config {place[0]} names {path}, which is missing" for path in paths if path not in names]
    if repo.repo_id not in (repo.folder / README).read_text(encoding="utf-8"):
        problems.append(f"{README} does not say how to load {repo.repo_id}")
    if sum(bool(config.get("default")) for config in header.get("configs") or []) != 1:
        problems.append(f"{README} has no config that loads by default")
    if EVAL_YAML in names:
        for task in yaml.safe_load((repo.folder / EVAL_YAML).read_text(encoding="utf-8"))["tasks"]:
            if (task["config"], task["split"]) not in splits:
                problems.append(f"{EVAL_YAML} names config {task['config']} and split {task['split']}, not in {README}")
    return problems


def _header(repo: PlannedRepo) -> dict[str, Any]:
    from huggingface_hub import DatasetCard, SpaceCard

    kind = SpaceCard if repo.repo_type == "space" else DatasetCard
    data = kind((repo.folder / README).read_text(encoding="utf-8")).data
    return {name: getattr(data, name, None) for name in (*_SPACE_FIELDS, *_DATASET_FIELDS)}
