"""Errors that are the user's to fix. The command line prints them without a traceback and leaves with exit code 2."""


class UserError(ValueError):
    """Wrong input: the text names what was expected, what came, where, and what to do."""


class BankError(UserError):
    """A bank that is absent, unreadable, or not what its manifest says."""


class ReleaseError(UserError):
    """A folder that is not the authors' release, or a file of it that does not fit its manifest."""


class RunError(UserError):
    """A run folder that is absent, locked by another process, or made with other settings."""


class MetricInputError(UserError):
    """Predictions, references or options that are not what a metric takes; the text names the row and the field."""
