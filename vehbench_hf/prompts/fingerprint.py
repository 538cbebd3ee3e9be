"""A hash of every word a model may read, so that a run log can tell whether the prompts have changed under it."""

import hashlib
import json
from functools import cache
from typing import Any, get_args

from vehbench_hf.isomorphic.types import FORMS, Form, IsomorphicSpec
from vehbench_hf.prompts.feedback import feedback_text, history_feedback_text, unjudged_text
from vehbench_hf.prompts.isomorphic import isomorphic_opening
from vehbench_hf.prompts.render import SUMMARY_LINE, TASK_LINE, opening, retry_note
from vehbench_hf.prompts.templates import prompt_texts
from vehbench_hf.protocol import Control, Protocol
from vehbench_hf.types import PROBES, Design, Spec
from vehbench_oracle import judge

_DESIGN: Design = {
    "beam_length_mm": 40.0,
    "beam_width_mm": 12.0,
    "substrate_thickness_um": 500.0,
    "piezo_thickness_um": 200.0,
    "tip_mass_g": 2.0,
    "load_resistance_ohm": 1e5,
}
_LIMITS = {"stress_limit_mpa": 0.1, "disp_limit_mm": 0.001, "freq_error_pct_limit": 5.0, "power_target_uw": 1e5}

_COARSE_SUMMARY = Protocol(feedback="coarse", p3_state="summary")
_CONTROLLED = tuple(Protocol(control=control) for control in get_args(Control))


@cache
def prompts_fingerprint() -> str:
    """SHA-256 over the templates and over what they and the verifier say about one fixed brief.

    It changes with every word that a model reads, in templates, names, units and feedback, and not with comments.
    """
    verdict = judge(
        _DESIGN,
        limits=_LIMITS,
        frequency_hz=60.0,
        acceleration_g=0.5,
        bounds={name: {"min": 0.0, "max": 0.5 * value} for name, value in _DESIGN.items()},
    )
    said: list[Any] = [prompt_texts(), TASK_LINE, SUMMARY_LINE, retry_note("why"), unjudged_text(1, "replan", 2)]
    said += [unjudged_text(1, "reset_to_prior", 2), feedback_text(1, verdict, 2)]
    spec = _spec()
    said += [history_feedback_text(1, step["verdict"]) for step in spec["history"]]
    said += [opening(probe, spec, Protocol()) for probe in PROBES]
    said.append(feedback_text(1, verdict, 2, coarse=True))
    for protocol in (Protocol(feedback="coarse"), Protocol(p3_state="summary"), _COARSE_SUMMARY, *_CONTROLLED):
        said += [opening(probe, spec, protocol) for probe in PROBES]
    said += [isomorphic_opening(_isomorphic_spec(spec, form)) for form in FORMS]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _spec() -> Spec:
    slack = dict.fromkeys(_LIMITS, 1.0)
    metrics = {
        "resonant_freq_hz": 60.0,
        "freq_error_pct": 1.0,
        "load_power_uw": 10.0,
        "tip_stress_mpa": 1.0,
        "tip_disp_mm": 0.1,
    }
    return {
        "variable_bounds": {name: {"min": 0.0, "max": value} for name, value in _DESIGN.items()},
        "constraints": {**_LIMITS},
        "excitation": {"frequency_hz": 60.0, "acceleration_g": 0.5, "stated": [{"name": "a", "text": "b"}]},
        "materials": {"piezo": "PZT-5A", "substrate": "brass", "damping_ratio": 0.01},
        "notes": [{"name": "c", "text": "d"}],
        "query_budget": 6,
        "initial_design": _DESIGN,
        "history": [
            {
                "design": _DESIGN,
                "note": "e",
                "verdict": {
                    "feasible": False,
                    "power_uw": 10.0,
                    "slack": slack,
                    "violations": ["stress_limit_mpa"],
                    "metrics": metrics,
                },
            }
        ],
        "policy": "f",
        "profile": "g",
        "candidates": [{"id": "A", "design": _DESIGN, "metrics": metrics, "slack": slack}],
    }


def _isomorphic_spec(spec: Spec, form: Form) -> IsomorphicSpec:
    return {
        "question": "h",
        "variable_bounds": {name: {"min": 0.0, "max": value} for name, value in _DESIGN.items()},
        "constraints": {**_LIMITS},
        "excitation": spec["excitation"],
        "materials": spec["materials"],
        "notes": spec["notes"],
        "initial_design": _DESIGN if form == "generation" else None,
        "candidates": [{"id": "A", "design": _DESIGN}] if form == "selection" else [],
        "fixed": {**_DESIGN, "tip_mass_g": None} if form == "completion" else None,
    }
