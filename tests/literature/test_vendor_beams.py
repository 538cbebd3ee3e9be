"""The vendor's beams: what was copied from the data sheet, and what docs/physics.md says of it."""

import csv
from pathlib import Path

import pytest

from literature.tools.vendor_beams import TABLE, table, vendor_beams
from vehbench_oracle.veh.distributed import modes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "physics.md"


def test_the_table_holds_the_96_measured_points() -> None:
    rows = list(csv.DictReader(TABLE.open(encoding="utf-8")))
    assert len(rows) == 96
    assert len({(row["device"], row["tip_mass_g"], row["acceleration_g"]) for row in rows}) == 96
    for device in {row["device"] for row in rows}:
        masses = {float(row["tip_mass_g"]): float(row["frequency_hz"]) for row in rows if row["device"] == device}
        assert list(masses.values()) == sorted(masses.values(), reverse=True)


def test_the_identified_beams_have_the_two_resonances_that_identified_them() -> None:
    for beam in vendor_beams():
        unit = beam.bending_stiffness_n_m2 / (1e-3 * beam.beam_mass_g)
        bare, first = modes(0.0, 1).eigenvalue[0], modes(beam.tip_masses_g[0] / beam.beam_mass_g, 1).eigenvalue[0]
        assert unit > 0
        assert first < bare
        assert beam.predicted_hz[0] > beam.predicted_hz[1]


def test_two_thirds_of_the_predicted_resonances_are_within_8_percent_of_the_stated_ones() -> None:
    errors = [abs(error) for beam in vendor_beams() for error in beam.errors]
    assert len(errors) == 12
    assert sorted(errors)[7] < 0.08
    assert max(errors) < 0.25


def test_the_page_shows_the_table_that_the_command_prints() -> None:
    shown = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| V2")]
    assert shown == table().splitlines()[2:]


@pytest.mark.parametrize("word", ["rectifier", "5 Hz", "point mass"])
def test_the_page_says_what_cannot_be_compared(word: str) -> None:
    assert word in PAGE.read_text(encoding="utf-8")
