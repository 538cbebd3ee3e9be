"""Scoring: `score` turns tasks and records into numbers; one module a probe holds the formulas.

Conventions: `defined` follows the paper's text, `released` what the authors' evaluator computes.
"""

from vehbench_hf.scoring.rows import Row, cluster, readable, sort_rows
from vehbench_hf.scoring.score import SCORE_SCHEMA, SCORERS, Drawn, comparability, score, score_parts
from vehbench_hf.scoring.values import MetricValue
from vehbench_hf.statistics import percentile_interval, resample_weights

__all__ = [
    "SCORERS",
    "SCORE_SCHEMA",
    "Drawn",
    "MetricValue",
    "Row",
    "cluster",
    "comparability",
    "percentile_interval",
    "readable",
    "resample_weights",
    "score",
    "score_parts",
    "sort_rows",
]
