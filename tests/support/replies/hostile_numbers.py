"""Numbers, units and names of variables that a careless reader gets wrong, each with the one right reading.

What a case is stands here too. The base design is `DESIGN`.
"""

import json
from dataclasses import dataclass, field

DESIGN = {
    "beam_length_mm": 55.0,
    "beam_width_mm": 15.0,
    "substrate_thickness_um": 280.0,
    "piezo_thickness_um": 150.0,
    "tip_mass_g": 2.5,
    "load_resistance_ohm": 10000.0,
}
OTHER = {**DESIGN, "beam_length_mm": 66.0}
D, O = json.dumps(DESIGN), json.dumps(OTHER)  # noqa: E741


@dataclass(frozen=True)
class Case:
    """`action` None means unreadable. `says` must occur in the reason or in the repairs; empty means no repair at all.

    `change` is what the read design has other than `DESIGN`.
    """

    name: str
    probe: str
    reply: str
    action: str | None
    says: str = ""
    change: dict[str, float] = field(default_factory=dict)
    step: int | None = None
    ranking: str = ""


def propose(design: str, rest: str = "") -> str:
    return f'{{"action": "propose_design", "design": {design}{rest}}}'


def put(value: str, name: str = "beam_length_mm", key: str | None = None) -> str:
    """A P2 reply with one value of the design written as given."""
    parts = [f'"{key or n}": {value}' if n == name else f'"{n}": {v}' for n, v in DESIGN.items()]
    return propose("{" + ", ".join(parts) + "}")


def number(name: str, value: str, length: float | None, says: str) -> Case:
    """A P2 reply with the beam length written as given; a length of None means unreadable."""
    change = {} if length is None else {"beam_length_mm": length}
    return Case(name, "p2", put(value), None if length is None else "propose_design", says, change)


def variable(name: str, key: str, value: str, canonical: str, result: float | None, says: str) -> Case:
    change = {} if result is None else {canonical: result}
    return Case(name, "p2", put(value, canonical, key), None if result is None else "propose_design", says, change)


MICRO, MU, OHM, OMEGA = "\u00b5", "\u03bc", "\u2126", "\u03a9"

