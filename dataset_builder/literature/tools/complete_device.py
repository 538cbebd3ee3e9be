"""From what a paper reports to a complete device with a status, a rule and a kind of evidence for every field.

The rules, in the order in which they apply: materials of the oracle; values as reported or derived; a bimorph becomes
the unimorph of equal bending stiffness; one unknown thickness follows from the reported resonance; a missing tip mass
too for class A and is 0 for class B; a missing load is the best one at resonance.
"""

from dataclasses import dataclass
from typing import Literal

from literature.tools.complete_beam import equal_unimorph_um, thickness_for, tip_mass_for
from literature.tools.literature_tables import Literature, LiteratureError, Reported, Selected
from literature.tools.match_material import Material, piezo_for, substrate_for
from vehbench_builder.veh.beam import optimum_load_ohm
from vehbench_hf.types import Design
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES

Status = Literal["reported", "converted", "completed", "nearest"]
STATUSES: tuple[Status, ...] = ("reported", "converted", "completed", "nearest")

UNRECORDED = "unrecorded"
"""Evidence of a word (a material, the layers): read in an abstract or a quotation, which one was not noted."""

LARGEST_TIP_MASS_G = DECLARED_DOMAIN["tip_mass_g"][1]


@dataclass(frozen=True)
class Field:
    """One field: the value in use, what the paper states (empty if nothing was seen), and how one became the other."""

    name: str
    unit: str
    value: float | str
    stated: str
    status: Status
    rule: str
    evidence: str


@dataclass(frozen=True)
class Original:
    """A complete device before any scaling. `paper_frequency_hz` is None where the paper's is not the beam's."""

    design: Design
    piezo: str
    substrate: str
    paper_frequency_hz: float | None
    acceleration_g: float | None
    fields: tuple[Field, ...]


def original_of(selected: Selected, literature: Literature) -> Original:
    """Apply the rules of this module to one selected device.

    Raises LiteratureError for a device that they do not complete.
    """
    paper = literature.reported[selected.key]
    layers = _layers(paper)
    piezo, substrate = piezo_for(paper.piezo_material), substrate_for(paper.substrate_material, str(layers.value))
    names = (piezo.name, substrate.name)
    stated = {name: _stated(paper, literature, name) for name in VARIABLES}
    known = {name: field for name, field in stated.items() if field is not None}
    if layers.value == "bimorph" and "piezo_thickness_um" in known:
        known["piezo_thickness_um"] = _as_unimorph(known, selected.key, literature, *names)
    frequency = _stated(paper, literature, "resonance_hz") if selected.own_frequency else None
    acceleration = _stated(paper, literature, "acceleration_g")
    known |= _completed(known, selected, frequency, *names)
    fields = (
        *(known[name] for name in VARIABLES),
        layers,
        _material("piezo_material", piezo, paper.piezo_material),
        _material("substrate_material", substrate, paper.substrate_material),
        *(field for field in (frequency, acceleration) if field is not None),
    )
    return Original(
        design=_design(known),
        piezo=piezo.name,
        substrate=substrate.name,
        paper_frequency_hz=None if frequency is None else float(frequency.value),
        acceleration_g=None if acceleration is None else float(acceleration.value),
        fields=fields,
    )


def _layers(paper: Reported) -> Field:
    if paper.layers:
        return Field("layers", "", paper.layers, paper.layers, "reported", "as stated", UNRECORDED)
    return Field("layers", "", "unimorph", "", "completed", "no second piezo layer is mentioned: a unimorph", "none")


def _material(name: str, material: Material, stated: str) -> Field:
    return Field(name, "", material.name, stated, material.status, material.rule, UNRECORDED if stated else "none")


