"""The actions of each probe and the words that certainly mean one of them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from vehbench_hf.parsing.unreadable import UnreadableReply, quoted
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import Probe

ACTIONS: dict[Probe, tuple[str, ...]] = {probe: info.actions for probe, info in PROBE_TABLE.items()}
"""What a model may do. P4 has one action, and a reply does not name it."""

_ALIASES = {
    "propose": "propose_design",
    "propose_new_design": "propose_design",
    "infeasible": "declare_infeasible",
    "declare_infeasibility": "declare_infeasible",
    "missing_info": "request_missing_info",
    "request_info": "request_missing_info",
    "request_information": "request_missing_info",
    "request_missing_information": "request_missing_info",
    "re_plan": "replan",
    "reset": "reset_to_prior",
    "reset_to_prior_design": "reset_to_prior",
    "reset_to_prior_step": "reset_to_prior",
}
_SEARCH_ALIASES = {"continue": "propose_design"}  # the paper's P2 format; in P1 nothing is under way to be continued

_KEYS = ("action", "action_type", "decision")
_WEAK_KEY = "type"  # a frequent key with other meanings: counts only where its value is an action
_LONGEST = 60


class NamedAction(NamedTuple):
    """An action as a reply names it."""

    action: str
    repairs: tuple[str, ...]


def names_action(values: Mapping[str, object]) -> bool:
    """Whether the object says which action it takes, rightly or not."""
    return any(_is_given(values.get(key)) for key in _KEYS) or _meaning(values.get(_WEAK_KEY)) is not None


def read_action(values: Mapping[str, object], probe: Probe) -> NamedAction | None:
    """The action an object names, None if it names none.

    Raises UnreadableReply for a word that is no action of the probe, and for two keys with different actions.
    """
    if not names_action(values):
        return None
    key = next(key for key in (*_KEYS, _WEAK_KEY) if _is_given(values.get(key)))
    action, written = _meaning(values[key]), values[key]
    if action not in ACTIONS[probe] or (written in _SEARCH_ALIASES and probe == "p1"):
        raise UnreadableReply(f"the action {quoted(written)} is none of {', '.join(ACTIONS[probe])}")
    for other in (*_KEYS, _WEAK_KEY):
        if _meaning(values.get(other)) not in (None, action):
            raise UnreadableReply(f"{key} and {other} name two different actions")
    repairs = [f"action: read from the key '{key}'"] if key != "action" else []
    if written != action:
        repairs.append(f"action: read {quoted(written)} as {action}")
    return NamedAction(action, tuple(repairs))


def is_action_word(word: str) -> bool:
    """Whether a word means an action of some probe."""
    return _meaning(word) is not None


def _is_given(written: object) -> bool:
    """An object is no word: {"action": {"type": "replan"}} is unwrapped first."""
    return written is not None and not isinstance(written, dict)


def _meaning(written: object) -> str | None:
    """The action a word means, whatever the probe."""
    if not isinstance(written, str) or len(written) > _LONGEST:
        return None
    word = re.sub(r"[\s_-]+", "_", written.strip().lower())
    word = (_ALIASES | _SEARCH_ALIASES).get(word, word)
    return word if any(word in actions for actions in ACTIONS.values()) else None
