"""The report on the literature must be what the tables say."""

from dataclasses import replace

from literature.tools.audit_page import REPORT, report
from literature.tools.literature_tables import read_literature
from vehbench_builder.veh.anchors import load_anchors, read_provenance
from vehbench_builder.veh.oracle_against_papers import (
    Agreement,
    frequency_agreement,
    loads_far_from_optimum,
    paper_powers_uw,
    power_agreement,
)


def test_the_committed_report_is_up_to_date() -> None:
    assert report(read_literature(), load_anchors(), read_provenance()) == REPORT.read_text(encoding="utf-8")


def test_a_lost_paper_shows_in_the_report() -> None:
    literature = read_literature()
    fewer = replace(literature, screened=literature.screened[:-1])
    text = report(fewer, load_anchors(), read_provenance())
    assert f"{len(literature.screened) - 1} papers were looked at" in text


def test_a_frequency_that_was_used_for_completion_is_no_agreement() -> None:
    anchors = load_anchors()
    everything = frequency_agreement(anchors, set())
    some = next(iter(everything.ratios))
    assert set(frequency_agreement(anchors, {some}).ratios) == set(everything.ratios) - {some}


def test_the_power_of_a_device_of_class_b_is_not_compared() -> None:
    anchors = load_anchors()
    compared = power_agreement(anchors, paper_powers_uw()).ratios
    assert compared
    assert not {a.key for a in anchors if a.device_class.startswith("B")} & set(compared)


def test_agreement_counts_both_sides() -> None:
    agreement = Agreement({"low": 0.4, "inside": 0.6, "also": 1.9, "high": 2.1})
    assert (agreement.within(2), agreement.median) == (2, 1.25)
    assert Agreement({}).median is None


def test_a_load_at_the_optimum_is_not_called_far_from_it() -> None:
    anchors = load_anchors()
    completed = {
        r["key"] for r in read_provenance() if r["field"] == "load_resistance_ohm" and r["status"] == "completed"
    }
    assert completed
    assert not completed & set(loads_far_from_optimum(anchors, 1.001))


def test_no_package_imports_the_tools() -> None:
    packages = ("vehbench_hf", "vehbench_cli", "oracle", "runners", "dataset_builder/vehbench_builder")
    files = [file for package in packages for file in (REPORT.parent.parent / package).rglob("*.py")]
    assert files
    assert not [file for file in files if "literature.tools" in file.read_text(encoding="utf-8")]
