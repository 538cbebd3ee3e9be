"""The answer of a reply: the last JSON object in it that is a valid answer of the probe.

Models think aloud before they answer. (The paper's harness took the first object, appendix N.1.) A reply that holds no
such object is unreadable; reading never guesses. What had to be interpreted is named in `Answer.repairs`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vehbench_hf.parsing.actions import names_action, read_action
from vehbench_hf.parsing.designs import Names, find_design, names_of
from vehbench_hf.parsing.json_objects import find_objects
from vehbench_hf.parsing.rankings import read_ranking
from vehbench_hf.parsing.reasoning import split_reasoning
from vehbench_hf.parsing.unreadable import UnreadableReply, quoted
from vehbench_hf.parsing.wrappers import unwrapped
from vehbench_hf.types import Design, Probe
from vehbench_oracle.quantities import Variable

_STEP_KEYS = ("step", "prior_step", "reset_to", "reset_to_step", "step_index", "step_number", "target_step")
_STEP_TEXT = re.compile(r"(?:step\s*#?\s*)?([0-9]{1,6})", re.IGNORECASE)
_REASON_KEYS = ("reason", "rationale", "explanation", "justification")


SEVERAL = "reply: several different answers, the last counts"
"""The repair of a reply that holds more than one answer."""


@dataclass(frozen=True)
class Answer:
    """A reply as read.

    `action` is one of the probe's `ACTIONS`. `design` is set for propose_design in P2 and P3: finite
    numbers in the variables' units, not clipped and not judged. `ranking` (P4) holds the candidate ids best
    first. `prior_step` belongs to reset_to_prior and counts from 1. `repairs` says in words what had to be
    interpreted; empty means nothing had. `is_last` says that nothing but blanks or the end of a code fence follows the
    answer. `content` is what the reply says to its reader, `reasoning` what stands in it
    between the tags of a reasoning model.
    """

    action: str
    design: Design | None = None
    ranking: tuple[str, ...] = ()
    missing_fields: tuple[str, ...] = ()
    prior_step: int | None = None
    reason: str | None = None
    repairs: tuple[str, ...] = ()
    is_last: bool = field(default=True, compare=False)
    content: str = field(default="", compare=False)
    reasoning: str = field(default="", compare=False)


def read_answer(
    text: str,
    probe: Probe,
    variables: Mapping[str, Variable],
    *,
    candidate_ids: Sequence[str] = (),
    step_count: int = 0,
) -> Answer:
    """Read the reply to one turn of a probe, reasoning included, about a brief with these design variables.

    `candidate_ids` are the ids that a P4 ranking must permute, `step_count` the number of earlier steps a P3
    reset may go back to. A design without an action counts only in a reply that names no action at all and
    holds nothing broken: a design quoted in the prose is not the answer beside it.

    Raises UnreadableReply, and nothing else, when no object is a valid answer; it is about the first one that
    is not.
    """
    names = names_of(variables)
    return last_answer(
        text,
        names,
        lambda values: _read(values, probe, names, candidate_ids, step_count),
        lambda values: probe == "p4" or names_action(values),
    )


def last_answer(
    text: str,
    names: Names,
    read: Callable[[Mapping[str, object]], Answer],
    is_named: Callable[[Mapping[str, object]], bool],
) -> Answer:
    """The last JSON object of a reply that `read` takes for an answer, wrappers around it taken off.

    `is_named` says whether an object claims to be the answer. One that does not counts only where none does and nothing
    is broken. Raises UnreadableReply, and nothing else, as long as `read` does.
    """
    content, reasoning = split_reasoning(text)
    named, unnamed = list[Answer](), list[Answer]()
    first_error: UnreadableReply | None = None
    unnamed_counts = True
    for entry in find_objects(content):
        try:
            if entry.value is None:
                unnamed_counts = False
                raise UnreadableReply(f"the JSON object is {entry.problem}")
            values, repairs = unwrapped(entry.value, names)
            by_name = is_named(values)
            unnamed_counts = unnamed_counts and not by_name
            answer = read(values)
            answer = replace(
                answer,
                repairs=(*entry.repairs, *repairs, *answer.repairs),
                is_last=not content[entry.end :].strip("` \t\r\n"),
            )
            (named if by_name else unnamed).append(answer)
        except UnreadableReply as error:
            first_error = first_error or error
    if named or (unnamed and unnamed_counts):
        answer = _last(named or unnamed, passed_over=bool(named and unnamed))
        return replace(answer, content=content, reasoning=reasoning)
    if first_error:
        raise first_error
    if reasoning.strip() and not content.strip():
        raise UnreadableReply("the reply ends within its reasoning; expected one JSON object after it")
    raise UnreadableReply("the reply holds no JSON object; expected one")


def _last(answers: list[Answer], *, passed_over: bool) -> Answer:
    *others, last = answers
    repairs = list(last.repairs)
    if passed_over:
        repairs.append("reply: a design without an action was not taken for the answer")
    if any(_gist(other) != _gist(last) for other in others):
        repairs.append(SEVERAL)
    return replace(last, repairs=tuple(repairs))


def _gist(answer: Answer) -> Answer:
    return replace(answer, reason=None, repairs=())


def _read(
    values: Mapping[str, object], probe: Probe, names: Names, candidate_ids: Sequence[str], step_count: int
) -> Answer:
    """The answer that one object gives; raises UnreadableReply if it is none."""
    if probe == "p4":
        ranking, repairs = read_ranking(values, candidate_ids)
        return Answer("rank", ranking=ranking, reason=_reason(values), repairs=repairs)
    named = read_action(values, probe)
    rest = Answer(
        action=named.action if named else "propose_design",
        missing_fields=_missing_fields(values),
        reason=_reason(values),
        repairs=named.repairs if named else ("action: none given, the design is read as propose_design",),
    )
    if named is None and probe == "p1":
        raise UnreadableReply('the JSON object has no "action"')
    if probe == "p1":
        return rest
    if rest.action == "propose_design":
        read = find_design(values, names)
        if read is None:
            lacks = 'no "action"' if named is None else "no design"
            raise UnreadableReply(f'the JSON object has {lacks}; expected "action" and "design"')
        return replace(rest, design=read.design, repairs=(*rest.repairs, *read.repairs))
    if rest.action == "reset_to_prior":
        return _reset(rest, values, names, step_count)
    return rest


def _reset(rest: Answer, values: Mapping[str, object], names: Names, step_count: int) -> Answer:
    given = [(key, values[key]) for key in _STEP_KEYS if values.get(key) is not None]
    if not given:
        read = find_design(values, names)
        if read is None:
            raise UnreadableReply('reset_to_prior needs "step": the number of the earlier step, counted from 1')
        repairs = (
            *rest.repairs,
            "action: reset_to_prior with a design and no step is read as propose_design",
        )
        return replace(rest, action="propose_design", design=read.design, repairs=(*repairs, *read.repairs))
    steps = [_step(value, step_count) for _, value in given]
    if len(set(steps)) > 1:
        raise UnreadableReply(f"{given[0][0]} and {given[1][0]} name different steps")
    repairs = rest.repairs
    if given[0][0] != "step":
        repairs = (*repairs, f"step: read from the key '{given[0][0]}'")
    if not isinstance(given[0][1], int):
        repairs = (*repairs, f"step: read {quoted(given[0][1])} as {steps[0]}")
    return replace(rest, prior_step=steps[0], repairs=repairs)


def _step(value: object, step_count: int) -> int:
    """The number of an earlier step, from 3, 3.0, "3" or "step 3"."""
    if step_count < 1:
        raise UnreadableReply("reset_to_prior needs an earlier step, and there is none yet")
    step: int | None = None
    if isinstance(value, str):
        match = _STEP_TEXT.fullmatch(value.strip()) if len(value) <= 20 else None
        step = int(match[1]) if match else None
    elif isinstance(value, float):
        step = int(value) if value.is_integer() else None
    elif isinstance(value, int) and not isinstance(value, bool):
        step = value
    if step is None or not 1 <= step <= step_count:
        raise UnreadableReply(f"the step must be a whole number from 1 to {step_count}, got {quoted(value)}")
    return step


def _missing_fields(values: Mapping[str, object]) -> tuple[str, ...]:
    given = values.get("missing_fields")
    texts = given if isinstance(given, list) else [given]
    return tuple(_clean(text.strip()) for text in texts if isinstance(text, str) and text.strip())


def _reason(values: Mapping[str, object]) -> str | None:
    texts = (values.get(key) for key in _REASON_KEYS)
    return next((_clean(text) for text in texts if isinstance(text, str)), None)


def _clean(text: str) -> str:
    """Without lone surrogates: JSON may hold them, a UTF-8 file cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
