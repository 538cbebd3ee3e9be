"""Input of a metric that cannot be scored."""

from vehbench_hf.errors import UserError


class MetricInputError(UserError):
    """Predictions, references or options that are not what a metric takes; the text names the row and the field."""