def _stated(paper: Reported, literature: Literature, name: str) -> Field | None:
    """The field as the paper states it or as it follows from other stated values; None if neither was seen."""
    derived = literature.derived.get((paper.key, name))
    unit = VARIABLES[name].unit if name in VARIABLES else {"resonance_hz": "Hz", "acceleration_g": "g"}[name]
    if derived is not None:
        return Field(
            name, unit, _evaluate(derived.rule, derived.inputs), derived.words, "converted", derived.words, derived.kind
        )
    value = paper.values.get(name)
    if value is None:
        return None
    return Field(
        name, unit, value, f"{value:.12g}", "reported", "as stated", literature.kind_of(paper.key, name, value)
    )


def _evaluate(rule: str, inputs: tuple[float, ...]) -> float:
    match rule, inputs:
        case "block", (length_mm, width_mm, height_mm, density_g_cm3):
            return length_mm * width_mm * height_mm * density_g_cm3 / 1000
        case "difference", (whole, part):
            return whole - part
        case "half_difference", (whole, part):
            return (whole - part) / 2
        case "midpoint" | "layer_pair", (low, high):
            return (low + high) / 2
        case "stack", (count, one):
            return count * one
    raise LiteratureError(f"derived.csv: no rule {rule!r} for {len(inputs)} inputs.")


def _as_unimorph(known: dict[str, Field], key: str, literature: Literature, piezo: str, substrate: str) -> Field:
    layer = known["piezo_thickness_um"]
    derived = literature.derived.get((key, "piezo_thickness_um"))
    bottom = top = float(layer.value)
    if derived is not None and derived.rule == "layer_pair":
        bottom, top = derived.inputs
    value = equal_unimorph_um(
        bottom, float(known["substrate_thickness_um"].value), top, piezo=piezo, substrate=substrate
    )
    per_layer = "" if layer.status == "reported" else f" ({layer.rule})"
    rule = f"unimorph of equal bending stiffness on the same substrate, from one layer on each face{per_layer}"
    return Field(layer.name, layer.unit, value, layer.stated, "converted", rule, layer.evidence)


def _completed(
    known: dict[str, Field], selected: Selected, frequency: Field | None, piezo: str, substrate: str
) -> dict[str, Field]:
    """The fields that were not seen: a thickness, the tip mass, the load."""
    design, new = _design(known), {}
    missing = [name for name in VARIABLES if name not in known]
    base_excited = selected.device_class.startswith("A")
    hz = None if frequency is None else float(frequency.value)
    for name in missing:
        unit = VARIABLES[name].unit
        if name.endswith("thickness_um") and hz is not None and "tip_mass_g" in known:
            value = thickness_for(design, name, hz, piezo, substrate)
            rule = "the thickness with which the oracle has the reported resonance"
        elif name == "tip_mass_g" and not base_excited:
            value, rule = 0.0, "no value seen, class B: none"
        elif name == "tip_mass_g" and hz is not None:
            value, rule = _limited(tip_mass_for(design, hz, piezo, substrate))
        elif name == "load_resistance_ohm":
            value = optimum_load_ohm(design, piezo, substrate)
            rule = "the load that draws most power at resonance"
        else:
            value, rule = None, ""
        if value is None:
            raise LiteratureError(f"{selected.key}: {name} was not seen and no rule completes it; select another.")
        design[name] = value
        new[name] = Field(name, unit, value, "", "completed", rule, "none")
    return new


def _limited(tip_mass_g: float) -> tuple[float, str]:
    rule = "m_t = 3EI/(L^3 w^2) - 0.2357 m_b from the reported resonance"
    if tip_mass_g < 0:
        return 0.0, f"{rule}; negative, so 0"
    if tip_mass_g > LARGEST_TIP_MASS_G:
        return LARGEST_TIP_MASS_G, f"{rule}; {tip_mass_g:.4g} g, so the limit of {LARGEST_TIP_MASS_G:g} g"
    return tip_mass_g, rule


def _design(known: dict[str, Field]) -> Design:
    return {name: float(known[name].value) for name in VARIABLES if name in known}
