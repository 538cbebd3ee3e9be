"""vehbench: language models at four stages of vibration energy harvester design, judged by an analytical oracle.

Importing this package is cheap: numpy and nothing heavier. Parquet, datasets and the command line load when used.

    import vehbench_hf
    vehbench_hf.load("p2", "dev")     # a datasets.Dataset; see `vehbench_hf.loading.load`
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vehbench_hf.loading import load as load

__version__ = "0.1.0"
PROMPTS_VERSION = "1"
PROTOCOL_VERSION = "1"
SCORER_VERSION = "1"
"""Scores are comparable only where bank, prompts, protocol, scorer and convention are equal."""


def __getattr__(name: str) -> Any:
    # `load` comes with the first use, so that importing the package stays cheap.
    if name == "load":
        from vehbench_hf.loading import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
