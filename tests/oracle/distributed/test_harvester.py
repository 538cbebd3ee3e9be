"""The oracle's designs as distributed beams: same names and units, and how far the two models lie apart."""

import ast
from pathlib import Path

import numpy as np
import pytest

from vehbench_oracle.errors import MissingVariableError
from vehbench_oracle.veh.cantilever import respond
from vehbench_oracle.veh.distributed import respond_distributed, respond_first_mode
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

DESIGN = {
    "beam_length_mm": 30.0,
    "beam_width_mm": 10.0,
    "substrate_thickness_um": 200.0,
    "piezo_thickness_um": 200.0,
    "tip_mass_g": 2.0,
    "load_resistance_ohm": 1e5,
}


def test_a_heavy_tip_mass_brings_the_two_models_together() -> None:
    design = {**DESIGN, "tip_mass_g": 50.0, "load_resistance_ohm": 1.0}
    hz = float(respond(design, frequency_hz=1.0, acceleration_g=1.0).resonant_freq_hz)
    lumped = respond(design, frequency_hz=hz, acceleration_g=0.01)
    beam = respond_distributed(design, frequency_hz=hz, acceleration_g=0.01)
    assert float(beam.resonant_freq_hz) == pytest.approx(hz, rel=1e-3)
    assert float(beam.tip_disp_mm) == pytest.approx(float(lumped.tip_disp_mm), rel=0.05)
    assert float(beam.tip_stress_mpa) == pytest.approx(float(lumped.tip_stress_mpa), rel=0.05)


def test_a_bare_beam_is_driven_more_strongly_than_the_oracle_says() -> None:
    """Each model at its own resonance: power 0.34 to 0.38 of the beam's, displacement 0.62, stress 0.53."""
    design = {**DESIGN, "tip_mass_g": 0.0}
    ratios = {}
    for name, model in (("lumped", respond), ("beam", respond_distributed)):
        hz = float(model(design, frequency_hz=1.0, acceleration_g=1.0).resonant_freq_hz)  # type: ignore[operator]
        loads = {**design, "load_resistance_ohm": np.geomspace(1e2, 1e7, 2001)}
        power = model(loads, frequency_hz=hz, acceleration_g=0.1).load_power_uw  # type: ignore[operator]
        short = model({**design, "load_resistance_ohm": 1.0}, frequency_hz=hz, acceleration_g=0.1)  # type: ignore[operator]
        ratios[name] = np.array([np.max(power), float(short.tip_disp_mm), float(short.tip_stress_mpa), hz])
    power_ratio, displacement, stress, frequency = ratios["lumped"] / ratios["beam"]
    assert 0.33 < power_ratio < 0.39
    assert displacement == pytest.approx(0.62, abs=0.01)
    assert stress == pytest.approx(0.53, abs=0.01)
    assert frequency == pytest.approx(1.0147, abs=1e-3)


def test_a_batch_is_the_designs_alone() -> None:
    batch = {**DESIGN, "tip_mass_g": np.array([0.0, 0.3, 5.0]), "load_resistance_ohm": np.array([1e3, 1e5, 1e6])}
    together = respond_distributed(batch, frequency_hz=100.0, acceleration_g=0.5)
    for i in range(3):
        alone = respond_distributed(
            {name: float(np.broadcast_to(value, 3)[i]) for name, value in batch.items()},
            frequency_hz=100.0,
            acceleration_g=0.5,
        )
        for name in vars(alone):
            assert float(getattr(together, name)[i]) == pytest.approx(float(getattr(alone, name)), rel=1e-9)


def test_the_first_mode_alone_is_near_three_modes_at_resonance() -> None:
    draw = np.random.default_rng(3)
    count = 5000  # more than one block
    low, high = np.array([10, 1, 50, 5, 0]), np.array([200, 50, 2000, 500, 20])
    values = draw.uniform(low, high, (count, 5)).T
    design = dict(zip(DESIGN, [*values, 10 ** draw.uniform(2, 7, count)], strict=True))
    design["tip_mass_g"] = design["tip_mass_g"] * draw.integers(0, 2, count)
    hz = respond_distributed(design, frequency_hz=1.0, acceleration_g=0.1).resonant_freq_hz
    three = respond_distributed(design, frequency_hz=hz, acceleration_g=0.1)
    first = respond_first_mode(design, frequency_hz=hz, acceleration_g=0.1)
    assert first["resonant_freq_hz"] == pytest.approx(three.resonant_freq_hz, rel=1e-6)
    assert first["load_power_uw"] == pytest.approx(three.load_power_uw, rel=0.02)
    assert first["tip_disp_mm"] == pytest.approx(three.tip_disp_mm, rel=0.03)
    assert first["tip_stress_mpa"] == pytest.approx(three.tip_stress_mpa, rel=0.05)


def test_bending_stresses_the_piezo_layer_less_than_the_substrate_by_the_root_of_the_moduli() -> None:
    for piezo, p in PIEZO.items():
        for substrate, s in SUBSTRATE.items():
            thick = np.geomspace(5, 500, 200)
            beam = respond_distributed(
                {**DESIGN, "piezo_thickness_um": thick, "load_resistance_ohm": 1e-3},
                frequency_hz=10.0,
                acceleration_g=0.5,
                piezo=piezo,
                substrate=substrate,
            )
            assert (
                np.max(beam.piezo_stress_mpa / beam.tip_stress_mpa)
                <= np.sqrt(p.youngs_modulus / s.youngs_modulus) + 1e-6
            )


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(MissingVariableError, match="tip_mass_g"):
        respond_distributed({**DESIGN, "tip_mass_g": None}, frequency_hz=10.0, acceleration_g=1.0)  # type: ignore[dict-item]


def test_nothing_that_scores_prompts_or_runs_an_episode_rests_on_the_distributed_beam() -> None:
    root = Path(__file__).resolve().parents[3]
    looked = 0
    for folder in ("vehbench_hf", "runners", "oracle/vehbench_oracle"):
        for file in (root / folder).rglob("*.py"):
            if "distributed" in file.parts:
                continue
            looked += 1
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
                assert not any("distributed" in name for name in names), file
    assert looked > 100
