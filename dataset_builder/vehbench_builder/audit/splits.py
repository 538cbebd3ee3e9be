"""Do the splits of P2 to P4 share nothing: no paper, no device? P1 is exempt, its splits are matched by design."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from vehbench_builder.audit.report import Check, Figure, Findings, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, Task
from vehbench_oracle import VARIABLES

LEAST_DIFFERENCE = 0.1
"""Two devices count as different when some variable differs by more than this share of the larger value."""

REGISTRANT = "10."


def split_checks(bank: Bank) -> list[Check]:
    """Disjointness of the splits, and the form of the identifiers it is judged by."""
    disjoint = bank.select(("p2", "p3", "p4"))
    return [
        whole(papers_stay_in_one_split, disjoint),
        whole(devices_stay_in_one_split, disjoint),
        whole(dois_are_well_formed, bank.tasks),
    ]


def papers_stay_in_one_split(tasks: Sequence[Task]) -> Findings:
    """No paper stands behind tasks of two splits of P2 to P4."""
    splits: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        if task.anchor:
            splits[(task.anchor["doi"] or task.anchor["key"]).lower()].add(task.split)
    for doi, found in sorted(splits.items()):
        yield f"{doi}: in {', '.join(sorted(found))}" if len(found) > 1 else None


def devices_stay_in_one_split(tasks: Sequence[Task]) -> Findings:
    """No two devices of different splits of P2 to P4 are within 10 % of each other in all six variables."""
    devices: dict[str, tuple[str, Design]] = {}
    for task in tasks:
        if task.anchor and task.gold["anchor_design"]:
            devices.setdefault(task.anchor["key"], (task.split, task.gold["anchor_design"]))
    twins = 0
    for (one, (split, a)), (other, (its_split, b)) in combinations(sorted(devices.items()), 2):
        alike = distance(a, b) <= LEAST_DIFFERENCE
        if split == its_split:
            twins += alike
            continue
        yield f"{one} ({split}) and {other} ({its_split}) are one device" if alike else None
    if devices:
        yield Figure("devices", len(devices))
        yield Figure("alike devices inside one split", twins)


def dois_are_well_formed(tasks: Sequence[Task]) -> Findings:
    """Every anchor has an identifier of the form 10.NNNN/suffix in lower case."""
    anchors = {task.anchor["key"]: task.anchor for task in tasks if task.anchor}
    for key, anchor in sorted(anchors.items()):
        doi = anchor["doi"] or ""
        registrant, _, suffix = doi.partition("/")
        good = registrant.startswith(REGISTRANT) and registrant[3:].isdigit() and suffix and doi == doi.lower()
        yield None if good and " " not in doi else f"{key}: {doi!r}"
    if anchors:
        altered = sum(a["doi_released"] not in (None, a["doi"]) for a in anchors.values())
        yield Figure("identifiers that the authors list in another form", altered)


def distance(a: Design, b: Design) -> float:
    """The largest difference of two designs in a variable, as a share of the larger value."""
    shares = [abs(a[name] - b[name]) / max(a[name], b[name]) for name in VARIABLES if max(a[name], b[name]) > 0]
    return max(shares, default=0.0)
