"""vehbench: language models at four stages of vibration energy harvester design, judged by an analytical oracle.

Importing this package is cheap: numpy and nothing heavier. Parquet, datasets and the command line load when used.

    import vehbench_hf
    vehbench_hf.load("p2", "dev")     # a datasets.Dataset; see `vehbench_hf.bank.loading.load`
    vehbench_hf.load_metric("p2_ratio")     # an `evaluate` module; see `vehbench_hf.metrics`
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vehbench_hf.bank.loading import load as load
    from vehbench_hf.metrics import load_metric as load_metric

__version__ = "0.1.0"
PROMPTS_VERSION = "1"
PROTOCOL_VERSION = "1"
SCORER_VERSION = "1"
"""Scores are comparable only where bank, prompts, protocol, scorer and convention are equal."""


def __getattr__(name: str) -> Any:
    # `load` and `load_metric` come with the first use, so that importing the package stays cheap.
    if name == "load":
        from vehbench_hf.bank.loading import load

        return load
    if name == "load_metric":
        from vehbench_hf.metrics import load_metric

        return load_metric
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
