"""What a submitted run must be. Who submits a run and who checks a record apply the same rules.

Without them a record could be true and still mislead: a log without the tasks that went badly, or one whose steps were
written down instead of judged, gives the numbers it states.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.names import PUBLISHED_BANK, HubError, published_bank
from vehbench_hf.runlog.run_json import RunJson
from vehbench_hf.runlog.settings import setting_kinds
from vehbench_hf.scoring import Scores
from vehbench_hf.types import Turn
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION

CLOCK = timedelta(days=1)
"""Clocks and time zones of machines differ by less."""


def check_bank(bank: Bank) -> None:
    """Raise HubError for a bank with the name of the published one and other tasks."""
    if bank.version == PUBLISHED_BANK and bank.fingerprint != published_bank()["fingerprint"]:
        raise HubError(
            f"{bank.path} calls itself {PUBLISHED_BANK} and holds other tasks than the published bank of that name "
            f"(fingerprint {bank.fingerprint[:12]}); its numbers do not belong there. Use --bank v2."
        )


def check_run(info: RunJson, bank: Bank, model_id: str) -> None:
    """Raise HubError for a run that is no run of this model over the headline's tasks; `info` is its `run.json`."""
    settings = info["settings"]
    model, splits, probes = settings.get("model"), settings.get("splits"), settings.get("probes")
    if info.get("kind") != "model" or not isinstance(model, str) or model.startswith("baseline/"):
        raise HubError("this is no run of a language model; baselines and imported logs are not submitted.")
    if named_weights(model) not in (None, model_id):
        raise HubError(f"the run was made with {model[:200]}; the submission says {model_id}.")
    for name in ("limit", "subset", "isomorphic", "task"):
        if settings.get(name) is not None:
            raise HubError(f"the run was made with --{name} {settings[name]}; a submission covers all tasks.")
    if not isinstance(probes, list) or not isinstance(splits, list) or not set(bank.headline_splits) <= set(splits):
        raise HubError(f"the run lacks a split of the headline ({', '.join(bank.headline_splits)}).")
    for name, now in (("prompts_version", PROMPTS_VERSION), ("protocol_version", PROTOCOL_VERSION)):
        if settings.get(name) != now:
            raise HubError(f"the run has {name} {str(settings.get(name))[:40]!r}; this version checks {now!r}.")
    unknown = sorted(set(settings) - set(setting_kinds()))
    if unknown:
        raise HubError(f"run.json has the setting {unknown[0][:60]!r}, which no run of this version has.")


def check_scores(scores: Scores) -> None:
    """Raise HubError when scores that were computed from a log are not those of a whole run."""
    if scores["problems"]:
        raise HubError(f"the log has problems: {'; '.join(scores['problems'])[:400]}")
    if not scores["complete"]:
        raise HubError("the run is incomplete: some tasks are unscored or missing. Give its `vehbench run` again.")


def run_date(turns: Sequence[Turn], info: RunJson) -> str:
    """The day of the last call of a run, or of its beginning where calls have no time.

    Raises HubError when the run says none, or one that is still to come: of two records the later one may count.
    """
    times = [turn.time for turn in turns if turn.time]
    text = max(times) if times else info.get("begun", "")
    try:
        # The time is a text of the log, and the day goes into YAML and onto pages: it must be a day.
        day = date.fromisoformat(text[:10])
    except ValueError:
        raise HubError("turns.jsonl does not say when the run was made.") from None
    if day > (datetime.now(UTC) + CLOCK).date():
        raise HubError(f"turns.jsonl says that the run was made on {day.isoformat()}, which is still to come.")
    return day.isoformat()


def named_weights(model: str) -> str | None:
    """The repository ORG/MODEL whose weights a run loaded; None for a path and for a model behind an API."""
    kind, _, name = model.partition("/")
    return name if kind in ("vllm", "hf") and not name.startswith("/") else None
