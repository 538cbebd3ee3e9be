"""Versions of the package and of what a score depends on.

Scores are comparable only where bank, prompts, protocol, scorer and convention are equal.
"""

__version__ = "0.1.0"
PROMPTS_VERSION = "1"
PROTOCOL_VERSION = "1"
SCORER_VERSION = "2"
