"""vehbench: language models at four stages of vibration energy harvester design, judged by an analytical oracle.

Importing this package is cheap: numpy and nothing heavier. Parquet, datasets and the command line load when used.
"""

__version__ = "0.1.0"
PROMPTS_VERSION = "1"
PROTOCOL_VERSION = "1"
SCORER_VERSION = "1"
"""Scores are comparable only where bank, prompts, protocol, scorer and convention are equal."""
