"""Checking what lies in a run folder: its `scores.json`, and its submission where there is one."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError, UserError
from vehbench_hf.hub.fetch import read_copy
from vehbench_hf.hub.rules import check_bank
from vehbench_hf.hub.signs import signs_of
from vehbench_hf.hub.submission import EVAL_FILE, eval_entries
from vehbench_hf.hub.submitted_record import SubmittedRecord
from vehbench_hf.hub.verification import check_record, row_differences, score_differences
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.loaded_run import load_run
from vehbench_hf.runlog.run_json import read_json_object
from vehbench_hf.safe_files import printable, read_plain
from vehbench_hf.scoring import score_run

MAX_SCORES_BYTES = 8_000_000


def run_differences(run: Path, bank: Bank) -> tuple[list[str], list[str]]:
    """What differs from what the log of a run gives, and the signs of its log, a line each that begins with the file.

    Raises RunError when there is neither a `scores.json` nor a submission to check.
    """
    check_bank(bank)
    scores, records = run / "scores.json", sorted(run.glob("submission/results/records/*.json"))
    if not scores.exists() and not records:
        raise RunError(f"{scores} is missing, so there is nothing to check; make it with `vehbench score {run}`.")
    loaded = load_run(run, bank)
    lines = [f"turns.jsonl: {problem}" for problem in loaded.problems]
    if scores.exists():
        stored = read_json_object(scores, MAX_SCORES_BYTES)
        convention = stored.get("convention")
        computed = score_run(loaded, convention if convention in ("defined", "released") else None)
        lines += [f"scores.json: {line}" for line in score_differences(stored, computed)]
    model_id = loaded.model
    for file in records:
        try:
            record, log, rows = read_copy(file)
        except UserError as error:
            lines.append(f"{file.relative_to(run)}: {error}")
            continue
        model_id = record["model_id"]
        name = file.relative_to(run)
        lines += [f"{name}: {line}" for line in check_record(record, run, bank).differences]
        lines += [f"{log.relative_to(run)}: {line}" for line in check_record(record, log, bank).differences]
        lines += [f"{rows.relative_to(run)}: {line}" for line in row_differences(record, rows)]
        lines += _eval_differences(run, record)
    signs = signs_of(model_id, loaded, read_turns(run).turns) if loaded.is_model else []
    return [printable(line) for line in lines], [printable(sign) for sign in signs]


def _eval_differences(run: Path, record: SubmittedRecord) -> Iterator[str]:
    """What the eval-results file says otherwise than the record. Where its sources stand only the Hub knows."""
    for file in run.glob(f"submission/model/*/{EVAL_FILE}"):
        name = file.relative_to(run)
        try:
            stated = yaml.safe_load(read_plain(file))
            values = {(entry["dataset"]["task_id"], entry["value"], entry["date"], entry["notes"]) for entry in stated}
        except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, RecursionError) as error:
            yield f"{name}: cannot be read ({type(error).__name__})"
            continue
        due = {(entry.task_id, entry.value, entry.date, entry.notes) for entry in eval_entries(record, "org", "", None)}
        yield from (f"{name}: stated {wrong}, which the record does not say" for wrong in sorted(values - due, key=str))
        yield from (f"{name}: {lacking[0]} of the record is missing" for lacking in sorted(due - values, key=str))
