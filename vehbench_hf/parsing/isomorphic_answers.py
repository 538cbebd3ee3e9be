"""The answer to an isomorphic probe: one candidate's id, a whole design, or the two values that are left open."""

import math
from collections.abc import Mapping, Sequence

from vehbench_hf.isomorphic.types import Form
from vehbench_hf.parsing.actions import read_action
from vehbench_hf.parsing.answers import Answer, last_answer
from vehbench_hf.parsing.designs import Names, find_design, is_designlike, names_of, variable_of
from vehbench_hf.parsing.rankings import candidate_id
from vehbench_hf.parsing.unreadable import UnreadableReply, listed, quoted
from vehbench_oracle.quantities import Variable

_NAMED = {"selection": "candidate", "generation": "design", "completion": "design"}
"""The key under which each form asks for its answer."""
_CHOICE_KEYS = ("candidate", "candidate_id", "choice", "selected", "selection", "answer")
_SAME = 1e-6
"""A fixed value that a completion repeats may differ by this share: a matter of printing."""


def read_isomorphic_answer(
    text: str,
    form: Form,
    variables: Mapping[str, Variable],
    *,
    candidate_ids: Sequence[str] = (),
    fixed: Mapping[str, float | None] | None = None,
) -> Answer:
    """Read the reply to an isomorphic probe of a form; the rules are those of `read_answer`.

    A selection gives the action "select" and the id, one of `candidate_ids`, as a ranking of one. The other two give
    "propose_design" with a finite number for each of `variables`, not clipped and not judged. A completion needs only
    the variables that are None in `fixed`; it may repeat the others, but not change them.

    Raises UnreadableReply, and nothing else.
    """

    names = names_of(variables)

    def read(values: Mapping[str, object]) -> Answer:
        if form == "selection":
            return _choice(values, candidate_ids)
        return _design(values, names, (fixed or {}) if form == "completion" else {})

    return last_answer(text, names, read, lambda values: _NAMED[form] in values)


def _choice(values: Mapping[str, object], ids: Sequence[str]) -> Answer:
    keys = [key for key in _CHOICE_KEYS if values.get(key) is not None]
    if not keys:
        raise UnreadableReply(f'no choice; expected "candidate": one of {listed(list(ids))}')
    chosen = [candidate_id(values[key], ids) for key in keys]
    for key, name in zip(keys, chosen, strict=True):
        if name is None:
            raise UnreadableReply(f"{key} is {quoted(values[key])}; expected one of {listed(list(ids))}")
    if len(set(chosen)) > 1:
        raise UnreadableReply(f"{keys[0]} and {keys[1]} name different candidates")
    repairs = [] if keys[0] == "candidate" else [f"candidate: read from the key '{keys[0]}'"]
    if chosen[0] != values[keys[0]]:
        repairs.append(f"candidate: read {quoted(values[keys[0]])} as {chosen[0]}")
    return Answer("select", ranking=(str(chosen[0]),), repairs=tuple(repairs))


def _design(values: Mapping[str, object], names: Names, fixed: Mapping[str, float | None]) -> Answer:
    named = read_action(values, "p2")
    if named is not None and named.action != "propose_design":
        raise UnreadableReply(f"{named.action} is no answer to this question; expected a design")
    held = {name: value for name, value in fixed.items() if value is not None}
    read = find_design(_with_fixed(values, names, held), names)
    if read is None:
        raise UnreadableReply('no design; expected "design": an object with a number for each variable asked for')
    for name, value in held.items():
        if not math.isclose(read.design[name], value, rel_tol=_SAME):
            raise UnreadableReply(f"{name} is fixed at {value:.12g}, got {read.design[name]:.12g}")
    return Answer("propose_design", design={**read.design, **held}, repairs=read.repairs)


def _with_fixed(values: Mapping[str, object], names: Names, held: Mapping[str, float]) -> dict[str, object]:
    """The answer with the fixed variables added to every design in it that leaves them out."""
    filled = {
        key: _with_fixed(inner, names, held) if isinstance(inner, dict) and is_designlike(inner, names) else inner
        for key, inner in values.items()
    }
    if not is_designlike(values, names):
        return filled
    given = {meant[0] for key in values if (meant := variable_of(key, names))}
    return {**filled, **{name: value for name, value in held.items() if name not in given}}
