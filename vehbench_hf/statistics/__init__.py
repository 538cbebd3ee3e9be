"""Statistics on plain arrays: bootstrap over clusters, proportions, paired differences, many tests, repeats.

Nothing here knows tasks or metrics; a statistic is a function from row weights to values.
"""

from vehbench_hf.statistics.bootstrap import LEVEL, RESAMPLES, SEED, percentile_interval, resample_weights
from vehbench_hf.statistics.detectable import LEVEL_OF_TEST, POWER, smallest_detectable
from vehbench_hf.statistics.holm import holm_adjusted
from vehbench_hf.statistics.paired import Difference, paired_difference
from vehbench_hf.statistics.proportions import wilson_interval
from vehbench_hf.statistics.repeats import repeat_interval

__all__ = [
    "LEVEL",
    "LEVEL_OF_TEST",
    "POWER",
    "RESAMPLES",
    "SEED",
    "Difference",
    "holm_adjusted",
    "paired_difference",
    "percentile_interval",
    "repeat_interval",
    "resample_weights",
    "smallest_detectable",
    "wilson_interval",
]
