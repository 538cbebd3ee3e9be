"""What cannot be published, submitted or checked."""

from vehbench_hf.errors import UserError


class HubError(UserError):
    """A name, a run, a record or a file from the Hub that is not what it must be; the text says what to do."""
