"""Prompts: one template a probe, rendered from `spec` alone, and the verifier's feedback as the model reads it."""

from vehbench_hf.prompts.feedback import feedback_text, history_feedback_text, unjudged_text
from vehbench_hf.prompts.fingerprint import prompts_fingerprint
from vehbench_hf.prompts.render import opening, prompt_texts, retry_note

__all__ = [
    "feedback_text",
    "history_feedback_text",
    "opening",
    "prompt_texts",
    "prompts_fingerprint",
    "retry_note",
    "unjudged_text",
]
