"""Which runs stand in the results dataset. Who submits a run and who checks a record apply the same rules.

Without them a record could be true and still mislead: a log without the tasks that went badly, or one whose steps were
written down instead of judged, gives the numbers it states.
"""

from collections.abc import Mapping
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.errors import HubError
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION


def check_run(info: Mapping[str, Any], bank: Bank, model_id: str) -> None:
    """Raise HubError for a run that is no run of this model over the headline's tasks; `info` is its `run.json`."""
    settings = info["settings"]
    model, splits, probes = settings.get("model"), settings.get("splits"), settings.get("probes")
    if info.get("kind") != "model" or not isinstance(model, str) or model.startswith("baseline/"):
        raise HubError("this is no run of a language model; baselines and imported logs are not submitted.")
    if _named_weights(model) not in (None, model_id):
        raise HubError(f"the run was made with {model[:200]}; the submission says {model_id}.")
    for name in ("limit", "subset", "isomorphic"):
        if settings.get(name) is not None:
            raise HubError(f"the run was made with --{name} {settings[name]}; a submission covers all tasks.")
    if not isinstance(probes, list) or not isinstance(splits, list) or not set(bank.headline_splits) <= _texts(splits):
        raise HubError(f"the run lacks a split of the headline ({', '.join(bank.headline_splits)}).")
    for name, now in (("prompts_version", PROMPTS_VERSION), ("protocol_version", PROTOCOL_VERSION)):
        if settings.get(name) != now:
            raise HubError(f"the run has {name} {str(settings.get(name))[:40]!r}; this version checks {now!r}.")


def check_scores(scores: Mapping[str, Any]) -> None:
    """Raise HubError when scores that were computed from a log are not those of a whole run."""
    if scores["problems"]:
        raise HubError(f"the log has problems: {'; '.join(scores['problems'])[:400]}")
    if not scores["complete"]:
        raise HubError("the run is incomplete: some tasks are unscored or missing. Give its `vehbench run` again.")


def _named_weights(model: str) -> str | None:
    """The repository ORG/MODEL whose weights a run loaded; None for a path and for a model behind an API."""
    kind, _, name = model.partition("/")
    return name if kind in ("vllm", "hf") and not name.startswith("/") else None


def _texts(values: list[Any]) -> set[str]:
    return {value for value in values if isinstance(value, str)}
