"""The report on where the anchors come from: what was screened, kept, read, completed, and what it is worth.

    python -m literature.tools.audit_page

rewrites `cards/literature_audit.md` of a checkout. Every number in it is counted from the tables.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from literature.tools.complete_device import STATUSES
from literature.tools.literature_tables import Literature, Screened, read_literature
from vehbench_builder.veh.anchors import AnchorDesign, DeviceClass, load_anchors, read_provenance
from vehbench_builder.veh.oracle_against_papers import (
    frequency_agreement,
    loads_far_from_optimum,
    paper_powers_uw,
    power_agreement,
)
from vehbench_hf.types import SPLITS
from vehbench_oracle import VARIABLES

REPORT = Path(__file__).resolve().parents[3] / "cards" / "literature_audit.md"
TEMPLATE = Path(__file__).with_name("literature_audit_template.md")

CLASSES: dict[DeviceClass, str] = {
    "A": "base-excited laminated cantilever",
    "A*": "the same, borderline (planform, stiffening, excitation, several segments)",
    "A-sim": "simulated or numerical",
    "B": "another kind of excitation: lends geometry only",
    "B*": "the same, and part of a larger structure",
}
KINDS = ("abstract", "quotation", "secondary", "unrecorded", "none")
CHECKS = ("confirmed", "differs", "not_found", "unresolved")


def report(literature: Literature, anchors: Sequence[AnchorDesign], provenance: Sequence[dict[str, str]]) -> str:
    """The text of the report. `provenance` are the rows of `anchor_provenance.csv`."""
    fitted = {r["key"] for r in provenance if r["status"] == "completed" and "reported resonance" in r["rule"]}
    frequency, power = frequency_agreement(anchors, fitted), power_agreement(anchors, paper_powers_uw())
    screened, numbers = literature.screened, [e for e in literature.evidence if e.kind != "none"]
    kinds = Counter(e.kind for e in numbers)
    status = Counter((r["field"], r["status"]) for r in provenance)
    weak = [a for a in anchors if a.documentation == "weak"]
    rejected = [p for p in screened if not p.kept]
    values: dict[str, object] = {
        "screened": len(screened),
        "kept": sum(p.kept for p in screened),
        "rejected": len(rejected),
        "without_doi": sum(not p.doi for p in screened),
        "from_title": sum(p.judged_from == "title or abstract" for p in rejected),
        "devices": len({r.device for r in literature.reported.values()}),
        "anchors": len(anchors),
        "numbers": len(numbers),
        "abstract": kinds["abstract"],
        "quotation": kinds["quotation"],
        "secondary": kinds["secondary"],
        "quotation_share": f"{100 * kinds['quotation'] / len(numbers):.0f}",
        "materials_reported": status["substrate_material", "reported"],
        "materials_changed": status["substrate_material", "nearest"] + status["substrate_material", "completed"],
        "piezo_changed": status["piezo_material", "nearest"] + status["piezo_material", "completed"],
        "masses": status["tip_mass_g", "completed"],
        "loads": status["load_resistance_ohm", "completed"],
        "thicknesses": status["substrate_thickness_um", "completed"] + status["piezo_thickness_um", "completed"],
        "converted_layers": sum("equal bending stiffness" in r["rule"] for r in provenance),
        "geometry_only": sum(a.device_class.startswith("B") for a in anchors),
        "weak": len(weak),
        "fitted": len(fitted),
        "frequency_rows": len(frequency.ratios),
        "frequency_within_2": frequency.within(2),
        "frequency_median": f"{frequency.median:.2f}",
        "power_rows": len(power.ratios),
        "power_within_10": power.within(10),
        "power_median": f"{power.median:.2f}",
        "far_loads": len(loads_far_from_optimum(anchors, 10)),
        "without_frequency": sum(a.paper_frequency_hz is None for a in anchors),
        "without_acceleration": sum(a.acceleration_g is None for a in anchors),
        "outside": sum(not a.inside_domain for a in anchors),
        "scaled": sum(a.kappa != 1 for a in anchors),
        "kappa_low": f"{min(a.kappa for a in anchors):.3g}",
        "kappa_high": f"{max(a.kappa for a in anchors):.3g}",
        "clipped": "; ".join(f"{', '.join(a.clipped)} of `{a.key}`" for a in anchors if a.clipped) or "nothing",
        "listed": sum(bool(r.check) for r in literature.reported.values()),
        "reasons": _reasons(rejected),
        "checks": _checks(literature),
        "splits": _splits(anchors),
        "statuses": _crossed(provenance, "status", STATUSES),
        "evidence": _crossed(provenance, "evidence", KINDS),
        "weak_rows": _table(
            ("key", "split", "class", "why"), [(f"`{a.key}`", a.split, a.device_class, a.remark) for a in weak]
        ),
        "not_selected": _table(
            ("key", "DOI", "why"),
            [
                (f"`{key}`", literature.reported[key].doi or "none seen", why)
                for key, why in literature.not_selected.items()
            ],
        ),
        "papers": _table(
            ("paper", "split", "class", "scale", "remark"),
            [
                (
                    f"[{a.title}](https://doi.org/{a.doi}) ({a.year})",
                    a.split,
                    a.device_class,
                    f"{a.kappa:.3g}",
                    a.remark,
                )
                for a in anchors
            ],
        ),
    }
    return TEMPLATE.read_text(encoding="utf-8").format(**values)


def main() -> None:
    """Rewrite the report."""
    REPORT.write_text(report(read_literature(), load_anchors(), read_provenance()), encoding="utf-8", newline="")
    print(REPORT.name)  # noqa: T201


def _reasons(rejected: Sequence[Screened]) -> str:
    groups = Counter(p.reason_group for p in rejected)
    return _table(("reason", "papers"), [(group, str(n)) for group, n in groups.most_common()])


def _checks(literature: Literature) -> str:
    papers = Counter(r.check for r in literature.reported.values())
    fields = Counter(e.against_release for e in literature.evidence)
    rows = [(check.replace("_", " "), str(papers[check]), str(fields[check])) for check in CHECKS]
    return _table(("against the paper", "papers", "values"), rows)


def _splits(anchors: Sequence[AnchorDesign]) -> str:
    count = Counter((a.device_class, a.split) for a in anchors)
    rows = [
        (name, meaning, *(str(count[name, split]) for split in SPLITS), str(sum(count[name, s] for s in SPLITS)))
        for name, meaning in CLASSES.items()
    ]
    sums = [sum(count[name, split] for name in CLASSES) for split in SPLITS]
    total = ("all", "", *(str(n) for n in sums), str(sum(sums)))
    return _table(("class", "meaning", *SPLITS, "all"), [*rows, total])


def _crossed(provenance: Sequence[dict[str, str]], column: str, words: Sequence[str]) -> str:
    count = Counter((r["field"], r[column]) for r in provenance)
    fields = list(dict.fromkeys((*VARIABLES, *(r["field"] for r in provenance))))
    rows = [(field, *(str(count[field, word]) for word in words)) for field in fields]
    total = ("all", *(str(sum(count[field, word] for field in fields)) for word in words))
    return _table(("field", *words), [*rows, total])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    main()
