"""The audit of a bank: the checks of rows and texts, and those of every domain."""

from vehbench_builder.audit.report import AuditReport, Progress, report_of
from vehbench_builder.audit.rows import row_checks
from vehbench_builder.audit.text import text_checks
from vehbench_builder.domains import DOMAINS
from vehbench_hf.bank.bank import Bank


def audit_bank(bank: Bank, *, jobs: int = 1, progress: Progress | None = None) -> AuditReport:
    """Check every statement about a bank that applies to it.

    The searches and certificates run in `jobs` processes and tell `progress` how many of how many tasks are done. A
    bank in which something fails gives a report, not an exception. Raises AuditToolMissingError when scikit-learn is
    not installed and the bank is large enough for leak models.
    """
    own = [check for domain in DOMAINS.values() for check in domain.checks(bank, jobs, progress)]
    return report_of(bank.version, [*row_checks(bank), *text_checks(bank), *own])
