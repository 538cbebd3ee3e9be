"""Taking an answer out of the object that a model wrapped around it."""

from collections.abc import Mapping
from typing import NamedTuple

from vehbench_hf.parsing.actions import is_action_word, names_action
from vehbench_hf.parsing.designs import Names, holds_design
from vehbench_hf.parsing.rankings import RANKING_KEYS
from vehbench_hf.parsing.unreadable import quoted

_WRAPPERS = ("answer", "final_answer", "final", "output", "response", "result", "reply", "json", "action")
_MOST = 3


class Unwrapped(NamedTuple):
    """The object inside and one repair a wrapper."""

    values: Mapping[str, object]
    repairs: tuple[str, ...]


def unwrapped(values: Mapping[str, object], names: Names) -> Unwrapped:
    """The object inside {"answer": {...}} and the like, or the object itself.

    A wrapper of another name must be the only key and hold something that names its action or ranking, since
    {"rejected": {...}} around a mere design does not propose it.
    """
    repairs: list[str] = []
    while len(repairs) < _MOST and not _is_answer(values) and not holds_design(values, names):
        known = [key for key in _WRAPPERS if isinstance(values.get(key), dict)]
        keys = known if len(known) == 1 else list(values) if len(values) == 1 else []
        inner = values[keys[0]] if keys else None
        if not isinstance(inner, dict) or not (known or (_is_answer(inner) and not is_action_word(keys[0]))):
            break
        values = inner
        repairs.append(f"reply: taken out of {quoted(keys[0])}")
    return Unwrapped(values, tuple(repairs))


def _is_answer(values: Mapping[str, object]) -> bool:
    return names_action(values) or any(values.get(key) is not None for key in RANKING_KEYS)
