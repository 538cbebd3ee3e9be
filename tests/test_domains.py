"""A domain costs its own folders and one line: a toy domain runs through everything, and nothing else has VEH words."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from toy_domain import DIVIDER, OBJECTIVE, SINGLE, TOY
from vehbench_hf.bank.bank import open_bank, write_bank
from vehbench_hf.bank.loading import load
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.domains import DOMAINS
from vehbench_hf.episodes import begin_episode
from vehbench_hf.parsing.reply_schema import schema_of
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.replay import replay_episode
from vehbench_hf.runlog.writer import TurnWriter
from vehbench_hf.scoring.score import score
from vehbench_hf.types import PROBES, Probe, Task
from vehbench_oracle.space import design_at
from vehbench_oracle.veh.domain import DOMAIN as VEH
from vehbench_runners.baselines.answers import BASELINES
from vehbench_runners.baselines.backend import BaselineBackend
from vehbench_runners.run import Plan, run_tasks

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(DOMAINS, "toy", TOY)
    yield
    prompts_fingerprint.cache_clear()


def toy_task(probe: Probe, brief: dict[str, Any]) -> Task:
    problem = TOY.problem(brief)
    best, worse = (dict.fromkeys(problem.variables, share) for share in (1e4, 100.0))
    middle = design_at(problem, [0.5] * len(problem.variables))
    if len(best) == 2:
        assert not problem.judge({"top_ohm": 1e4, "bottom_ohm": 100.0}).feasible
    seen = {name: problem.judge(design) for name, design in {"A": best, "B": middle, "C": worse}.items()}
    assert [verdict.feasible for verdict in seen.values()] == [True, True, False] or len(best) == 1
    designs = {"A": best, "B": middle, "C": worse}
    spec = {**empty_spec("toy"), **brief, "query_budget": 4}
    gold: dict[str, Any] = {**empty_gold("toy"), "reference": None}
    reference = {"design": best, "loss_mw": seen["A"].objective, "least_loss_mw": seen["A"].objective}
    if probe == "p1":
        gold |= {"action": "propose_design", "witness": best}
    if probe in ("p2", "p3"):
        gold |= {"reference": reference, "anchor_design": middle}
    if probe == "p3":
        shown = {"feasible": False, "loss_mw": seen["C"].objective, "slack": seen["C"].slack, "violations": []}
        spec["history"] = [{"design": worse, "note": "n", "verdict": {**shown, "metrics": seen["C"].metrics}}]
        trap = {"type": "t", "variable": "top_ohm", "direction": "decrease", "secondary_constraint": None}
        gold |= {"witness": best, "trap": {**trap, "claims": []}}
    if probe == "p4":
        spec |= {"policy": "least loss first", "profile": "balanced"}
        spec["candidates"] = [
            {"id": n, "design": designs[n], "metrics": v.metrics, "slack": v.slack} for n, v in seen.items()
        ]
        pairs = [{"better": "A", "worse": "C"}]
        gold |= {"ranking": ["A", "B", "C"], "dominated_pairs": pairs, "policy_sensitive_pairs": pairs}
        gold |= {"pool_id": "pool", "pool_family": "f", "utilities": [{"id": n, "value": 1.0} for n in seen]}
    return Task(
        task_id=f"toy-{probe}-{len(best)}",
        probe=probe,
        split="dev",
        subtype="s",
        difficulty="d",
        source_group=None,
        anchor=None,
        bank_version="toy-1",
        spec=cast(Any, spec),
        gold=cast(Any, gold),
        domain="toy",
    )


@pytest.fixture
def tasks() -> list[Task]:
    return [toy_task(probe, brief) for probe in PROBES for brief in (SINGLE, DIVIDER)]


def scored(folder: Path, tasks: list[Task], name: str) -> Any:
    """The scores of a baseline, by the run loop, its log and the replay of it."""
    folder.mkdir()
    with TurnWriter(folder) as writer:
        run_tasks(Plan(tasks, 1, Protocol()), BaselineBackend(name, seed=0), writer, [])
    turns = read_turns(folder).turns
    records = {}
    for task in tasks:
        episode, _, _ = replay_episode(task, Protocol(), [turn for turn in turns if turn.task_id == task.task_id])
        records[task.task_id] = [episode.record()]
        assert {record.outcome for record in records[task.task_id]} == {"ok"}, task.task_id
    return score(tasks, records, convention="defined", bank="toy-1")["probes"]


def test_the_reference_of_a_toy_domain_has_full_marks_in_every_probe(tasks: list[Task], tmp_path: Path) -> None:
    probes = scored(tmp_path / "run", tasks, "reference")
    assert probes["p1"]["parts"]["acc"] == 1.0
    assert [probes[probe]["headline"]["value"] for probe in ("p2", "p3", "p4")] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", sorted(set(BASELINES) - {"reference"}))
def test_every_baseline_answers_the_tasks_of_a_toy_domain(name: str, tasks: list[Task], tmp_path: Path) -> None:
    probes = scored(tmp_path / "run", tasks, name)
    assert 0.0 <= probes["p2"]["headline"]["value"] <= 1.0 + 1e-9


def test_a_smaller_objective_is_the_better_one(tasks: list[Task]) -> None:
    assert OBJECTIVE.score(2.0, 1.0) == 0.5
    text = begin_episode(next(task for task in tasks if task.probe == "p2"), Protocol()).start()
    assert "minimize loss_mw" in text[1]["content"]
    assert "as little lost power as possible" in text[0]["content"]


def test_the_two_kinds_of_briefs_have_their_own_variables_limits_and_schema(tasks: list[Task]) -> None:
    single, divider = [task for task in tasks if task.probe == "p2"]
    for task, names in ((single, ["top_ohm"]), (divider, ["top_ohm", "bottom_ohm"])):
        system, user = begin_episode(task, Protocol()).start()
        design = schema_of(task)["properties"]["design"]["anyOf"][0]
        assert design["required"] == names
        assert ("bottom_ohm" in system["content"]) is (len(names) == 2)
        assert ("output_target_v" in user["content"]) is (len(names) == 2)
        assert '"supply_v"' in user["content"]


def test_a_bank_of_two_domains_is_written_opened_and_loaded(tasks: list[Task], tmp_path: Path) -> None:
    veh = next(task for task in open_bank("v2").tasks if task.probe == "p2")
    write_bank(tmp_path, [veh, *tasks], version="both-1", convention="defined", card="")
    bank = open_bank(tmp_path)
    assert [task for task in bank.tasks if task.domain == "toy"] == tasks
    assert list(dict.fromkeys(file.config for file in bank.data_files)) == ["p2", *(f"toy_{p}" for p in PROBES)]
    rows = load("toy_p3", "dev", bank)
    assert rows.column_names == load("toy_p2", "dev", bank).column_names
    assert rows[0]["spec"]["supply_v"] == 5.0
    assert "excitation" not in rows[0]["spec"]
    datasets = pytest.importorskip("datasets")
    again = datasets.load_dataset(str(tmp_path), "toy_p4", split="dev", cache_dir=str(tmp_path / "cache"))
    assert again["task_id"] == [task.task_id for task in tasks if task.probe == "p4"]


def test_each_domain_has_a_fingerprint_of_its_own_prompts() -> None:
    assert prompts_fingerprint("toy") != prompts_fingerprint("veh")


FURTHER = ("frequency_hz", "acceleration_g", "piezo", "power_uw", "harvest", "cantilever")
WORDS = re.compile("|".join([*VEH.variables, *VEH.metrics, *VEH.limits, *FURTHER]), re.IGNORECASE)
FOLDERS = (
    "vehbench_hf",
    "runners/vehbench_runners",
    "vehbench_cli",
    "oracle/vehbench_oracle",
    "dataset_builder/vehbench_builder",
    "metrics",
)
OF_THE_DOMAIN = ("/veh/", "/paper/")
ALLOWED = {
    "oracle/vehbench_oracle/__init__.py",  # the first domain's names on the front page
    "vehbench_hf/__init__.py",  # what the project is about, in one sentence
    "vehbench_cli/__init__.py",
    "vehbench_hf/runlog/recorded.py",  # a key of imported logs
    "vehbench_hf/user_files/brief.py",  # the form of a user's harvester brief
    "vehbench_hf/user_files/check.py",
}


def test_no_module_outside_the_domain_folders_has_words_of_the_domain() -> None:
    files = [file for folder in FOLDERS for end in ("py", "j2") for file in (ROOT / folder).rglob(f"*.{end}")]
    looked = [file for file in files if not any(part in file.as_posix() for part in OF_THE_DOMAIN)]
    assert len(looked) > 150
    found = {file.relative_to(ROOT).as_posix() for file in looked if WORDS.search(file.read_text(encoding="utf-8"))}
    assert found == ALLOWED


def test_no_module_asks_which_domain_it_is() -> None:
    for folder in FOLDERS:
        files = list((ROOT / folder).rglob("*.py"))
        assert files, folder
        for file in files:
            assert not re.search(r"""domain\s*[!=]=\s*["']""", file.read_text(encoding="utf-8")), file
