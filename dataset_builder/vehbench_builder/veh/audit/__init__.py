"""The checks of harvester banks, one module a probe or subject."""

from vehbench_builder.audit.report import Check, Progress
from vehbench_builder.veh.audit.counts import count_checks
from vehbench_builder.veh.audit.evidence import gather
from vehbench_builder.veh.audit.isomorphic_rows import isomorphic_checks
from vehbench_builder.veh.audit.leaks.models import model_checks
from vehbench_builder.veh.audit.leaks.statistics import statistics_checks
from vehbench_builder.veh.audit.p1 import p1_checks
from vehbench_builder.veh.audit.p2 import p2_checks
from vehbench_builder.veh.audit.p3 import p3_checks
from vehbench_builder.veh.audit.p4 import p4_checks
from vehbench_builder.veh.audit.reference_designs import reference_checks
from vehbench_hf.bank.bank import Bank


def veh_checks(bank: Bank, jobs: int, progress: Progress | None) -> list[Check]:
    """All of them. Raises AuditToolMissingError where scikit-learn is needed and not installed."""
    leaks = model_checks(bank)  # first, since it is what may be impossible
    evidence = gather(bank.tasks, jobs, progress)
    return [
        *count_checks(bank),
        *p1_checks(bank, evidence),
        *p2_checks(bank),
        *reference_checks(bank, evidence),
        *p3_checks(bank),
        *p4_checks(bank),
        *isomorphic_checks(bank),
        *statistics_checks(bank),
        *leaks,
    ]
