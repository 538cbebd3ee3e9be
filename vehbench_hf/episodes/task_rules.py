"""What an episode is about: how it opens, how a reply is read, and what an answer leads to, for every kind of task."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from vehbench_hf.episodes.isomorphic import take_isomorphic
from vehbench_hf.episodes.judging import recomputed_history
from vehbench_hf.episodes.rules import RULES, Taken
from vehbench_hf.isomorphic.types import FORMS, STAGE, Form, IsomorphicSpec
from vehbench_hf.parsing import Answer, read_answer, read_isomorphic_answer
from vehbench_hf.prompts import isomorphic_opening, opening
from vehbench_hf.protocol import Protocol, budgeted
from vehbench_hf.types import Message, Probe, Spec, Step


@dataclass(frozen=True)
class Course:
    """One task as an episode sees it.

    `read` turns the content of a reply into an answer, given the steps so far, or raises UnreadableReply. `take` turns
    an answer into a step and the text of the next turn.
    """

    probe: Probe
    messages: list[Message]
    read: Callable[[str, tuple[Step, ...]], Answer]
    take: Callable[[tuple[Step, ...], Answer], Taken]


def course_of(kind: Probe | Form, spec: Spec | IsomorphicSpec, protocol: Protocol) -> Course:
    """The course of a task of a probe, or of an isomorphic probe of a form, with the spec that belongs to it."""
    if kind in FORMS:
        return _isomorphic(kind, cast(IsomorphicSpec, spec))
    return _stage(cast(Probe, kind), cast(Spec, spec), protocol)


def _stage(probe: Probe, spec: Spec, protocol: Protocol) -> Course:
    shown = recomputed_history(spec) if protocol.p3_history == "recomputed" else spec
    held = budgeted(probe, spec, protocol)
    candidates = [candidate["id"] for candidate in spec["candidates"]]

    def read(content: str, steps: tuple[Step, ...]) -> Answer:
        return read_answer(content, probe, candidate_ids=candidates, step_count=len(spec["history"]) + len(steps))

    def take(steps: tuple[Step, ...], answer: Answer) -> Taken:
        return RULES[probe](held, protocol, steps, answer)

    return Course(probe, opening(probe, shown, protocol), read, take)


def _isomorphic(form: Form, spec: IsomorphicSpec) -> Course:
    candidates = [candidate["id"] for candidate in spec["candidates"]]

    def read(content: str, steps: tuple[Step, ...]) -> Answer:
        return read_isomorphic_answer(content, form, candidate_ids=candidates, fixed=spec["fixed"])

    def take(steps: tuple[Step, ...], answer: Answer) -> Taken:
        return take_isomorphic(spec, answer)

    return Course(STAGE[form], isomorphic_opening(spec), read, take)