NUMBERS = [
    number("number plain", "55.0", 55.0, ""),
    number("number with exponent", "5.5e1", 55.0, ""),
    number("number NaN", "NaN", None, "finite"),
    number("number Infinity", "Infinity", None, "finite"),
    number("number -Infinity", "-Infinity", None, "finite"),
    number("number 1e400", "1e400", None, "finite"),
    number("number of 400 digits", "9" * 400, None, "finite"),
    number("number of 5000 digits", "-" + "9" * 5000, None, "finite"),
    number("number 1e308 is finite and left to the oracle", "1e308", 1e308, ""),
    number("number of a denormal", "5e-324", 5e-324, ""),
    number("number negative is left to the oracle", "-55", -55.0, ""),
    number("number zero is left to the oracle", "0", 0.0, ""),
    number("number true", "true", None, "true"),
    number("number null", "null", None, "null"),
    number("number in a list", "[55]", None, "a list"),
    number("number with a leading zero", "055", None, "not valid JSON"),
    number("number with a plus sign", "+55", None, "not valid JSON"),
    number("number hexadecimal", "0x37", None, "not valid JSON"),
    number("number with underscores", "5_5", None, "not valid JSON"),
    number("number unquoted with unit", "55 mm", None, "not valid JSON"),
    number("number as a formula", "50 + 5", None, "not valid JSON"),
    number("text number", '"55"', 55.0, "read '55' as 55 mm"),
    number("text 55 mm", '"55 mm"', 55.0, "read '55 mm' as 55 mm"),
    number("text without space", '"55mm"', 55.0, "as 55 mm"),
    number("text with no-break space", '"55\u00a0mm"', 55.0, "as 55 mm"),
    number("text with exponent and unit", '"5.5e1 mm"', 55.0, "as 55 mm"),
    number("text in cm", '"5.5 cm"', 55.0, "read '5.5 cm' as 55 mm"),
    number("text in m is rounded once", '"0.0573 m"', 57.3, "as 57.3 mm"),
    number("text in words of a unit", '"55 Millimeters"', 55.0, "as 55 mm"),
    number("text of the wrong dimension", '"55 g"', None, "got one with 'g'"),
    number("text of an unknown unit", '"55 furlongs"', None, "furlongs"),
    number("text in capital MM", '"55 MM"', None, "MM"),
    number("text with thousands separator", '"1,055"', None, "plain number"),
    number("text with thousands space", '"1 055"', None, "plain number"),
    number("text with decimal comma", '"55,5 mm"', None, "plain number"),
    number("text range", '"50-60"', None, "plain number"),
    number("text range with dash", '"50\u201360 mm"', None, "plain number"),
    number("text approximate", '"~55"', None, "plain number"),
    number("text about", '"about 55"', None, "plain number"),
    number("text with tolerance", '"55 \u00b1 2"', None, "plain number"),
    number("text less than", '"<55"', None, "plain number"),
    number("text word", '"fifty-five"', None, "plain number"),
    number("text empty", '""', None, "plain number"),
    number("text NaN", '"NaN"', None, "plain number"),
    number("text inf mm", '"inf mm"', None, "plain number"),
    number("text 1e400", '"1e400"', None, "finite"),
    number("text full-width digits", '"\uff15\uff15"', None, "plain number"),
    number("text keycap emoji digits", '"5\ufe0f\u20e35\ufe0f\u20e3"', None, "plain number"),
    number("text Arabic digits", '"\u0665\u0665"', None, "plain number"),
    number("text with NUL", '"55\\u0000"', None, "plain number"),
    number("text with RTL override", '"\u202e55"', None, "plain number"),
    number("text of a million digits", '"' + "9" * 1_000_000 + '"', None, "plain number"),
    number("value and unit", '{"value": 5.5, "unit": "cm"}', 55.0, "read '5.5 cm' as 55 mm"),
    number("value without unit", '{"value": 55}', 55.0, "as 55 mm"),
    number("value with unit of the wrong dimension", '{"value": 55, "unit": "kg"}', None, "kg"),
    number("value with contradictory units", '{"value": "5.5 cm", "unit": "mm"}', None, "at once"),
    number("value within value", '{"value": {"value": 55}}', None, "an object"),
    number("value range", '{"min": 50, "max": 60}', None, "an object"),
    variable("unit in the key m", "beam_length_m", "0.055", "beam_length_mm", 55.0, "0.055 in m as 55 mm"),
    variable("unit in the key kohm", "load_resistance_kohm", "47", "load_resistance_ohm", 47000.0, "as 47000 ohm"),
    variable("unit in the key kg", "tip_mass_kg", "0.0025", "tip_mass_g", 2.5, "as 2.5 g"),
    variable("key R_ohm", "R_ohm", "10000", "load_resistance_ohm", 10000.0, "'R_ohm'"),
    variable("key R_value", "R_value", "10000", "load_resistance_ohm", 10000.0, "'R_value'"),
    variable("key L_mm", "L_mm", "55", "beam_length_mm", 55.0, "'L_mm'"),
    variable("key length", "length", "55", "beam_length_mm", 55.0, "'length'"),
    variable("key with unit in brackets", "Beam Length (mm)", "55", "beam_length_mm", 55.0, "Beam Length (mm)"),
    variable("key of the wrong dimension", "beam_length_g", "55", "beam_length_mm", None, "lacks beam_length_mm"),
    variable("key of an unknown thickness", "thickness_um", "280", "substrate_thickness_um", None, "lacks"),
    variable("key of a million characters", "x" * 1_000_000, "55", "beam_length_mm", None, "lacks"),
    variable("key __proto__", "__proto__", "55", "beam_length_mm", None, "lacks beam_length_mm"),
    variable("unit in the value beats the key", "beam_length_m", '"5.5 cm"', "beam_length_mm", 55.0, "as 55 mm"),
    variable("text 10 kohm", "load_resistance_ohm", '"10 kohm"', "load_resistance_ohm", 1e4, "as 10000 ohm"),
    variable("text 10k ohm sign", "load_resistance_ohm", f'"10k{OHM}"', "load_resistance_ohm", 1e4, "as 10000 ohm"),
    variable("text 10k omega", "load_resistance_ohm", f'"10 k{OMEGA}"', "load_resistance_ohm", 1e4, "as 10000 ohm"),
    variable("text milli or mega", "load_resistance_ohm", '"1 mohm"', "load_resistance_ohm", None, "mohm"),
    variable("text 10,000", "load_resistance_ohm", '"10,000"', "load_resistance_ohm", None, "plain number"),
    variable("text micro sign", "piezo_thickness_um", f'"300 {MICRO}m"', "piezo_thickness_um", 300.0, "as 300 um"),
    variable("text Greek mu", "piezo_thickness_um", f'"300 {MU}m"', "piezo_thickness_um", 300.0, "as 300 um"),
    variable("text um", "piezo_thickness_um", '"300 um"', "piezo_thickness_um", 300.0, "as 300 um"),
    variable("text microns", "piezo_thickness_um", '"300 microns"', "piezo_thickness_um", 300.0, "as 300 um"),
    variable("text thickness in mm", "piezo_thickness_um", '"0.3 mm"', "piezo_thickness_um", 300.0, "as 300 um"),
    variable("text grams", "tip_mass_g", '"2 g"', "tip_mass_g", 2.0, "as 2 g"),
    variable("text kilograms", "tip_mass_g", '"0.002 kg"', "tip_mass_g", 2.0, "as 2 g"),
    variable("text milligrams", "tip_mass_g", '"500 mg"', "tip_mass_g", 0.5, "as 0.5 g"),
]
