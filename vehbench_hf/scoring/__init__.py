"""Scoring: `score` turns tasks and records into numbers; one module a probe holds the formulas.

Conventions: `defined` follows the paper's text, `released` what the authors' evaluator computes.
"""

from vehbench_hf.scoring.bootstrap import percentile_interval, resample_weights
from vehbench_hf.scoring.parts import Part
from vehbench_hf.scoring.rows import Row, cluster, sort_rows
from vehbench_hf.scoring.score import SCORE_SCHEMA, SCORERS, comparability, score, score_parts

__all__ = [
    "SCORERS",
    "SCORE_SCHEMA",
    "Part",
    "Row",
    "cluster",
    "comparability",
    "percentile_interval",
    "resample_weights",
    "score",
    "score_parts",
    "sort_rows",
]
