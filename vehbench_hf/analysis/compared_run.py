"""A run as it is compared: its name, what it must agree on with others, and its scored rows."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog.replay import protocol_of, replay_run
from vehbench_hf.runlog.settings import read_run_json
from vehbench_hf.scoring import Row, sort_rows
from vehbench_hf.scoring.folder import covered, selected
from vehbench_hf.types import Probe
from vehbench_hf.versions import SCORER_VERSION

UNRELEASED = "unreleased"
"""What stands for the prompts and the protocol of the authors' harness."""


@dataclass(frozen=True)
class ComparedRun:
    """One run. `agrees` names everything that must be equal before two scores may be compared.

    `temperature` is None where nothing was sent or nothing is known. `is_model` is False for built-in baselines.
    `unscored` counts, by probe, the repeats without a score.
    """

    name: str
    model: str
    agrees: dict[str, Any]
    bank: Bank
    epochs: int
    temperature: float | None
    recorded: bool
    is_model: bool
    rows: dict[Probe, list[Row]]
    unscored: dict[Probe, int]
    problems: list[str]


def read_compared(folder: Path, bank: Bank) -> ComparedRun:
    """Replay the log of a run on its bank. No model is called, nothing is written.

    Raises RunError when the folder is not a run.
    """
    run = replay_run(folder, selected(read_run_json(folder), bank))
    settings, recorded = run.info["settings"], run.info.get("kind") == "recorded"
    epochs = settings.get("epochs", 1)
    found = sort_rows(covered(run, bank), run.records, epochs=epochs)
    rows: dict[Probe, list[Row]] = {}
    unscored: dict[Probe, int] = {}
    for row in found.scored:
        rows.setdefault(row.task.probe, []).append(row)
    for task in [*(row.task for row in found.unscored), *found.missing]:
        unscored[task.probe] = unscored.get(task.probe, 0) + 1
    model = str(settings.get("model"))
    return ComparedRun(
        name=str(folder),
        model=model,
        agrees={
            "bank": bank.version,
            "tasks of the bank": bank.fingerprint[:12],
            "prompts": settings.get("prompts_version", UNRELEASED),
            "protocol": settings.get("protocol_version", UNRELEASED),
            "scorer": SCORER_VERSION,
            **({} if recorded else _details(settings)),
        },
        bank=bank,
        epochs=epochs,
        temperature=_number(settings.get("sampling.temperature")),
        recorded=recorded,
        is_model=not model.startswith("baseline/"),
        rows=rows,
        unscored=unscored,
        problems=run.problems,
    )


def _details(settings: dict[str, Any]) -> dict[str, Any]:
    """What lies behind the versions: the texts of the prompts and every rule of the protocol."""
    protocol = {f"protocol.{name}": value for name, value in asdict(protocol_of(settings)).items()}
    return {"prompt texts": str(settings.get("prompts_fingerprint", "unknown"))[:12], **protocol}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
