"""What differs between runs: one description, and the views of it that commands show.

A difference is a setting with the value of each run. Which settings are looked at depends on the question: whether a
run may go on, whether scores compare, what an experiment changed, what a submission did otherwise than the default.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from vehbench_hf.errors import RunError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog.loaded_run import UNRELEASED, Run
from vehbench_hf.runlog.settings import RunSettings, protocol_of
from vehbench_hf.types import PROBES, SPLITS, Convention
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION, SCORER_VERSION

_PROTOCOL = "protocol."
_WHICH_ROWS = ("probes", "splits", "limit", "epochs")
"""Settings that say which rows a run holds, not how they came about."""
_HOW_IT_RAN = (*_WHICH_ROWS, _PROTOCOL, "sampling.", "weights.")
"""Settings that belong to how a model was asked or loaded, and not to which model, tasks or prompts."""
_NO_DEVIATION = ("sampling.seed", "weights.revision")


class Difference(NamedTuple):
    """A setting that runs do not agree on, with the value of each; None where a run does not have it."""

    name: str
    values: tuple[Any, ...]


def differences(settings: Sequence[Mapping[str, Any]], names: Collection[str] | None = None) -> list[Difference]:
    """The settings that are not equal in all of `settings`, in the order of `names`, or of all names by alphabet."""
    names = sorted(set().union(*settings)) if names is None else names
    rows = (Difference(name, tuple(each.get(name) for each in settings)) for name in names)
    return [row for row in rows if any(value != row.values[0] for value in row.values[1:])]


def setting_differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Settings that differ, a sentence each; empty when the run can be taken up again."""
    return [
        f"{name}: the run has {json.dumps(has)}, now {json.dumps(now)}"
        for name, (has, now) in differences([stored, wanted])
    ]


def comparability(
    bank: str, convention: Convention, *, prompts: str = PROMPTS_VERSION, protocol: str = PROTOCOL_VERSION
) -> str:
    """The tuple that must be equal before two scores may be compared, as one line."""
    return f"{bank} | prompts {prompts} | protocol {protocol} | scorer {SCORER_VERSION} | {convention}"


def protocol_label(settings: dict[str, Any]) -> str:
    """The protocol of a run in that tuple: its version, and each rule that is not the default.

    For instance "1" or "1 (feedback coarse, p2_stop budget)"; "unreleased" for imported logs.
    """
    if "protocol_version" not in settings:
        return UNRELEASED
    usual, used = asdict(Protocol()), asdict(protocol_of(settings))
    changed = ", ".join(f"{name} {now}" for name, (_, now) in differences([usual, used], list(used)))
    return f"{settings['protocol_version']} ({changed})" if changed else str(settings["protocol_version"])


def agreement(run: Run) -> dict[str, Any]:
    """Everything that must be equal before scores of two runs may be compared.

    Beside the versions, for a run of ours, what lies behind them: the texts of the prompts and every rule.
    """
    settings = run.settings
    names = {
        "bank": run.bank.version,
        "tasks of the bank": run.bank.fingerprint[:12],
        "prompts": run.prompts,
        "protocol": settings.get("protocol_version", UNRELEASED),
        "scorer": SCORER_VERSION,
    }
    if run.recorded:
        return names
    rules = {f"{_PROTOCOL}{name}": value for name, value in asdict(run.protocol).items()}
    return {**names, "prompt texts": str(settings.get("prompts_fingerprint", "unknown"))[:12], **rules}


def disagreements(runs: Sequence[Run]) -> list[str]:
    """What the runs do not agree on, a line each: the name and every run's value; empty when they are comparable."""
    agreements = [agreement(run) for run in runs]
    names = list(dict.fromkeys(name for each in agreements for name in each))
    texts = [{name: str(each.get(name, "unknown")) for name in names} for each in agreements]
    return [
        f"{name}: " + ", ".join(f"{run.name} {value}" for run, value in zip(runs, values, strict=True))
        for name, values in differences(texts, names)
    ]


def require_comparable(runs: Sequence[Run], *, mix: bool) -> list[str]:
    """The disagreements that `mix` lets pass.

    Raises RunError for fewer than two runs, the same folder twice, or any disagreement without `mix`.
    """
    if len(runs) < 2:
        raise RunError(f"a comparison needs two or more runs, got {len(runs)}.")
    if len({Path(run.name).resolve() for run in runs}) < len(runs):
        raise RunError(f"a run is named twice among {', '.join(run.name for run in runs)}; give each once.")
    lines = disagreements(runs)
    if lines and not mix:
        raise RunError(
            "these runs are not comparable; give --mix to compare them all the same. They differ in\n  "
            + "\n  ".join(lines)
        )
    return lines


def changed_rules(first: Run, second: Run) -> dict[str, list[Any]]:
    """The rules of the protocol in which two runs of an experiment differ, each with both values.

    Raises RunError for an imported run, and when anything else differs, model, sampling, bank or prompts say: the
    difference between the runs would then not be the effect of the rule.
    """
    for run in (first, second):
        require_known_rules(run)
    differing = [each for each in differences([first.settings, second.settings]) if each.name not in _WHICH_ROWS]
    others = [f"{name}: {a!r} and {b!r}" for name, (a, b) in differing if not name.startswith(_PROTOCOL)]
    if others:
        raise RunError(
            f"{first.name} and {second.name} differ in more than the rules of the protocol, so that no effect "
            "of a rule can be read from them:\n  " + "\n  ".join(others)
        )
    return {name.removeprefix(_PROTOCOL): list(values) for name, values in differing}


def require_known_rules(run: Run) -> Run:
    """The run. Raises RunError for one that was imported from the authors' logs."""
    if run.recorded:
        raise RunError(f"{run.name} was imported; an experiment needs runs made by `vehbench run` under known rules.")
    return run


def deviations(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in which a run differs from `vehbench run` without options, apart from model, tasks and seed."""
    plain = RunSettings("", "", "", PROBES, SPLITS, None, 1, Protocol()).flat()
    splits = settings.get("splits")
    if isinstance(splits, list) and set(splits) - {"train"} == set(plain["splits"]):
        plain["splits"] = splits
    return {
        name: given
        for name, (_, given) in differences([plain, settings])
        if name.startswith(_HOW_IT_RAN) and name not in _NO_DEVIATION
    }
