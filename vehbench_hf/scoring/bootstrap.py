"""The bootstrap that scores use; it lives in `vehbench_hf.statistics`."""

from vehbench_hf.statistics.bootstrap import LEVEL, RESAMPLES, SEED, percentile_interval, resample_weights

__all__ = ["LEVEL", "RESAMPLES", "SEED", "percentile_interval", "resample_weights"]
