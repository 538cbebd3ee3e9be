"""Prompts: one template a probe, rendered from `spec` alone, and the verifier's feedback as the model reads it."""

from vehbench_hf.prompts.feedback import feedback_text, history_feedback_text, unjudged_text
from vehbench_hf.prompts.fingerprint import prompts_fingerprint
from vehbench_hf.prompts.isomorphic import isomorphic_opening
from vehbench_hf.prompts.render import opening, retry_note
from vehbench_hf.prompts.templates import prompt_texts

__all__ = [
    "feedback_text",
    "history_feedback_text",
    "isomorphic_opening",
    "opening",
    "prompt_texts",
    "prompts_fingerprint",
    "retry_note",
    "unjudged_text",
]
