"""An isomorphism audit runs through the usual loop: logged, taken up again, replayed and scored."""

import itertools
import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import begin_episode
from vehbench_hf.errors import BankError, RunError
from vehbench_hf.isomorphic.form_scores import IsomorphicScores, score_isomorphic_run
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic, isomorphic_tasks
from vehbench_hf.isomorphic.types import FORMS, IsomorphicTask
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, load_run, read_turns, write_run_json, write_scores
from vehbench_hf.types import ALL_SPLITS, Message, Reply
from vehbench_runners import Plan, run_tasks
from vehbench_runners.baselines.isomorphic import isomorphic_answer

SNAPSHOTS = Path(__file__).parent / "snapshots"
Answers = Callable[[IsomorphicTask], str]


class Scripted:
    """A backend that answers each task by a function and counts the calls."""

    concurrency = 2
    is_language_model = True

    def __init__(self, answers: Answers) -> None:
        self.answers, self.calls = answers, 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def speaker_for(self, task: Any) -> Any:
        async def speak(messages: list[Message], position: Any) -> Reply:
            self.calls += 1
            return Reply(self.answers(task))

        return speak

    def description(self) -> dict[str, Any]:
        return {}


def run(folder: Path, bank: Bank, answers: Answers) -> int:
    """Run the audit in a folder, or take it up again; returns the calls made."""
    folder.mkdir(exist_ok=True)
    isomorphic = fingerprint_of_isomorphic(bank)
    settings = RunSettings(
        "m", bank.version, bank.fingerprint, (), ALL_SPLITS, None, 1, Protocol(), isomorphic=isomorphic
    )
    write_run_json(folder, {"kind": "model", "settings": settings.flat(), "bank": str(bank.path)})
    backend = Scripted(answers)
    with TurnWriter(folder) as writer:
        plan = Plan(isomorphic_tasks(bank), 1, Protocol())  # type: ignore[arg-type]
        run_tasks(plan, backend, writer, read_turns(folder).turns)  # type: ignore[arg-type]
    return backend.calls


def score_isomorphic_folder(folder: Path, bank: Bank) -> IsomorphicScores:
    scores = score_isomorphic_run(load_run(folder, bank))
    write_scores(folder, scores)
    return scores


def right(task: IsomorphicTask) -> str:
    """The right answer, in the form that is asked for."""
    if task.form == "selection":
        return json.dumps({"candidate": task.gold["answer"]})
    witness = task.gold["witness"]
    names = witness if task.form == "generation" else task.gold["open_variables"]
    return json.dumps({"design": {name: witness[name] for name in names}})


def text_of(task: IsomorphicTask) -> str:
    messages = begin_episode(task, Protocol()).start()
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages) + "\n"


