"""The control blocks of appendix Q of the paper: instructions that stand before the usual ones. Wording is ours."""

from vehbench_hf.parsing.unreadable import number_word
from vehbench_hf.prompts.templates import rendered
from vehbench_hf.protocol import Control
from vehbench_hf.types import Probe

_ANOTHER: dict[Probe, Probe] = {"p1": "p4", "p2": "p4", "p3": "p4", "p4": "p2"}
"""Whose block a probe gets under "wrong-boundary". The paper does not say which one P3 got."""


def control_block(probe: Probe, control: Control, variables: int) -> str:
    """The block of a probe with a blank line after it; empty where the control adds none.

    `variables` is how many variables a design has.
    """
    name = _file(probe, control)
    if name is None:
        return ""
    return rendered(name, others=number_word(variables - 1)).strip() + "\n\n"


def _file(probe: Probe, control: Control) -> str | None:
    if control == "none" or (control == "summary+targeted" and probe != "p3"):
        return None
    if control == "neutral":
        return "control_neutral.md.j2"
    return f"control_{_ANOTHER[probe] if control == 'wrong-boundary' else probe}.md.j2"
