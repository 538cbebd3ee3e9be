"""Numbers with and without units, read only where there is no doubt about them."""

import math
import re
from typing import TypeGuard

from vehbench_hf.parsing.unreadable import UnreadableReply, quoted

_POWERS: dict[str, dict[int, str]] = {
    "length": {
        0: "m meter meters metre metres",
        -2: "cm centimeter centimeters centimetre centimetres",
        -3: "mm millimeter millimeters millimetre millimetres",
        -6: "um \u00b5m \u03bcm micron microns micrometer micrometers micrometre micrometres",
        -9: "nm nanometer nanometers nanometre nanometres",
    },
    "mass": {
        0: "kg kilogram kilograms",
        -3: "g gram grams",
        -6: "mg milligram milligrams",
        -9: "ug \u00b5g \u03bcg microgram micrograms",
    },
    "resistance": {
        0: "ohm ohms Ohm Ohms \u03a9 \u2126",
        3: "k kohm kohms kOhm kOhms Kohm KOhm k\u03a9 k\u2126 K\u03a9 K\u2126 kiloohm kiloohms kilo-ohm",
        6: "M Mohm Mohms MOhm MOhms M\u03a9 M\u2126 megaohm megaohms mega-ohm megohm megohms",
    },
    "voltage": {
        3: "kV kilovolt kilovolts",
        0: "V volt volts",
        -3: "mV millivolt millivolts",
        -6: "uV \u00b5V \u03bcV microvolt microvolts",
    },
    "current": {
        0: "A amp amps ampere amperes",
        -3: "mA milliamp milliamps milliampere milliamperes",
        -6: "uA \u00b5A \u03bcA microamp microamps microampere microamperes",
        -9: "nA nanoamp nanoamps nanoampere nanoamperes",
    },
    "capacitance": {
        0: "F farad farads",
        -3: "mF millifarad millifarads",
        -6: "uF \u00b5F \u03bcF microfarad microfarads",
        -9: "nF nanofarad nanofarads",
        -12: "pF picofarad picofarads",
    },
    "inductance": {
        0: "H henry henries henrys",
        -3: "mH millihenry millihenries millihenrys",
        -6: "uH \u00b5H \u03bcH microhenry microhenries microhenrys",
        -9: "nH nanohenry nanohenries nanohenrys",
    },
    "frequency": {
        0: "Hz hertz",
        3: "kHz kilohertz",
        6: "MHz megahertz",
        9: "GHz gigahertz",
    },
    "number": {0: "1"},
}
# "mohm" is absent on purpose: it may mean milli or mega.

UNITS: dict[str, tuple[str, int]] = {
    name: (dimension, power)
    for dimension, powers in _POWERS.items()
    for power, names in powers.items()
    for name in names.split()
}
"""Unit -> dimension and power of ten of the SI unit, with both micro signs and both ohm signs of Unicode."""

_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]{1,5}))?(?![0-9])\s*(.*)")
_LONGEST = 60  # characters of a number with its unit


def unit_of(text: str, dimension: str) -> str | None:
    """The unit of this dimension that a text names. Long names in any case, short ones as they are."""
    for name in (text, text.lower()) if len(text) > 3 else (text,):
        if UNITS.get(name, ("", 0))[0] == dimension:
            return name
    return None


def read_quantity(value: object, name: str, unit: str, given: str) -> tuple[float, str | None]:
    """The finite number that `value` stands for, in `unit`, and a note when it had to be interpreted.

    A bare number is meant in the unit `given`; a unit beside the number goes before it. Accepted are numbers,
    texts ("55", "5.5e1 mm", "5.5 cm") and {"value": 55, "unit": "mm"}. Conversions are powers of ten,
    correctly rounded. Raises UnreadableReply for everything else: ranges, thousands separators, unknown
    units, the wrong dimension, NaN.
    """
    number, stated = _with_unit(value, name, unit)
    result = _scaled(number, UNITS[stated or given][1] - UNITS[unit][1])
    if not math.isfinite(result):
        raise UnreadableReply(f"{name} must be a finite number in {unit}, got {quoted(value)}")
    if stated or given != unit or not _is_number(value):
        return result, f"read {_written(value, given if given != unit else None)} as {result:.12g} {unit}"
    return result, None


def _with_unit(value: object, name: str, unit: str) -> tuple[int | float | str, str | None]:
    """The number, still as it was written, and the unit stated beside it."""
    if isinstance(value, dict):
        if "value" in value and value.keys() <= {"value", "unit"} and not isinstance(value["value"], dict):
            number, stated = _with_unit(value["value"], name, unit)
            beside = _unit(value["unit"], name, unit) if "unit" in value else None
            if stated and beside and UNITS[stated] != UNITS[beside]:
                raise UnreadableReply(f"{name} is given in {stated} and in {beside} at once")
            return number, stated or beside
    elif isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip()) if len(value) <= _LONGEST else None
        if match:
            stated = _unit(match[3].strip(), name, unit) if match[3] else None
            return f"{match[1]}e{match[2] or 0}", stated
    elif _is_number(value):
        return value, None
    raise UnreadableReply(f"{name} must be a plain number in {unit}, got {quoted(value)}")


def _unit(text: object, name: str, unit: str) -> str:
    stated = unit_of(text.strip(), UNITS[unit][0]) if isinstance(text, str) else None
    if stated is None:
        raise UnreadableReply(f"{name} must be a plain number in {unit}, got one with {quoted(text)}")
    return stated


def _scaled(number: int | float | str, power: int) -> float:
    """number * 10**power, rounded once: the power goes into the decimal exponent of the text."""
    if power == 0 or (not isinstance(number, str) and not math.isfinite(number)):
        return float(number)
    mantissa, _, exponent = (number if isinstance(number, str) else repr(float(number))).partition("e")
    return float(f"{mantissa}e{int(exponent or 0) + power}")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _written(value: object, given: str | None) -> str:
    if isinstance(value, dict):
        value = f"{value['value']} {value.get('unit', '')}".strip()
    return f"{quoted(value)} in {given}" if given else quoted(value)
