"""Is every row whole, are ids and briefs used once, and do splits and files hold what they say? For any domain."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from vehbench_builder.audit.gold import not_built_here
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.documents.card import CROISSANT, README, own_text, with_header
from vehbench_builder.documents.croissant import croissant_text
from vehbench_builder.overlap import overlaps
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.schema import CANARY, arrow_schema, task_to_row
from vehbench_hf.domains import domain_of
from vehbench_hf.types import Design, Task

LEAST_WIDTH = 1e-3
"""Smallest width of a range, as a share of its upper end, that leaves something to choose."""
LEAST_DIFFERENCE = 0.1
"""Two devices count as different when some variable differs by more than this share of the larger value."""
_DOI = re.compile(r"10\.\d+/[^\sA-Z]+")


def row_checks(bank: Bank) -> list[Check]:
    """What must hold for the rows and files of every bank, whatever its domain."""
    disjoint, fresh = bank.select(("p2", "p3", "p4")), bank.select(splits=("train",))
    unlisted = None if bank.manifest.get("files") else "the bank was not read from files"
    return [
        whole(canary_in_every_file, bank, unless=unlisted),
        each(rows_fit_the_schema, bank.tasks),
        whole(ids_are_unique, bank.tasks),
        whole(briefs_are_unique, bank.tasks),
        each(numbers_are_finite, bank.tasks),
        each(ranges_have_width, bank.tasks),
        each(boxes_lie_in_the_domain, bank.tasks),
        whole(data_files_are_listed, bank, unless=unlisted),
        whole(documents_tell_of_the_data, bank, unless=unlisted or not_built_here(bank)),
        whole(papers_stay_in_one_split, disjoint),
        whole(devices_stay_in_one_split, disjoint),
        whole(dois_are_well_formed, bank.tasks),
        each(no_brief_names_a_start, bank.tasks, unless=not_built_here(bank)),
        whole(one_key_is_one_device, bank.tasks, unless=not_built_here(bank)),
        whole(fresh_tasks_are_not_published, bank, unless=None if fresh else "the bank has no training tasks"),
    ]


def canary_in_every_file(bank: Bank) -> Findings:
    """Every data file carries the canary string, and the card names it."""
    import pyarrow.parquet as pq

    for file in bank.data_files:
        canary = (pq.read_metadata(bank.path / file.path).metadata or {}).get(b"canary", b"")
        yield None if canary.decode() == CANARY else f"{file.path}: no canary in its metadata"
    card = bank.path / "README.md"
    named = card.is_file() and "canary" in card.read_text(encoding="utf-8").lower()
    yield None if named else f"{card.name}: no word about the canary"


def rows_fit_the_schema(task: Task) -> Findings:
    """Every row survives the way through the Arrow schema of its config unchanged."""
    import pyarrow as pa

    row = task_to_row(task)
    back = pa.Table.from_pylist([row], schema=arrow_schema(task.probe, task.domain)).to_pylist()[0]
    yield None if canonical_json(back) == canonical_json(row) else "fields outside the schema"


def ids_are_unique(tasks: Sequence[Task]) -> Findings:
    """No two tasks have one id."""
    uses = Counter(task.task_id for task in tasks)
    for name, count in uses.items():
        yield f"{name}: used {count} times" if count > 1 else None


def briefs_are_unique(tasks: Sequence[Task]) -> Findings:
    """No two tasks show a model the same brief."""
    first: dict[str, Task] = {}
    for task in tasks:
        brief = canonical_json([task.probe, task.spec])
        twin = first.setdefault(brief, task)
        yield None if twin is task else f"{task.task_id}: the same brief as {twin.task_id} ({twin.split})"


def numbers_are_finite(task: Task) -> Findings:
    """No number of a row is NaN or infinite."""
    bad = list(_not_finite({"spec": task.spec, "gold": task.gold}))
    yield f"not finite: {', '.join(bad[:4])}" if bad else None


def _not_finite(value: Any, place: str = "") -> Iterator[str]:
    if isinstance(value, float) and not math.isfinite(value):
        yield place.removeprefix(".")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _not_finite(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _not_finite(inner, f"{place}[{number}]")


def ranges_have_width(task: Task) -> Findings:
    """The bounds of every variable are in order and leave a range to choose from."""
    for name, box in task.spec["variable_bounds"].items():
        if box is None:
            continue
        wide = box["max"] - box["min"] >= LEAST_WIDTH * box["max"] > 0
        yield None if wide else f"{name} from {box['min']!r} to {box['max']!r}"


def boxes_lie_in_the_domain(task: Task) -> Findings:
    """All bounds of a task lie inside the declared domain of the oracle."""
    outside = [
        f"{name} {box['min']:g} to {box['max']:g}"
        for name, variable in domain_of(task.domain).variables.items()
        if (box := task.spec["variable_bounds"].get(name)) is not None
        and not (variable.low <= box["min"] and box["max"] <= variable.high)
    ]
    yield f"outside the domain: {', '.join(outside)}" if outside else None


def data_files_are_listed(bank: Bank) -> Findings:
    """Every file below `data` is listed in the manifest, so that nobody loads what no sum vouches for."""
    listed = {file.path for file in bank.data_files}
    for file in sorted((bank.path / "data").rglob("*")):
        if not file.is_dir():
            name = file.relative_to(bank.path).as_posix()
            yield None if name in listed else f"{name} is not listed"


def documents_tell_of_the_data(bank: Bank) -> Findings:
    """The header of the card names these files, and croissant.json is the one that follows from them."""
    card, described = bank.path / README, bank.path / CROISSANT
    for file, expected in ((card, with_header(bank, own_text(bank))), (described, croissant_text(bank))):
        same = file.is_file() and file.read_bytes() == expected.encode()
        yield None if same else f"{file.name} is missing or not the one of these data"


def papers_stay_in_one_split(tasks: Sequence[Task]) -> Findings:
    """No paper stands behind tasks of two splits of P2 to P4."""
    splits: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        if task.anchor:
            splits[(task.anchor["doi"] or task.anchor["key"]).lower()].add(task.split)
    for doi, its_splits in sorted(splits.items()):
        yield f"{doi}: in {', '.join(sorted(its_splits))}" if len(its_splits) > 1 else None


def devices_stay_in_one_split(tasks: Sequence[Task]) -> Findings:
    """No two devices of different splits of P2 to P4 are within 10 % of each other in every variable."""
    devices: dict[str, tuple[str, Design]] = {}
    for task in tasks:
        if task.anchor and task.gold["anchor_design"]:
            devices.setdefault(task.anchor["key"], (task.split, task.gold["anchor_design"]))
    twins = 0
    for (key, (split, a)), (other, (its_split, b)) in combinations(sorted(devices.items()), 2):
        alike = distance(a, b) <= LEAST_DIFFERENCE
        if split == its_split:
            twins += alike
            continue
        yield f"{key} ({split}) and {other} ({its_split}) are one device" if alike else None
    if devices:
        yield Figure("devices", len(devices))
        yield Figure("alike devices inside one split", twins)


def dois_are_well_formed(tasks: Sequence[Task]) -> Findings:
    """Every anchor has an identifier of the form 10.NNNN/suffix in lower case."""
    anchors = {task.anchor["key"]: task.anchor for task in tasks if task.anchor}
    for key, anchor in sorted(anchors.items()):
        yield None if _DOI.fullmatch(anchor["doi"] or "") else f"{key}: {anchor['doi']!r}"
    if anchors:
        altered = sum(a["doi_released"] not in (None, a["doi"]) for a in anchors.values())
        yield Figure("identifiers that the authors list in another form", altered)


def distance(a: Design, b: Design) -> float:
    """The largest difference of two designs in a variable, as a share of the larger value."""
    shares = [abs(a[name] - b[name]) / max(a[name], b[name]) for name in a if max(a[name], b[name]) > 0]
    return max(shares, default=0.0)


def fresh_tasks_are_not_published(bank: Bank) -> Findings:
    """No training task shows a brief of bank v2, or the bounds and the excitation of one."""
    fresh = bank.select(splits=("train",))
    repeated = overlaps(fresh, [task for task in open_bank("v2").tasks if task.split != "train"])
    yield from [*repeated, *[None] * (len(fresh) - len(repeated))]


def no_brief_names_a_start(task: Task) -> Findings:
    """No brief states an initial design."""
    yield "it states one" if task.spec["initial_design"] is not None else None


def one_key_is_one_device(tasks: Sequence[Task]) -> Findings:
    """All tasks of one anchor name the same paper, and those of P2 and P3 the same anchor design."""
    papers: dict[str, Any] = {}
    designs: dict[str, Any] = {}
    for task in tasks:
        key = task.anchor["key"] if task.anchor else ""
        other = [] if papers.setdefault(key, task.anchor) == task.anchor else ["another paper"]
        if task.probe in ("p2", "p3"):
            design = task.gold["anchor_design"]
            other += [] if designs.setdefault(key, design) == design else ["another anchor design"]
        yield f"{task.task_id}: {' and '.join(other)} under the key {key}" if other else None
