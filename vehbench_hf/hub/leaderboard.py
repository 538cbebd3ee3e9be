"""A static page from a copy of the results dataset. Only records whose numbers follow from their logs are on it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.errors import UserError
from vehbench_hf.hub.failures import HubError
from vehbench_hf.hub.fetch import read_copy
from vehbench_hf.hub.submitted_record import SubmittedRecord, headline_rows
from vehbench_hf.hub.verification import printable, record_differences, row_differences
from vehbench_hf.probes import BENCHMARK

TEMPLATE = Path(__file__).with_name("leaderboard.html.j2")


@dataclass(frozen=True)
class Board:
    """Verified records, and the names of the files that are left out with the first reason each."""

    records: tuple[SubmittedRecord, ...]
    left_out: tuple[tuple[str, str], ...]


def read_results(results: Path, bank: Bank, *, on_progress: Callable[[str], None] = lambda line: None) -> Board:
    """Check every record of a folder with `records/` and `logs/`. Raises HubError when there is no such folder.

    Of two records of one model, settings and tuple, the later one counts. `on_progress` is told of every file.
    """
    files = sorted((results / "records").glob("*.json"))
    if not (results / "records").is_dir():
        raise HubError(f"{results} is no copy of the results dataset: expected a folder records in it.")
    kept: dict[str, SubmittedRecord] = {}
    left_out = []
    for file in files:
        try:
            record, log, rows = read_copy(file)
            differing = record_differences(record, log, bank) or row_differences(record, rows)
        except UserError as error:
            left_out.append((printable(file.name), printable(str(error))))
            continue
        on_progress(f"{printable(file.name)}: {f'{len(differing)} differences' if differing else 'verified'}")
        if differing:
            left_out.append((printable(file.name), differing[0]))
            continue
        key = canonical_json([record["model_id"], record["comparability"], record["deviations"]])
        kept[key] = max(kept.get(key, record), record, key=lambda r: (r["date"], r["id"]))
    return Board(tuple(sorted(kept.values(), key=lambda r: (r["model_id"], r["id"]))), tuple(left_out))


def write_board(board: Board, out: Path) -> list[Path]:
    """Write `index.html` and `board.json` into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    page, data = out / "index.html", out / "board.json"
    page.write_text(render(board), encoding="utf-8")
    rows = [row for record in board.records for row in headline_rows(record)]
    body = {"rows": rows, "left_out": [{"file": name, "reason": reason} for name, reason in board.left_out]}
    data.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    return [page, data]


def render(board: Board) -> str:
    """The page: a table for each comparability tuple and set of deviations, since others do not compare."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in board.records:
        named = ", ".join(f"{name} = {json.dumps(value)}" for name, value in record["deviations"].items())
        cells = {row["task_id"]: row for row in headline_rows(record)}
        groups.setdefault((record["comparability"], named), []).append({"record": record, "cells": cells})
    for rows in groups.values():
        for info in BENCHMARK:
            values = [row["cells"].get(info.task_id, {}).get("value") for row in rows]
            for row, value in zip(rows, values, strict=True):
                if value is not None:
                    row["cells"][info.task_id]["rank"] = 1 + sum(v is not None and v > value for v in values)
    # What stands in a record was written by others; escaping keeps it text.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(groups=sorted(groups.items()), tasks=BENCHMARK, left_out=board.left_out)
