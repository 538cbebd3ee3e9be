"""Fresh tasks: do they repeat published ones?"""

from vehbench_builder.audit.report import Check, Findings, skipped, whole
from vehbench_builder.overlap import overlaps
from vehbench_hf.bank.bank import Bank, open_bank


def fresh_checks(bank: Bank) -> list[Check]:
    """The comparison with the published bank, for a bank that has training tasks."""
    if not bank.select(splits=("train",)):
        return [skipped(fresh_tasks_are_not_published, "the bank has no training tasks")]
    return [whole(fresh_tasks_are_not_published, bank)]


def fresh_tasks_are_not_published(bank: Bank) -> Findings:
    """No training task shows a brief of bank v2, or the bounds and the excitation of one."""
    published = [task for task in open_bank("v2").tasks if task.split != "train"]
    for task in bank.select(splits=("train",)):
        yield next(iter(overlaps([task], published)), None)
