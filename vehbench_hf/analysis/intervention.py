"""The P3 interventions (paper, section 4.4 and Table 14): another form of the history, or of the feedback."""

from vehbench_hf.analysis.paired import METHOD, paired_effect
from vehbench_hf.analysis.result_types import EffectsResult
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import named_subset
from vehbench_hf.runlog.differences import changed_rules
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.statistics import PAIRED_RESAMPLES, SEED
from vehbench_hf.types import Convention, Task

SUBSET = "p3_intervention"
"""Name of the 36 tasks in the manifest of a bank: two of each trap type in each published split."""
PARTS = ("success", "cascade")
"""What Table 14 shows."""
EFFECTS_SCHEMA = "vehbench-effects-1"


def intervention_tasks(bank: Bank) -> list[Task]:
    """The P3 tasks on which interventions are tried. Raises BankError for a bank whose manifest names none."""
    return named_subset(bank, SUBSET)


def intervention_effects(
    first: Run,
    second: Run,
    bank: Bank,
    *,
    convention: Convention | None = None,
    resamples: int = PAIRED_RESAMPLES,
    seed: int = SEED,
) -> EffectsResult:
    """Second minus first in success and cascade rate on the intervention tasks of `bank`; JSON values.

    `first` is the plain run (raw history), `second` the one with the change. Both may hold more tasks. `convention`
    None means the bank's own. Raises RunError when the runs differ in more than the protocol, BankError when the bank
    names no subset.
    """
    changed = changed_rules(first, second)
    names = [task.task_id for task in intervention_tasks(bank)]
    rows = [run.scored("p3") for run in (first, second)]
    convention = convention or bank.convention
    return {
        "schema": EFFECTS_SCHEMA,
        "probe": "p3",
        "bank": bank.version,
        "convention": convention,
        "tasks": len(names),
        "first": first.name,
        "second": second.name,
        "changed": changed,
        "method": {"resamples": resamples, "seed": seed, **METHOD},
        "effects": [
            paired_effect(rows[0], rows[1], "p3", part, names, convention=convention, resamples=resamples, seed=seed)
            for part in PARTS
        ],
    }
