"""What the notes of P3 histories say: per type the wordings of each step, with what must be false and true of them.

A wording is used only where every sentence in `false` is plainly false, and every sentence in `true` plainly true, of
the verdicts shown at and before its step. The sentences are those of `p3_claims`; {metric} and {limit} stand for the
secondary limit and what it bounds. Texts may name, at the digits a person writes:

- {fe} excitation in Hz, {target} power target in uW, {eta} frequency limit in %, {slim} secondary limit with its unit
- the reading before the step: {f} resonance in Hz, {rad} the same over 2 pi, {e} frequency error in %, {P} power in uW,
  {s} what the secondary limit bounds; {quantity} is its name
- {ratio} length over substrate thickness of the step, {last_ratio} of the one before
- the words of the move from `MOVES`, capitalized where the name is
"""

from typing import NamedTuple

BELOW, ABOVE = "resonant_freq_hz < frequency_hz", "resonant_freq_hz > frequency_hz"
WAS_BELOW, WAS_ABOVE = f"previous {BELOW}", f"previous {ABOVE}"
RISES, FALLS = "resonant_freq_hz > previous resonant_freq_hz", "resonant_freq_hz < previous resonant_freq_hz"
CLOSER, FARTHER = "freq_error_pct < previous freq_error_pct", "freq_error_pct > previous freq_error_pct"
IN_TUNE, DETUNED = "freq_error_pct <= freq_error_pct_limit", "freq_error_pct > freq_error_pct_limit"
WAS_IN_TUNE, WAS_DETUNED = f"previous {IN_TUNE}", f"previous {DETUNED}"
STRONGER, WEAKER = "load_power_uw > previous load_power_uw", "load_power_uw < previous load_power_uw"
STRONG, WEAK = "load_power_uw >= power_target_uw", "load_power_uw < power_target_uw"
WAS_STRONG, WAS_WEAK = f"previous {STRONG}", f"previous {WEAK}"
KEPT, BROKEN = "{metric} <= {limit}", "{metric} > {limit}"
WAS_KEPT, WAS_BROKEN = f"previous {KEPT}", f"previous {BROKEN}"
EASES, GROWS = "{metric} < previous {metric}", "{metric} > previous {metric}"
MISSED = (DETUNED, WEAK)
"""What sentences of `p3_claims` say about a step."""


class Wording(NamedTuple):
    """A note, what it asserts wrongly, and what it reports rightly."""

    text: str
    false: tuple[str, ...]
    true: tuple[str, ...] = ()


class Story(NamedTuple):
    """What the verifier shows at every step, from the second on, and at the last; and the wordings of each step."""

    every: tuple[str, ...]
    later: tuple[str, ...]
    last: tuple[str, ...]
    notes: tuple[tuple[Wording, ...], ...]


MOVES: dict[tuple[str, int], dict[str, str]] = {
    ("beam_length_mm", -1): {
        "do": "shorten the beam",
        "doing": "shortening the beam",
        "result": "a shorter beam",
        "pair": "shorter and thinner",
    },
    ("beam_length_mm", +1): {
        "do": "lengthen the beam",
        "doing": "lengthening the beam",
        "result": "a longer beam",
        "pair": "longer and thicker",
        "rule": "the longer the beam, the higher its resonance",
    },
    ("substrate_thickness_um", +1): {
        "do": "thicken the substrate",
        "doing": "thickening the substrate",
        "result": "a thicker substrate",
    },
    ("substrate_thickness_um", -1): {
        "do": "thin the substrate",
        "doing": "thinning the substrate",
        "result": "a thinner substrate",
        "gain": "a thinner substrate bends more and so yields more power",
    },
    ("piezo_thickness_um", +1): {
        "do": "thicken the piezo layer",
        "doing": "thickening the piezo layer",
        "result": "a thicker piezo layer",
        "gain": "more piezo material yields more power",
    },
    ("tip_mass_g", +1): {
        "do": "add tip mass",
        "doing": "adding tip mass",
        "result": "a heavier tip",
        "rule": "the heavier the tip, the higher the resonance",
    },
}
"""Words for a variable that goes up or down."""
