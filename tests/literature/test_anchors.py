"""The anchors must follow from the tables by the rules, keep the splits apart and hide nothing that was made up."""

import csv
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from literature.tools.complete_device import STATUSES
from literature.tools.literature_tables import (
    FOLDER,
    Literature,
    LiteratureError,
    normalised_doi,
    read_literature,
)
from literature.tools.make_anchors import build
from literature.tools.match_material import CONSTANTS, nearest_substrate, piezo_for, substrate_for
from literature.tools.similarity import LENGTHS
from vehbench_builder.veh.anchors import ANCHORS, PROVENANCE, AnchorDesign, load_anchors, read_provenance
from vehbench_builder.veh.oracle_against_papers import POWERS
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, respond
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE, Substrate

TWINS = {"10_1541_ieejsmas_137_140", "10_1109_transducers_2013_6626806", "10_1515_teme_2020_0030"}
EARLIER = Path(__file__).with_name("anchors_computed_earlier.csv")


@pytest.fixture(scope="module")
def literature() -> Literature:
    return read_literature()


@pytest.fixture(scope="module")
def provenance() -> list[dict[str, str]]:
    return read_provenance()


def across_splits() -> list[tuple[AnchorDesign, AnchorDesign]]:
    return [(a, b) for a, b in combinations(load_anchors(), 2) if a.split != b.split]


def test_the_committed_files_are_what_the_tables_give(literature: Literature) -> None:
    assert build(literature) == tuple(path.read_bytes().decode() for path in (ANCHORS, PROVENANCE, POWERS))


def test_every_split_has_its_size_and_side_of_the_domain() -> None:
    anchors = load_anchors()
    assert Counter(a.split for a in anchors) == {"dev": 16, "test_id": 10, "test_ood": 26}
    for a in anchors:
        assert a.inside_domain == (a.split != "test_ood"), a.key
        beyond = {n for n, (low, high) in DECLARED_DOMAIN.items() if not low <= a.original[n] <= high}
        assert set(a.outside) == beyond, a.key


def test_no_paper_or_device_is_in_two_splits(literature: Literature) -> None:
    for a, b in across_splits():
        assert a.doi != b.doi
        assert literature.reported[a.key].device != literature.reported[b.key].device, (a.key, b.key)
    keys = {a.key: a for a in load_anchors()}
    assert not TWINS & set(keys)
    assert keys["smasis10"].split == keys["10_7779_jksnt_2012_32_6_661"].split
    devices = [literature.reported[key].device for key in keys if literature.reported[key].device != key]
    assert set(devices) == {"commercial_bender_50.8x31.8"}


@pytest.mark.parametrize("which", ["design", "original"])
def test_no_two_splits_share_a_geometry(which: str) -> None:
    for a, b in across_splits():
        x, y = getattr(a, which), getattr(b, which)
        assert max(abs(x[n] - y[n]) / max(x[n], y[n]) for n in LENGTHS) > 0.10, (a.key, b.key)


def test_every_design_is_in_the_domain_and_the_scaled_original() -> None:
    for a in load_anchors():
        factors = dict.fromkeys(LENGTHS, a.kappa) | {"tip_mass_g": a.kappa**3, "load_resistance_ohm": 1.0}
        for name, (low, high) in DECLARED_DOMAIN.items():
            assert low <= a.design[name] <= high, (a.key, name)
            scaled = a.original[name] * factors[name]
            if name in a.clipped:
                assert a.design[name] in (low, high)
                assert a.design[name] != pytest.approx(scaled, rel=1e-9)
            else:
                assert a.design[name] == pytest.approx(scaled, rel=1e-10), (a.key, name)
        assert (a.kappa == 1) or not a.inside_domain


def test_every_stored_resonance_is_the_oracles_and_admitted() -> None:
    for a in load_anchors():
        for design, stored in ((a.design, a.resonance_hz), (a.original, a.original_resonance_hz)):
            probed = respond(design, frequency_hz=1.0, acceleration_g=1.0, piezo=a.piezo, substrate=a.substrate)
            assert float(probed.resonant_freq_hz) == pytest.approx(stored, rel=1e-10), a.key
            assert 2 <= stored <= 2000, a.key
        assert a.piezo in PIEZO
        assert a.substrate in SUBSTRATE


