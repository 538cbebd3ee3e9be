"""A hash of every word a model may read, so that a run log can tell whether the prompts have changed under it."""

import hashlib
import json
from functools import cache
from typing import Any, cast, get_args

from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.isomorphic.types import FORMS, Form, IsomorphicSpec
from vehbench_hf.parsing.reasons import reasons
from vehbench_hf.prompts.feedback import feedback_text, history_feedback_text, unjudged_text
from vehbench_hf.prompts.isomorphic import isomorphic_opening
from vehbench_hf.prompts.render import opening, retry_note
from vehbench_hf.protocol import Control, Protocol
from vehbench_hf.types import PROBES, Design, HistoryVerdict, Spec
from vehbench_oracle.domain import Problem
from vehbench_oracle.verdict import Verdict

_PROTOCOLS = (
    Protocol(),
    Protocol(p2_stop="budget"),
    Protocol(p2_queries=1),
    Protocol(feedback="coarse"),
    Protocol(p3_state="summary"),
    Protocol(feedback="coarse", p3_state="summary"),
    *(Protocol(control=control) for control in get_args(Control)),
)


@cache
def prompts_fingerprint(domain: str = DEFAULT_DOMAIN) -> str:
    """SHA-256 over what prompts, verifier and parser say about the fixed examples of a domain, as a model reads it.

    It changes with every word that a model reads: in openings under all protocols, names, units, feedback, and in the
    reasons why a reply cannot be used, which stand in the message that asks again. How templates are divided into files
    does not change it.
    """
    texts = [text for example in domain_of(domain).examples for text in _texts(domain, cast(Spec, example))]
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


def _texts(domain: str, example: Spec) -> list[Any]:
    problem = domain_of(domain).problem(example)
    boxes = {name: box for name, box in problem.bounds.items() if box is not None}
    inside: Design = {name: (box["min"] + box["max"]) / 2 for name, box in boxes.items()}
    outside: Design = {name: 2 * box["max"] for name, box in boxes.items()}
    verdicts = [problem.judge(inside), problem.judge(outside)]
    spec = _spec(example, inside, verdicts[0], problem)
    texts: list[Any] = [unjudged_text(1, action, 2) for action in ("replan", "reset_to_prior")]
    for verdict in verdicts:
        texts += [feedback_text(1, verdict, 2, coarse=coarse) for coarse in (False, True)]
    texts += [history_feedback_text(1, step["verdict"], problem) for step in spec["history"]]
    texts += [opening(probe, spec, protocol, domain) for protocol in _PROTOCOLS for probe in PROBES]
    texts += [isomorphic_opening(_isomorphic_spec(spec, form, inside), domain) for form in FORMS]
    return [*texts, *(retry_note(reason) for reason in ("it was cut off", *reasons(problem.variables)))]


def _spec(example: Spec, design: Design, verdict: Verdict, problem: Problem) -> Spec:
    seen = {
        "feasible": False,
        problem.objective.column: verdict.objective,
        "slack": verdict.slack,
        "violations": [violation.name for violation in verdict.violations],
        "metrics": verdict.metrics,
    }
    return {
        **example,
        "notes": [{"name": "c", "text": "d"}],
        "query_budget": 6,
        "initial_design": design,
        "history": [{"design": design, "note": "e", "verdict": cast(HistoryVerdict, seen)}],
        "policy": "f",
        "profile": "g",
        "candidates": [{"id": "A", "design": design, "metrics": verdict.metrics, "slack": verdict.slack}],
    }


def _isomorphic_spec(spec: Spec, form: Form, design: Design) -> IsomorphicSpec:
    first = next(iter(design))
    added = {
        "question": "h",
        "initial_design": design if form == "generation" else None,
        "candidates": [{"id": "A", "design": design}] if form == "selection" else [],
        "fixed": {**design, first: None} if form == "completion" else None,
    }
    return cast(IsomorphicSpec, {**spec, **added})
