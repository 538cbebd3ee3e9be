"""`vehbench tasks`: look at the tasks of a bank and at the prompts a model gets."""

from typing import Annotated

import typer

from vehbench_cli.lookup import task_of
from vehbench_cli.options import BankOption, read_list, read_splits
from vehbench_cli.tables import print_json
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank
from vehbench_hf.types import PROBES


def tasks_command(
    task_id: Annotated[str | None, typer.Argument(help="Show this task: its prompt, or its row with --row.")] = None,
    bank: BankOption = DEFAULT_BANK,
    probes: Annotated[str, typer.Option(help="Probes: p1,p2,p3,p4 or all.")] = "all",
    split: Annotated[str, typer.Option(help="Splits: dev,test_id,test_ood,train or all.")] = "all",
    row: Annotated[bool, typer.Option("--row", help="Print the whole row as JSON, gold included.")] = False,
) -> None:
    """List tasks, or show what a model sees of one."""
    opened = open_bank(bank)
    if task_id is None:
        for task in opened.select(read_list(probes, PROBES, "--probes"), read_splits(split)):
            typer.echo(f"{task.probe}  {task.split:8}  {task.subtype:28}  {task.task_id}")
        return
    task = task_of(opened, task_id)
    if row:
        from vehbench_hf.bank.schema import task_to_row

        print_json(task_to_row(task))
        return
    from vehbench_hf.prompts import opening
    from vehbench_hf.protocol import Protocol

    for message in opening(task.probe, task.spec, Protocol()):
        typer.echo(f"[{message['role']}]\n{message['content']}\n")
