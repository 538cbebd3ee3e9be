"""One arm of an experiment: a run with its settings, and what two arms may differ in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vehbench_hf.analysis.compared_run import ComparedRun, read_compared
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog.replay import protocol_of
from vehbench_hf.runlog.settings import read_run_json

_FREE = ("probes", "splits", "limit", "epochs")
"""Settings that say which rows a run holds, not how they came about."""
_PROTOCOL = "protocol."


@dataclass(frozen=True)
class Arm:
    """A run of an experiment: its scored rows and all its settings, as `RunSettings.flat` stored them."""

    run: ComparedRun
    settings: dict[str, Any]

    @property
    def protocol(self) -> Protocol:
        """The rules under which it was made."""
        return protocol_of(self.settings)


def read_arm(folder: Path, bank: Bank) -> Arm:
    """Replay a run folder. Raises RunError when it is no run, or one imported from the authors' logs."""
    info = read_run_json(folder)
    if info.get("kind") == "recorded":
        raise RunError(f"{folder} was imported; an experiment needs runs made by `vehbench run` under known rules.")
    return Arm(read_compared(folder, bank), info["settings"])


def changed_rules(first: Arm, second: Arm) -> dict[str, list[Any]]:
    """The rules of the protocol in which two arms differ, each with both values.

    Raises RunError when anything else differs, model, sampling, bank or prompts say: the difference between the arms
    would then not be the effect of the rule.
    """
    names = sorted((first.settings.keys() | second.settings.keys()) - set(_FREE))
    pairs = {name: [first.settings.get(name), second.settings.get(name)] for name in names}
    differing = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    others = [f"{name}: {a!r} and {b!r}" for name, (a, b) in differing.items() if not name.startswith(_PROTOCOL)]
    if others:
        raise RunError(
            f"{first.run.name} and {second.run.name} differ in more than the rules of the protocol, so that no effect "
            "of a rule can be read from them:\n  " + "\n  ".join(others)
        )
    return {name.removeprefix(_PROTOCOL): pair for name, pair in differing.items()}
