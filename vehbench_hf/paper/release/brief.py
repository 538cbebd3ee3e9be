"""What every probe shows of a released row: box, limits, excitation, materials, notes, budget."""

from typing import Any

from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.paper.release.jsonl import Row, number
from vehbench_hf.types import Design, Spec, Stated
from vehbench_oracle import LIMITS, VARIABLES, Box


def common_spec(row: Row) -> Spec:
    """The spec of a released task without what belongs to P3 or P4 alone; what the row lacks is null.

    Raises KeyError, TypeError or ValueError for a row that has not the form of the release.
    """
    spec = empty_spec()
    for name in VARIABLES:
        box = row["variable_bounds"].get(name)
        spec["variable_bounds"][name] = None if box is None else Box(min=number(box["min"]), max=number(box["max"]))
    for limit in row["constraints"]:
        if limit["name"] not in LIMITS:
            raise ValueError(f"unknown limit {limit['name']!r}")
        spec["constraints"][limit["name"]] = number(limit["limit"])
    excitation = spec["excitation"]
    for name, value in row["excitation_context"].items():
        if name == "frequency_hz":
            excitation["frequency_hz"] = number(value)
        elif name == "acceleration_g":
            excitation["acceleration_g"] = number(value)
        else:
            excitation["stated"].append(Stated(name=name, text=_in_words(name, value)))
    spec["materials"]["piezo"] = row["environment_context"].get("piezo_material")
    spec["materials"]["substrate"] = row["environment_context"].get("substrate_material")
    spec["notes"] = [Stated(name=name, text=str(text)) for name, text in row.get("spec_context", {}).items()]
    spec["query_budget"] = int(row["query_budget"])
    return spec


def design_of(values: Row) -> Design:
    """The six design variables of a stored candidate. Raises KeyError or ValueError for an incomplete one."""
    return {name: number(values[name]) for name in VARIABLES}


def _in_words(name: str, value: Any) -> str:
    """Excitation that is no plain number in Hz or g: a frequency range, a description, a bare level."""
    if isinstance(value, list):
        low, high = (number(end) for end in value)
        return f"{low:g} to {high:g}" + (" Hz" if name.endswith("_hz") else "")
    return str(value)
