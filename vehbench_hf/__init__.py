"""vehbench: language models at four stages of vibration energy harvester design, judged by an analytical oracle.

Importing this package is cheap: numpy and nothing heavier. Parquet, datasets and the command line load when used.

    import vehbench_hf
    vehbench_hf.load("p2", "dev")     # a datasets.Dataset; see `vehbench_hf.bank.loading.load`
    vehbench_hf.load_metric("p2_ratio")     # an `evaluate` module; see `vehbench_hf.metrics`
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION, SCORER_VERSION, __version__

if TYPE_CHECKING:
    from vehbench_hf.bank.loading import load
    from vehbench_hf.metrics import load_metric

__all__ = ["PROMPTS_VERSION", "PROTOCOL_VERSION", "SCORER_VERSION", "__version__", "load", "load_metric"]

_LAZY = {"load": "vehbench_hf.bank.loading", "load_metric": "vehbench_hf.metrics"}
"""Names that come with their first use, so that importing the package stays cheap."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