def test_every_doi_is_well_formed_and_used_once(literature: Literature) -> None:
    dois = [a.doi for a in load_anchors()]
    assert len(set(dois)) == len(dois)
    for doi in dois:
        assert doi
        assert normalised_doi(doi) == doi
    screened = [p.doi for p in literature.screened if p.doi]
    assert len(set(screened)) == len(screened)
    kept = {p.doi for p in literature.screened if p.kept}
    assert kept == {r.doi for r in literature.reported.values()}
    assert normalised_doi("https://doi.org/10.1088/1361-665X/AB36E4") == "10.1088/1361-665x/ab36e4"
    with pytest.raises(LiteratureError, match="no DOI"):
        normalised_doi("10.1016-j.sna")


def test_every_released_identifier_is_attached_to_its_paper(literature: Literature) -> None:
    for a in load_anchors():
        listed = literature.reported[a.key].check != ""
        assert (a.doi_released is not None) == listed, a.key
        if a.doi_released is not None:
            assert re.sub(r"\W|_", "", a.doi_released.lower()) == re.sub(r"\W|_", "", a.doi)
        assert a.anchor["doi"] == a.doi


def test_every_field_has_its_status_rule_and_line(provenance: list[dict[str, str]]) -> None:
    lines = {(r["key"], r["field"]): r for r in provenance}
    assert len(lines) == len(provenance)
    for a in load_anchors():
        for name in (*VARIABLES, "layers", "piezo_material", "substrate_material"):
            assert (a.key, name) in lines
        for name in VARIABLES:
            assert float(lines[a.key, name]["value"]) == a.original[name]
            assert float(lines[a.key, name]["projected_value"]) == a.design[name]
            assert (lines[a.key, name]["clipped"] == "yes") == (name in a.clipped)
        assert lines[a.key, "piezo_material"]["value"] == a.piezo
        assert lines[a.key, "substrate_material"]["value"] == a.substrate
        assert ((a.key, "resonance_hz") in lines) == (a.paper_frequency_hz is not None)
        assert ((a.key, "acceleration_g") in lines) == (a.acceleration_g is not None)
    for r in provenance:
        assert r["status"] in STATUSES
        assert r["rule"]
        assert (r["evidence"] == "none") == (r["status"] == "completed" and not r["stated"]), r


def test_every_reported_value_was_read_somewhere(literature: Literature, provenance: list[dict[str, str]]) -> None:
    seen = {(e.key, e.field, e.value): e.kind for e in literature.evidence}
    for r in provenance:
        if r["status"] != "reported":
            continue
        if r["unit"]:
            assert seen[r["key"], r["field"], float(r["value"])] == r["evidence"]
            assert r["evidence"] in ("abstract", "quotation", "secondary")
        else:
            assert r["stated"]
            assert r["evidence"] == "unrecorded"


def test_evidence_says_the_value_of_the_table(literature: Literature) -> None:
    for paper in literature.reported.values():
        for field, value in paper.values.items():
            if (paper.key, field) not in literature.derived:
                assert literature.kind_of(paper.key, field, value) != "none"


def test_class_b_lends_only_geometry_and_class_a_meets_its_frequency(provenance: list[dict[str, str]]) -> None:
    anchors = {a.key: a for a in load_anchors()}
    masses = [r for r in provenance if r["field"] == "tip_mass_g" and r["status"] == "completed"]
    assert {anchors[r["key"]].device_class[0] for r in masses} == {"A", "B"}
    for r in masses:
        a, mass = anchors[r["key"]], float(r["value"])
        if a.device_class.startswith("B"):
            assert mass == 0
            continue
        assert a.paper_frequency_hz is not None
        ratio = a.original_resonance_hz / a.paper_frequency_hz
        if mass == 0:
            assert ratio < 1  # a mass would only make it slower
        elif mass == 20:
            assert ratio > 1
        else:
            assert ratio == pytest.approx(1, rel=1e-9)


def test_a_solved_thickness_is_the_only_solution(provenance: list[dict[str, str]]) -> None:
    anchors = {a.key: a for a in load_anchors()}
    solved = [r for r in provenance if r["field"].endswith("thickness_um") and r["status"] == "completed"]
    assert solved
    for r in solved:
        a = anchors[r["key"]]
        assert a.original_resonance_hz == pytest.approx(a.paper_frequency_hz, rel=1e-9)
        thicknesses = [0.1 * 1.05**i for i in range(236)]
        f = respond(
            {**a.original, r["field"]: thicknesses},
            frequency_hz=1.0,
            acceleration_g=1.0,
            piezo=a.piezo,
            substrate=a.substrate,
        ).resonant_freq_hz
        crossings = (f[:-1] < a.paper_frequency_hz) != (f[1:] < a.paper_frequency_hz)
        assert crossings.sum() == 1, a.key


