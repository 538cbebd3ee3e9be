"""Completions of a brief that withholds something: the values it may turn out to have, and the verdict under each."""

from collections.abc import Sequence

from vehbench_builder.veh.p1.search import refutation
from vehbench_hf.types import Changes, Completion, Design, Spec
from vehbench_oracle import Box
from vehbench_oracle.veh.domain import problem_of_brief

LEAST_SLACK = 0.01
"""Share of every limit that a witness keeps in hand under every feasible completion."""


def changed(
    *,
    frequency_hz: float | None = None,
    acceleration_g: float | None = None,
    load_resistance_ohm: float | None = None,
    piezo: str | None = None,
    damping_ratio: float | None = None,
) -> Changes:
    """`Changes` with null for everything that is not given."""
    return {
        "frequency_hz": frequency_hz,
        "acceleration_g": acceleration_g,
        "load_resistance_ohm": load_resistance_ohm,
        "piezo": piezo,
        "damping_ratio": damping_ratio,
    }


def withheld(spec: Spec, *names: str) -> Spec:
    """The brief without some of frequency_hz, acceleration_g, load_resistance_ohm, piezo, damping_ratio."""
    excitation, materials = spec["excitation"], spec["materials"]
    return {
        **spec,
        "variable_bounds": {name: None if name in names else box for name, box in spec["variable_bounds"].items()},
        "excitation": {
            "frequency_hz": None if "frequency_hz" in names else excitation["frequency_hz"],
            "acceleration_g": None if "acceleration_g" in names else excitation["acceleration_g"],
            "stated": excitation["stated"],
        },
        "materials": {
            "piezo": None if "piezo" in names else materials["piezo"],
            "substrate": materials["substrate"],
            "damping_ratio": None if "damping_ratio" in names else materials["damping_ratio"],
        },
    }


def completed(spec: Spec, changes: Changes) -> Spec:
    """The brief with what a completion states; a load is given by bounds that coincide."""
    excitation, materials, load = spec["excitation"], spec["materials"], changes["load_resistance_ohm"]
    fixed = {} if load is None else {"load_resistance_ohm": Box(min=load, max=load)}
    return {
        **spec,
        "variable_bounds": {**spec["variable_bounds"], **fixed},
        "excitation": {
            "frequency_hz": _or(changes["frequency_hz"], excitation["frequency_hz"]),
            "acceleration_g": _or(changes["acceleration_g"], excitation["acceleration_g"]),
            "stated": excitation["stated"],
        },
        "materials": {
            "piezo": changes["piezo"] or materials["piezo"],
            "substrate": materials["substrate"],
            "damping_ratio": _or(changes["damping_ratio"], materials["damping_ratio"]),
        },
    }


def solved(spec: Spec, named: Sequence[tuple[str, Changes]], witness: Design) -> list[Completion] | None:
    """The completions, when one witness solves them all, else None.

    Where a completion fixes the load, that load takes the place of the witness's own.
    """
    completions: list[Completion] = []
    for name, changes in named:
        load = changes["load_resistance_ohm"]
        design = witness if load is None else {**witness, "load_resistance_ohm": load}
        if problem_of_brief(completed(spec, changes)).least_slack(design) < LEAST_SLACK:
            return None
        completions.append({"name": name, "changes": changes, "feasible": True, "witness": design, "certificate": None})
    return completions


def refuted(spec: Spec, name: str, changes: Changes) -> Completion | None:
    """A completion under which no design meets the brief, nor a somewhat lower target; None without a proof."""
    proof = refutation(completed(spec, changes))
    if proof is None:
        return None
    return {"name": name, "changes": changes, "feasible": False, "witness": None, "certificate": proof}


def _or(value: float | None, otherwise: float | None) -> float | None:
    return otherwise if value is None else value