@pytest.mark.parametrize("form", FORMS)
def test_the_prompt_of_a_form_is_the_one_on_record(form: str, small_group: Sequence[IsomorphicTask]) -> None:
    """Set VEHBENCH_UPDATE_SNAPSHOTS=1 to accept a change."""
    text = text_of(next(task for task in small_group if task.form == form))
    file = SNAPSHOTS / f"{form}.txt"
    if os.environ.get("VEHBENCH_UPDATE_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def gold_words(task: IsomorphicTask) -> list[str]:
    """What only the gold and the row's metadata hold; the witness where the form does not show it by its nature."""
    gold, shown = task.gold, json.dumps(task.spec)
    words = [task.task_id, gold["source_task_id"], gold["pool_id"], "witness", "feasible_share"]
    words += [] if gold["feasible_share"] is None else [json.dumps(gold["feasible_share"])]
    values = [json.dumps(value) for value in gold["witness"].values()]
    return words + [value for value in values if len(value) > 5 and value not in shown]


def test_no_gold_value_reaches_a_message(isomorphic: Sequence[IsomorphicTask]) -> None:
    witnesses = 0
    for task in isomorphic:
        words, text = gold_words(task), text_of(task)
        assert not [word for word in words if word in text], task.task_id
        witnesses += len(words) > 6
    assert witnesses > 0


def test_all_six_variables_and_four_limits_reach_the_message(isomorphic: Sequence[IsomorphicTask]) -> None:
    for task in isomorphic:
        shown = json.loads(begin_episode(task, Protocol()).start()[1]["content"].split("\n\n", 1)[1])
        assert shown["constraints"] == task.spec["constraints"]
        if task.form == "completion":
            assert sorted([*shown["fixed"], *shown["open"]]) == sorted(task.gold["witness"])
            assert shown["open"] == task.gold["open_variables"]
        elif task.form == "generation":
            assert shown["start_design"] == task.spec["initial_design"]
        else:
            assert shown["candidates"] == task.spec["candidates"]


@pytest.mark.parametrize("control", ["neutral", "targeted", "wrong-boundary", "summary+targeted"])
def test_the_rules_of_the_stages_do_not_reach_the_audit(control: Any, isomorphic: Sequence[IsomorphicTask]) -> None:
    other = Protocol(control=control, feedback="coarse", p2_queries=1, p3_history="recomputed")
    assert begin_episode(isomorphic[0], other).start() == begin_episode(isomorphic[0], Protocol()).start()


def test_the_right_answers_score_full_marks(experiments_bank: Bank, tmp_path: Path) -> None:
    assert run(tmp_path / "run", experiments_bank, right) == 24
    scores = score_isomorphic_folder(tmp_path / "run", experiments_bank)
    assert scores["complete"]
    assert scores["problems"] == []
    assert [scores["forms"][form]["accuracy"] for form in FORMS] == [1.0, 1.0, 1.0]
    assert scores["sg_gap"]["value"] == 0.0
    assert json.loads((tmp_path / "run" / "scores.json").read_text()) == scores


def wrong(task: IsomorphicTask) -> str:
    """A readable answer that is wrong in every form."""
    if task.form == "selection":
        return json.dumps({"candidate": "A"})
    if task.form == "generation":
        return json.dumps({"design": task.spec["initial_design"]})
    bounds = task.spec["variable_bounds"]
    return json.dumps({"design": {name: bounds[name]["max"] * 2 for name in task.gold["open_variables"]}})


def test_wrong_answers_score_nothing_and_are_read(experiments_bank: Bank, tmp_path: Path) -> None:
    run(tmp_path / "run", experiments_bank, wrong)
    scores = score_isomorphic_folder(tmp_path / "run", experiments_bank)
    for form in FORMS:
        assert (scores["forms"][form]["accuracy"], scores["forms"][form]["read"]) == (0.0, 1.0)


@pytest.mark.parametrize("name", ["reference", "random", "propose"])
def test_a_baseline_answers_every_form_so_that_it_can_be_read(
    name: str, experiments_bank: Bank, tmp_path: Path
) -> None:
    draw = random.Random(1)
    run(tmp_path / "run", experiments_bank, lambda task: json.dumps(isomorphic_answer(name, task, draw)))
    scores = score_isomorphic_folder(tmp_path / "run", experiments_bank)
    assert [scores["forms"][form]["read"] for form in FORMS] == [1.0, 1.0, 1.0]
    correct = [scores["forms"][form]["accuracy"] for form in FORMS]
    assert (correct == [1.0, 1.0, 1.0]) == (name == "reference")


def test_unreadable_replies_are_tried_again_and_count_as_wrong(experiments_bank: Bank, tmp_path: Path) -> None:
    calls = run(tmp_path / "run", experiments_bank, lambda task: "?" if task.form == "generation" else right(task))
    assert calls == 8 * (1 + 3 + 1)
    scores = score_isomorphic_folder(tmp_path / "run", experiments_bank)
    generation = scores["forms"]["generation"]
    assert (generation["accuracy"], generation["read"], generation["n"]) == (0.0, 0.0, 8)
    assert generation["accuracy_read"] is None
    assert generation["outcomes"]["format_error"] == 8
    assert scores["complete"]
    assert scores["sg_gap"]["value"] == 1.0


def test_a_run_that_stopped_goes_on_without_repeating_a_call(experiments_bank: Bank, tmp_path: Path) -> None:
    folder, answered = tmp_path / "run", itertools.count(1)

    def fails_late(task: IsomorphicTask) -> str:
        if next(answered) > 10:
            raise OSError("the disk is full")
        return right(task)

    with pytest.raises(OSError, match="full"):
        run(folder, experiments_bank, fails_late)
    done = len(read_turns(folder).turns)
    assert 0 < done <= 10
    assert not score_isomorphic_folder(folder, experiments_bank)["complete"]
    assert run(folder, experiments_bank, right) == 24 - done
    assert run(folder, experiments_bank, wrong) == 0
    assert score_isomorphic_folder(folder, experiments_bank)["forms"]["completion"]["accuracy"] == 1.0


def test_a_limit_keeps_whole_groups_and_is_nested(experiments_bank: Bank) -> None:
    everything = isomorphic_tasks(experiments_bank)
    assert len(everything) == 24
    before: set[int] = set()
    for limit in range(1, 10):
        tasks = isomorphic_tasks(experiments_bank, limit=limit)
        groups = {task.group for task in tasks}
        assert len(tasks) == 3 * len(groups) == 3 * min(limit, 8)
        assert before <= groups
        before = groups
    assert {task.split for task in isomorphic_tasks(experiments_bank, limit=3)} == {task.split for task in everything}
    assert {task.split for task in isomorphic_tasks(experiments_bank, ("dev",))} == {"dev"}


def test_a_bank_without_probes_and_a_damaged_run_are_refused(
    experiments_bank: Bank, small_bank: Bank, tmp_path: Path
) -> None:
    with pytest.raises(BankError, match="no isomorphic probes"):
        isomorphic_tasks(small_bank)
    settings = {
        "bank_fingerprint": experiments_bank.fingerprint,
        "isomorphic": fingerprint_of_isomorphic(experiments_bank),
    }
    write_run_json(tmp_path, {"kind": "model", "settings": settings, "bank": "b"})
    with pytest.raises(RunError, match="does not say which probes, splits"):
        score_isomorphic_folder(tmp_path, experiments_bank)
