"""Where each printed cell comes from: the names in `sources.yaml`, as typed constants."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from vehbench_hf.types import SPLITS, Probe, Split

_NAMES: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("sources.yaml").read_text(encoding="utf-8"))


class Source(NamedTuple):
    """A part of a probe's score over the rows of some splits.

    `every_line` counts every line of the files, repeated tasks twice and incomplete runs as they are;
    otherwise the last line of a task counts and every task of the splits must be there.
    """

    probe: Probe
    part: str
    splits: tuple[Split, ...] = SPLITS
    every_line: bool = False


class CsvFile(NamedTuple):
    """A CSV file of the authors' summaries: its column of models, and by table our columns and those of the file."""

    file: str
    model: str
    tables: dict[str, dict[str, str]]


def _by_table(group: str) -> dict[str, Any]:
    return {str(number): entry for number, entry in _NAMES[group].items()}


def _pairs(parts: dict[str, str] | list[str]) -> Iterable[tuple[str, str]]:
    """Columns and parts; a list names parts that are columns of the same name."""
    return parts.items() if isinstance(parts, dict) else zip(parts, parts, strict=True)


def _sources(group: str) -> dict[str, dict[str, Source]]:
    return {
        table: {
            column: Source(probe, part, every_line=int(table) in _NAMES["every_line"].get(probe, ()))
            for probe, parts in by_probe.items()
            for column, part in _pairs(parts)
        }
        for table, by_probe in _by_table(group).items()
    }


def _split_sources(group: str) -> dict[str, dict[str, Source]]:
    return {
        table: {
            f"{split}_{column}": Source(probe, part, (split,))
            for split in SPLITS
            for probe, parts in by_probe.items()
            for column, part in _pairs(parts)
        }
        for table, by_probe in _by_table(group).items()
    }


COVERED: tuple[str, ...] = tuple(map(str, _NAMES["covered"]))
"""Numbers of the compared tables, in the order of the paper."""
NOT_FROM_ROWS: dict[str, str] = _by_table("not_from_rows")
"""Why no cell of a table is a row-log cell."""

LEADERBOARDS = _sources("leaderboards") | _split_sources("leaderboards_by_split")
"""By table and column. These tables also tell which directory is which printed row."""
DIAGNOSTICS = _sources("diagnostics")
SOURCES = LEADERBOARDS | DIAGNOSTICS

JSON_FILES: dict[str, str] = _NAMES["json_files"]
CSV_FILES: dict[str, CsvFile] = {
    name: CsvFile(entry["file"], entry["model"], {str(table): names for table, names in entry["tables"].items()})
    for name, entry in _NAMES["csv_files"].items()
}
PROFILE_FIELDS: dict[Probe, dict[str, str]] = _NAMES["profile_fields"]
APPENDIX_FIELDS: dict[Probe, dict[str, str]] = _NAMES["appendix_fields"]
"""By probe our parts and the authors' fields; `1 - x` is the complement of field x."""
AXIS_FIELDS: dict[str, str] = _NAMES["axis_fields"]
AXIS_ROWS: dict[str, str] = _NAMES["axis_rows"]
STAGE_COLUMNS: dict[str, str] = _NAMES["stage_columns"]
STAGE_FIELDS: dict[str, str] = _NAMES["stage_fields"]
INTERVENTION_FIELDS: dict[str, str] = _NAMES["intervention_fields"]
PROMPT_CONDITIONS: dict[str, str] = _NAMES["prompt_conditions"]

SPLIT_TABLES: dict[Probe, tuple[str, str, str]] = {
    probe: (str(table), headline, second) for probe, (table, headline, second) in _NAMES["split_tables"].items()
}
"""By probe the printed split table, its headline and the column that breaks ties."""
GROUP_ROWS: dict[str, str] = _NAMES["group_rows"]
GROUP_LABELS: dict[str, float] = _NAMES["group_labels"]
