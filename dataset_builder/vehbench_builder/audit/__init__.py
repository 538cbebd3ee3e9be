"""`vehbench audit`: every statement about a bank, checked again from its rows alone.

Nothing of a build is trusted: designs are judged by the oracle, certificates verified by code that did not search them,
and where a bank stores neither witness nor certificate the audit searches itself. One module a group of checks.
"""

from vehbench_builder.audit.briefs import brief_checks
from vehbench_builder.audit.counts import count_checks
from vehbench_builder.audit.documents import document_checks
from vehbench_builder.audit.estimates import estimate_checks
from vehbench_builder.audit.evidence import Progress, gather
from vehbench_builder.audit.fresh import fresh_checks
from vehbench_builder.audit.habits import habit_checks
from vehbench_builder.audit.history import history_checks
from vehbench_builder.audit.integrity import integrity_checks
from vehbench_builder.audit.isomorphic import isomorphic_checks
from vehbench_builder.audit.pools import pool_checks
from vehbench_builder.audit.recovery import recovery_checks
from vehbench_builder.audit.references import reference_checks
from vehbench_builder.audit.report import AuditReport, Check, report_of
from vehbench_builder.audit.shortcuts import AuditToolMissingError, shortcut_checks
from vehbench_builder.audit.splits import split_checks
from vehbench_builder.audit.stored import stored_checks
from vehbench_builder.audit.triage import triage_checks
from vehbench_builder.audit.wording import wording_checks
from vehbench_hf.bank.bank import Bank

__all__ = ["AuditReport", "AuditToolMissingError", "Check", "Progress", "audit_bank"]


def audit_bank(bank: Bank, *, jobs: int = 1, progress: Progress | None = None) -> AuditReport:
    """Check every statement about a bank that applies to it.

    The searches and certificates run in `jobs` processes and tell `progress` how many of how many tasks are done. A
    bank in which something fails gives a report, not an exception. Raises AuditToolMissingError when scikit-learn is
    not installed and the bank is large enough for leak models.
    """
    leaks = shortcut_checks(bank)  # first, since it is what may be impossible
    found = gather(bank.tasks, jobs, progress)
    return report_of(
        bank.version,
        [
            *count_checks(bank),
            *integrity_checks(bank),
            *document_checks(bank),
            *split_checks(bank),
            *stored_checks(bank, found),
            *triage_checks(bank, found),
            *estimate_checks(bank),
            *brief_checks(bank),
            *reference_checks(bank, found),
            *history_checks(bank),
            *recovery_checks(bank),
            *pool_checks(bank),
            *wording_checks(bank),
            *habit_checks(bank),
            *isomorphic_checks(bank),
            *fresh_checks(bank),
            *leaks,
        ],
    )
