"""The devices of the sample bank: geometry as their papers state it, and the scaling into the oracle's domain.

Each is a base-excited unimorph cantilever for which length, width, both thicknesses, tip mass and load were
found stated. The values were read in abstracts and in quotations of the papers, not in their full texts.
"""

from dataclasses import dataclass

from vehbench_hf.types import Anchor, Design, Split
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, respond

LENGTHS = ("beam_length_mm", "beam_width_mm", "substrate_thickness_um", "piezo_thickness_um")


@dataclass(frozen=True)
class Device:
    """One harvester of the literature. `stated` is in the order of `vehbench_oracle.VARIABLES`.

    `piezo` and `substrate` are the nearest materials of the oracle, `materials_stated` the paper's own words.
    """

    key: str
    doi: str
    title: str
    year: int
    split: Split
    stated: tuple[float, float, float, float, float, float]
    piezo: str
    substrate: str
    materials_stated: str

    @property
    def anchor(self) -> Anchor:
        """The reference to the paper in a dataset row."""
        return {
            "key": self.key,
            "doi": self.doi,
            "doi_released": None,
            "title": self.title,
            "year": self.year,
        }

    @property
    def scale(self) -> float:
        """The factor nearest to 1 that brings every length into the oracle's declared domain."""
        stated = dict(zip(VARIABLES, self.stated, strict=True))
        smallest = max(DECLARED_DOMAIN[name][0] / stated[name] for name in LENGTHS)
        largest = min(DECLARED_DOMAIN[name][1] / stated[name] for name in LENGTHS)
        if smallest > largest:
            raise ValueError(f"{self.key}: no scale brings all of {stated} into {DECLARED_DOMAIN}")
        return min(max(1.0, smallest), largest)

    @property
    def moving_beam_mass_g(self) -> float:
        """The share of the scaled beam's mass that moves with its tip, (A-8) without the tip mass."""
        response = respond(
            {**self.design, "tip_mass_g": 0.0},
            frequency_hz=1.0,
            acceleration_g=1.0,
            piezo=self.piezo,
            substrate=self.substrate,
        )
        return 1e3 * float(response.effective_mass_kg)

    @property
    def design(self) -> Design:
        """The device, scaled geometrically: lengths by the scale, tip mass by its cube, load unchanged."""
        k = self.scale
        factors = dict.fromkeys(LENGTHS, k) | {"tip_mass_g": k**3, "load_resistance_ohm": 1.0}
        stated = zip(VARIABLES, self.stated, strict=True)
        return {name: float(f"{value * factors[name]:.6g}") for name, value in stated}


DEVICES = (
    Device(
        key="takise-2017",
        doi="10.1049/mnl.2017.0128",
        title="Fabrication of piezoelectric vibration energy harvester using coatable PolyVinylidene "
        "DiFluoride and its characterisation",
        year=2017,
        split="dev",
        stated=(25.0, 15.0, 100.0, 30.0, 0.2, 2.1e6),
        piezo="PVDF",
        substrate="brass",
        materials_stated="coated PVDF on phosphor bronze",
    ),
    Device(
        key="peddigari-2019",
        doi="10.3390/s19092196",
        title="A Comparison Study of Fatigue Behavior of Hard and Soft Piezoelectric Single Crystal "
        "Macro-Fiber Composites for Vibration Energy Harvesting",
        year=2019,
        split="test_id",
        stated=(60.0, 20.0, 250.0, 200.0, 3.0, 47e3),
        piezo="MFC-M8528",
        substrate="titanium",
        materials_stated="single-crystal macro-fibre composite patch (28 x 14 mm) on a titanium alloy",
    ),
    Device(
        key="kanno-2010",
        doi="10.1109/memsys.2010.5442542",
        title="High efficiency energy harvester of transferred epitaxial PZT films on stainless steel sheets",
        year=2010,
        split="test_ood",
        stated=(20.0, 5.0, 50.0, 2.8, 0.0, 50e3),
        piezo="PZT-5A",
        substrate="stainless_steel",
        materials_stated="epitaxial PZT film on stainless steel",
    ),
    Device(
        key="tsujiura-2013",
        doi="10.1109/mhs.2013.6710467",
        title="Modeling of metal-based piezoelectric MEMS energy harvesters",
        year=2013,
        split="test_ood",
        stated=(10.0, 10.0, 50.0, 3.55, 0.48, 20e3),
        piezo="PZT-5A",
        substrate="stainless_steel",
        materials_stated="PZT film on stainless steel",
    ),
)
"""No device lies in two splits; the two of test_ood lie outside the oracle's domain and are scaled into it."""
