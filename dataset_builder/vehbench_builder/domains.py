"""The domains that can be built and audited, by name. A further domain is its own folder and one line here."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from vehbench_builder.audit.report import Check, Progress
from vehbench_builder.build_spec import BuildSpec
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import ANCHORS, PROVENANCE, load_anchors
from vehbench_builder.veh.audit import veh_checks
from vehbench_builder.veh.figures import figures
from vehbench_builder.veh.isomorphic.groups import build_isomorphic
from vehbench_builder.veh.p1 import p1
from vehbench_builder.veh.p3 import p3
from vehbench_builder.veh.p4 import p4
from vehbench_builder.veh.physics import physics_report
from vehbench_hf.bank.bank import Bank
from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import Probe, Task


class Unit(Protocol):
    """One piece of work: picklable, with a key of its own."""

    @property
    def key(self) -> str:
        """What the unit is, in words."""


class ProbeModule(Protocol):
    """What the module of a probe offers."""

    def units(self, anchors: Sequence[Any], build: BuildSpec, p2: Mapping[str, Task]) -> list[Any]:
        """The work of the probe, in the order of the bank; `p2` are finished P2 tasks by id."""

    def build_unit(self, unit: Any) -> list[Task]:
        """The tasks of one unit, from the unit alone."""


class Physics(Protocol):
    """A report on labels under other models than the oracle."""

    def as_json(self) -> dict[str, Any]:
        """JSON values."""

    def as_text(self) -> str:
        """Tables for a terminal."""


@dataclass(frozen=True)
class DomainBuild:
    """How the tasks of a domain are made and checked.

    `probes` are in the order of building: P3 and P4 start from finished P2 tasks. `anchors` are the known devices that
    tasks start from, `inputs` the files that they come from. `subsets` are what a manifest names, by name; `figures`
    are what card and datasheet say about the tasks of a bank, `physics` how far their labels carry.
    """

    probes: Mapping[Probe, ProbeModule]
    anchors: Callable[[], Sequence[Any]]
    inputs: tuple[Path, ...]
    isomorphic: Callable[[Sequence[Task], int], list[IsomorphicTask]]
    subsets: Callable[[Iterable[Task]], dict[str, list[str]]]
    checks: Callable[[Bank, int, Progress | None], list[Check]]
    figures: Callable[[Sequence[Task]], dict[str, Any]]
    physics: Callable[[Sequence[Task]], Physics]


VEH = DomainBuild(
    probes={
        "p2": cast(ProbeModule, p2),
        "p1": cast(ProbeModule, p1),
        "p3": cast(ProbeModule, p3),
        "p4": cast(ProbeModule, p4),
    },
    anchors=load_anchors,
    inputs=(ANCHORS, PROVENANCE),
    isomorphic=build_isomorphic,
    subsets=lambda tasks: {p3.INTERVENTION: p3.intervention_subset(tasks)},
    checks=veh_checks,
    figures=figures,
    physics=physics_report,
)

DOMAINS: dict[str, DomainBuild] = {"veh": VEH}
