"""Scoring: `score` turns tasks and records into numbers; one module a probe holds the formulas.

Conventions: `defined` follows the paper's text, `released` what the authors' evaluator computes.
"""

from vehbench_hf.runlog.differences import comparability
from vehbench_hf.runlog.sorted_rows import Row, cluster, readable, sort_rows
from vehbench_hf.scoring.score import SCORERS, SCORING_FAILURES, score, score_parts, score_run
from vehbench_hf.scoring.scores_type import ProbeScores, Scores
from vehbench_hf.scoring.values import MetricValue

__all__ = [
    "SCORERS",
    "SCORING_FAILURES",
    "MetricValue",
    "ProbeScores",
    "Row",
    "Scores",
    "cluster",
    "comparability",
    "readable",
    "score",
    "score_parts",
    "score_run",
    "sort_rows",
]
