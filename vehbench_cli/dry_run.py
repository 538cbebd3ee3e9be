"""`vehbench run --dry-run`: how many calls and tokens a run would take. Nothing is called."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from vehbench_cli.tables import console
from vehbench_hf.episodes import begin_episode
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import Message, Task

if TYPE_CHECKING:
    from vehbench_hf.user_files.prices import Price
    from vehbench_runners import Backend, Plan

IntArray = NDArray[np.int_]
"""Fewest and most."""
CHARACTERS_PER_TOKEN = 3.0
"""Where only the server knows the tokenizer; briefs are mostly numbers, which make short tokens."""
TOKENS_PER_TURN = 300
"""What a finished turn adds to the next prompt: a short answer in JSON and the verifier's feedback."""
ASSUMED_OUTPUT = 1000
"""Output tokens a call, for the estimate of the cost."""


def print_estimate(plan: "Plan", backend: "Backend", price: "Price | None") -> None:
    """A line a probe: tasks, fewest and most calls without retries, prompt tokens, largest prompt, and the cost."""
    table = Table("probe", "tasks", "calls", "prompt tokens", "largest prompt", title="Dry run: nothing is called")
    all_calls, all_tokens = np.zeros(2, int), np.zeros(2, int)
    for probe in PROBE_TABLE:
        tasks = [task for task in plan.tasks if task.probe == probe]
        if not tasks:
            continue
        first = np.array([_tokens(backend, begin_episode(task, plan.protocol).start()) for task in tasks])[:, None]
        turns = np.array([_turns(task, plan) for task in tasks])
        calls = plan.epochs * turns.sum(axis=0)
        tokens = plan.epochs * (turns * first + TOKENS_PER_TURN * turns * (turns - 1) // 2).sum(axis=0)
        largest = (first[:, 0] + TOKENS_PER_TURN * (turns[:, 1] - 1)).max()
        table.add_row(probe.upper(), str(len(tasks)), _range(calls), _range(tokens), f"{largest:,}")
        all_calls, all_tokens = all_calls + calls, all_tokens + tokens
    table.add_row("all", str(len(plan.tasks)), _range(all_calls), _range(all_tokens), "")
    terminal = console()
    terminal.print(table)
    exact = backend.prompt_tokens([{"role": "user", "content": "?"}]) is not None
    how = "the model's tokenizer" if exact else f"{CHARACTERS_PER_TOKEN:g} characters a token"
    terminal.print(
        f"Prompts are counted with {how}; a finished turn is taken to add {TOKENS_PER_TURN} tokens. "
        "Retries of unreadable replies come on top."
    )
    if price:
        more = all_calls[1] * price.output / 1e3
        cost = (all_tokens * price.input + all_calls * ASSUMED_OUTPUT * price.output) / 1e6
        terminal.print(
            f"Cost: {cost[0]:.2f} to {cost[1]:.2f} {price.currency} (prices of {price.date}) if a call returns "
            f"{ASSUMED_OUTPUT} tokens; each further 1,000 tokens a call add {more:.2f} at most."
        )


def _turns(task: Task, plan: "Plan") -> tuple[int, int]:
    """Fewest and most live turns of an episode."""
    if task.probe in ("p1", "p4", "isomorphic"):
        return 1, 1
    left = task.spec["query_budget"] - len(task.spec["history"])
    if task.probe == "p3":
        return 1, left
    budget = plan.protocol.p2_queries or left
    return (budget, budget) if plan.protocol.p2_stop == "budget" else (1, budget)


def _tokens(backend: "Backend", messages: list[Message]) -> int:
    counted = backend.prompt_tokens(messages)
    if counted is not None:
        return counted
    return math.ceil(sum(len(message["content"]) for message in messages) / CHARACTERS_PER_TOKEN)


def _range(ends: IntArray) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