def test_the_nearest_substrate_does_not_hang_on_the_digits_of_a_handbook() -> None:
    for name, material in CONSTANTS.items():
        chosen = nearest_substrate(material)
        for e in (0.95, 1.0, 1.05):
            for rho in (0.95, 1.0, 1.05):
                varied = Substrate(e * material.youngs_modulus, rho * material.density)
                assert nearest_substrate(varied) == chosen, name
    for name, material in SUBSTRATE.items():
        assert nearest_substrate(material) == name


def test_a_missing_material_gets_a_default_and_an_unknown_one_is_refused() -> None:
    assert substrate_for("", "unimorph")[:2] == ("stainless_steel", "completed")
    assert substrate_for("", "bimorph")[:2] == ("brass", "completed")
    assert piezo_for("")[:2] == ("PZT-5A", "completed")
    with pytest.raises(LiteratureError, match="unobtainium"):
        substrate_for("unobtainium", "unimorph")
    with pytest.raises(LiteratureError, match="quartz"):
        piezo_for("quartz")


def test_a_value_without_evidence_becomes_no_anchor(literature: Literature) -> None:
    key = literature.selected[0].key
    fewer = tuple(e for e in literature.evidence if (e.key, e.field) != (key, "beam_length_mm"))
    with pytest.raises(LiteratureError, match="beam_length_mm"):
        build(replace(literature, evidence=fewer))


def test_a_device_that_no_rule_completes_becomes_no_anchor(literature: Literature) -> None:
    first = literature.selected[0]
    paper = literature.reported[first.key]
    values = {name: value for name, value in paper.values.items() if name != "beam_width_mm"}
    reported = {**literature.reported, first.key: replace(paper, values=values)}
    with pytest.raises(LiteratureError, match="beam_width_mm was not seen"):
        build(replace(literature, reported=reported))


def test_an_absent_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(LiteratureError, match=r"selection\.csv is missing.*checkout"):
        read_literature(tmp_path)


def test_a_kept_paper_is_an_anchor_or_has_a_reason(literature: Literature) -> None:
    keys = {s.key for s in literature.selected}
    assert keys | set(literature.not_selected) == set(literature.reported)
    assert not keys & set(literature.not_selected)
    assert all(literature.not_selected.values())
    assert all(p.kept or (p.reason and p.reason_group and p.judged_from) for p in literature.screened)


def test_the_tables_hold_neither_addresses_nor_accounts() -> None:
    files = [*FOLDER.glob("*.csv"), ANCHORS, PROVENANCE, POWERS]
    assert len(files) == 9
    for file in files:
        found = re.search(r"https?:|github|registry|@|/home|/work", file.read_text("utf-8"))
        assert found is None, (file.name, found)


DIFFERENCES = {
    "app6120": "class B: no tip mass is completed",
    "jmems19": "the two unequal layers themselves instead of their mean; block mass not rounded",
    "10_1063_1_4962979": "a bimorph without a stated substrate gets brass",
    "10_1063_1_3406253": "a unimorph without a stated substrate gets stainless steel",
    "10_1088_0964_1726_22_9_095019": "the unknown piezo thickness is solved, not read out of two contradicting ones",
    "10_1088_1361_665x_ab19d2": "class A: the missing tip mass is completed",
    "10_1088_1742_6596_1052_1_012038": "block mass not rounded",
    "10_1063_1_4948592": "fails the admission range; replaced",
    "10_1177_1045389x241272984": "its replacement",
}
"""Where the anchors differ from an earlier computation at five digits, and why."""


def test_the_anchors_differ_from_an_earlier_computation_only_as_explained() -> None:
    with EARLIER.open(encoding="utf-8", newline="") as stream:
        earlier = {row["key"]: row for row in csv.DictReader(stream)}
    now = {a.key: a for a in load_anchors()}
    differing = set(earlier) ^ set(now)
    for key in set(earlier) & set(now):
        row, a = earlier[key], now[key]
        numbers = {
            "resonance_hz": a.resonance_hz,
            "original_resonance_hz": a.original_resonance_hz,
            "kappa": a.kappa,
            **a.design,
            **{f"original_{name}": value for name, value in a.original.items()},
        }
        same = (row["piezo"], row["substrate"]) == (a.piezo, a.substrate)
        if not same or any(float(row[n]) != pytest.approx(value, rel=3e-3) for n, value in numbers.items()):
            differing.add(key)
    assert differing == set(DIFFERENCES)
