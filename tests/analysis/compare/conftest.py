"""Compared runs made of hand-made rows."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.analysis.compared_run import ComparedRun
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.scoring import Row
from vehbench_hf.types import Record, Step, Task

AGREES = {"bank": "b", "prompts": "1", "protocol": "1", "scorer": "1", "protocol.retries": 2}
BANK = Bank(Path("nowhere"), {"version": "b"}, ())


def pool(number: int, papers: int = 8, **fields: Any) -> Task:
    gold = {**empty_gold(), "ranking": list("abcde")}
    paper = {"key": f"paper{number % papers}", "doi": None, "doi_released": None, "title": None, "year": None}
    task = Task(f"t{number:03}", "p4", "test_id", "s", "d", None, paper, "b", empty_spec(), gold)
    return dataclasses.replace(task, **fields)


class Runs:
    """Builders for tests."""

    def pool(self, number: int, papers: int = 8, **fields: Any) -> Task:
        return pool(number, papers, **fields)

    def row(self, task: Task, order: str, epoch: int = 0) -> Row:
        return Row(task, Record(task.task_id, "p4", "ok", (Step("rank", ranking=tuple(order)),), epoch))

    def run(self, name: str, orders: list[str], **fields: Any) -> ComparedRun:
        """A run with one P4 pool for each order."""
        rows = [self.row(pool(number), order) for number, order in enumerate(orders)]
        return self.of(name, rows, **fields)

    def of(self, name: str, rows: list[Row], **fields: Any) -> ComparedRun:
        known = {
            "name": name,
            "model": f"openai/{name}",
            "agrees": AGREES,
            "bank": BANK,
            "epochs": 1,
            "temperature": 0.0,
            "recorded": False,
            "is_model": True,
            "rows": {"p4": rows} if rows else {},
            "unscored": {},
            "problems": [],
        }
        return ComparedRun(**{**known, **fields})


@pytest.fixture(scope="session")
def runs() -> Runs:
    return Runs()
