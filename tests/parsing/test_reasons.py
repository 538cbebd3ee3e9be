"""The reasons of the parser: the fixed replies that stand for them in the prompts' fingerprint."""

import ast
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import vehbench_hf.parsing
from vehbench_hf.parsing.reasons import reasons
from vehbench_oracle.veh.quantities import VARIABLES

FOLDER = Path(vehbench_hf.parsing.__file__).parent


def places_of_refusal() -> set[tuple[str, int]]:
    """File and line of every `raise UnreadableReply(..)` of the parser."""
    places = set()
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and ast.unparse(node).startswith("raise UnreadableReply("):
                places.add((file.name, node.lineno))
    return places


def test_the_fixed_replies_meet_every_place_where_the_parser_refuses_one() -> None:
    met: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        file = Path(frame.f_code.co_filename)
        if file.parent != FOLDER:
            return None
        met.add((file.name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        said = reasons(VARIABLES)
    finally:
        sys.settrace(before)
    assert len(said) > 30
    assert places_of_refusal() - met == set()


def test_reasons_name_the_variables_of_the_brief() -> None:
    two = {name: VARIABLES[name] for name in ("beam_length_mm", "tip_mass_g")}
    assert any("all two variables are needed" in reason for reason in reasons(two))
    one = {"tip_mass_g": VARIABLES["tip_mass_g"]}
    assert any("with the one variable" in reason for reason in reasons(one))
