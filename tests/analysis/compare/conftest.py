"""Runs made of hand-made rows."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.runlog import Run, RunJson
from vehbench_hf.scoring import Row
from vehbench_hf.types import Record, Step, Task

BANK = Bank(Path("nowhere"), {"version": "b", "fingerprint": "f"}, ())


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

    def run(self, name: str, orders: list[str], **fields: Any) -> Run:
        """A run with one P4 pool for each order."""
        rows = [self.row(pool(number), order) for number, order in enumerate(orders)]
        return self.of(name, rows, **fields)

    def of(
        self,
        name: str,
        rows: list[Row],
        *,
        bank: Bank = BANK,
        kind: str = "model",
        missing: int = 0,
        problems: tuple[str, ...] = (),
        **settings: Any,
    ) -> Run:
        """A run of these rows, and of `missing` pools without a record."""
        known = {"model": f"openai/{name}", "prompts_version": "1", "protocol_version": "1"}
        info: RunJson = {"kind": kind, "settings": {**known, "sampling.temperature": 0.0, **settings}, "bank": "b"}
        tasks = {row.task.task_id: row.task for row in rows} | {f"t{n}": pool(n) for n in range(900, 900 + missing)}
        records: dict[str, list[Record]] = {}
        for task, record in rows:
            records.setdefault(task.task_id, []).append(record)
        return Run(Path(name), info, bank, list(tasks.values()), records, list(problems))


@pytest.fixture(scope="session")
def runs() -> Runs:
    return Runs()
