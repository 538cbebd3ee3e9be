"""Runs of local models on a few tasks, and how far two of them said the same."""

import os
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.errors import UserError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import PROBES, Turn
from vehbench_runners import Plan, make_backend, run_tasks
from vehbench_runners.options import BackendOptions


def turns_of(
    model: str,
    bank: Bank,
    folder: Path,
    *,
    sampling: Sampling,
    weights: Weights = Weights(),
    options: BackendOptions = BackendOptions(),
    limit: int = 1,
) -> list[Turn]:
    """The calls of a run over all probes, `limit` tasks each; every episode must have come to an end."""
    folder.mkdir()
    tasks = limited(bank.select(PROBES), limit)
    backend = make_backend(model, sampling=sampling, weights=weights, options=options)
    with TurnWriter(folder) as writer:
        result = run_tasks(Plan(tasks, 1, Protocol()), backend, writer, [])
    assert result.stopped is None
    assert len(result.outcomes) == len(tasks) == limit * len(PROBES)
    described = backend.description()
    assert {"kind", "version", "weights", "chat_template", "engine_arguments"} <= described.keys(), described
    return read_turns(folder).turns


def texts(turns: list[Turn]) -> dict[tuple[str, int, int], Any]:
    """What was said in each call."""
    return {(turn.task_id, turn.index, turn.attempt): turn.reply.text for turn in turns}


def equal_share(one: list[Turn], other: list[Turn]) -> float:
    """Share of the calls of either run that came in both and were answered alike; from 0 to 1."""
    first, second = texts(one), texts(other)
    return sum(first.get(call) == text for call, text in second.items()) / len(first.keys() | second.keys())


def demo_model(folder: Path) -> Path:
    """SmolLM2: the folder in VEHBENCH_DEMO_MODEL, or made anew, which takes a download and a minute."""
    given = os.environ.get("VEHBENCH_DEMO_MODEL")
    if given:
        return Path(given)
    from vehbench_runners.local.demo_model import make_demo_model

    try:
        make_demo_model(folder)
    except UserError as error:
        pytest.skip(f"no demo model here: {error}")
    return folder
