"""The authors' own summaries of their runs: files of `results/analysis`, read as they are."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vehbench_hf.errors import ReleaseError

FOLDER = "results/analysis"
JSON_FILES = {
    "profile_metrics": "profile_metrics.json",
    "appendix_metrics": "appendix_metrics.json",
    "interventions": "p3_intervention_summary.json",
    "tier3": "tier3/tier3_analysis.json",
}
CSV_FILES = {
    "profile_scores": "profile_scores_complete_p1_p4.csv",
    "probe_summary": "probe_summary.csv",
    "circuit_p1_p2": "mixed_p123_metrics.csv",
    "circuit_p3": "detailed_p3_scores.csv",
    "circuit_p4": "detailed_p4_scores.csv",
    "circuit_profiles": "six_model_summary.csv",
}

CsvRow = dict[str, str]


@dataclass(frozen=True)
class Analysis:
    """The content of each file that is there, by short name: JSON objects, and rows of CSV files."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, list[CsvRow]] = field(default_factory=dict)

    def of(self, name: str, *path: str) -> dict[str, Any]:
        """An object inside a JSON file; empty where the file or the object is absent."""
        found: Any = self.objects.get(name, {})
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}


def read_analysis(release_dir: Path) -> Analysis:
    """Read the summaries of a release; files that are absent are left out. Raises ReleaseError for a damaged one."""
    objects, rows = {}, {}
    for name, file in JSON_FILES.items():
        path = release_dir / FOLDER / file
        if path.is_file():
            objects[name] = _read_object(path)
    for name, file in CSV_FILES.items():
        path = release_dir / FOLDER / file
        if path.is_file():
            rows[name] = _read_rows(path)
    return Analysis(objects, rows)


def number(row: CsvRow, column: str) -> float | None:
    """A number of a CSV row; None where the cell is empty, absent or no number."""
    try:
        return float(row[column])
    except (KeyError, TypeError, ValueError):
        return None


def _read_rows(path: Path) -> list[CsvRow]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    except (ValueError, OSError, csv.Error) as error:
        raise ReleaseError(f"{path} cannot be read: {error}. Take the file from the release again.") from None


def _read_object(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}. Take the file from the release again.") from None
    if not isinstance(body, dict):
        raise ReleaseError(f"{path}: expected a JSON object, got {type(body).__name__}.")
    return body
