"""Whatever a stranger sends is left out or refused in words: no exception, no changed number verified, no page missing.

`VEHBENCH_FUZZ=10000` makes as many changed records, a fifth as many run folders and banks.
"""

import hashlib
import json
import os
import random
import resource
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

import made_runs
from mutations import change_bytes, change_file, change_log, changed
from records import log_of, refit, rows_of
from vehbench_cli.lookup import bank_of
from vehbench_cli.score_tables import print_scores
from vehbench_hf.bank.bank import MANIFEST, Bank, open_bank
from vehbench_hf.bank.files import fingerprint_of
from vehbench_hf.errors import UserError
from vehbench_hf.hub.leaderboard import Entry, check_file, read_results, render
from vehbench_hf.hub.run_check import run_differences
from vehbench_hf.runlog import load_run, write_scores
from vehbench_hf.scoring import score_run

CASES = int(os.environ.get("VEHBENCH_FUZZ", "200"))
LONGEST_S = 10.0
MOST_MEMORY = 1_000_000_000

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _memory() -> Any:
    """No case may need a gigabyte more than the process had."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < MOST_MEMORY


def seeds(count: int, first: int) -> list[random.Random]:
    return [random.Random(first + number) for number in range(count)]


def in_time(begun: float, draw: str) -> None:
    assert time.process_time() - begun < LONGEST_S, draw


def test_a_changed_record_is_left_out_or_says_what_its_log_gives(
    made_once: Path, small_bank: Bank, tmp_path: Path
) -> None:
    (honest,) = made_once.glob("records/*.json")
    scores = json.loads(honest.read_text())["scores"]["probes"]
    verified = 0
    for number, draw in enumerate(seeds(CASES, 1)):
        begun = time.process_time()
        results = shutil.copytree(made_once, tmp_path / "results")
        (file,) = results.glob("records/*.json")
        for _ in range(draw.choice([1, 1, 2])):
            kind = draw.randrange(6)
            if kind < 3:
                change_file(file, draw)
            elif kind == 3:
                change_file(log_of(file) / "run.json", draw)
            elif kind == 4:
                change_log(log_of(file) / "turns.jsonl", draw)
            else:
                change_log(rows_of(file), draw)
        if draw.random() < 0.3:
            try:
                file = refit(file)
            except Exception:  # the forger's own tools may fail
                (file,) = results.glob("records/*.json")
        entry = check_file(file, small_bank)
        if isinstance(entry, Entry):
            verified += 1
            for probe, own in entry.record["scores"]["probes"].items():
                assert own["headline"]["value"] == pytest.approx(scores[probe]["headline"]["value"], abs=1e-9), number
        else:
            assert entry.isprintable()
            assert "cannot be checked" not in entry, (number, entry)
        in_time(begun, f"record {number}")
        shutil.rmtree(results)
    assert verified < CASES / 2


def test_a_board_of_changed_records_is_a_page(made_once: Path, small_bank: Bank, tmp_path: Path) -> None:
    results = shutil.copytree(made_once, tmp_path / "results")
    (honest,) = results.glob("records/*.json")
    record = json.loads(honest.read_text())
    for number, draw in enumerate(seeds(30, 10**6)):
        (results / "records" / f"{number:016}.json").write_text(json.dumps(changed(record, draw)))
    board = read_results(results, small_bank)
    assert honest.stem in {entry.id for entry in board.entries}
    assert "<script" not in render(board)


def test_a_changed_run_folder_is_scored_or_refused(
    small_bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made_runs.make_run(tmp_path / "run", small_bank, made_runs.mixed)
    write_scores(run, score_run(load_run(run, small_bank)))
    for number, draw in enumerate(seeds(max(200, CASES // 5), 2)):
        begun = time.process_time()
        folder = tmp_path / "changed"
        shutil.copytree(run, folder)
        for name in draw.sample(["run.json", "scores.json", "turns.jsonl"], draw.choice([1, 1, 2])):
            (change_log if name == "turns.jsonl" else change_file)(folder / name, draw)
        try:
            bank_of(folder, str(small_bank.path))
            loaded = load_run(folder, small_bank)
            if not loaded.isomorphic:
                print_scores(score_run(loaded))
                lines, signs = run_differences(folder, small_bank)
                assert all(line.isprintable() for line in (*lines, *signs))
        except UserError:
            pass
        except Exception as error:
            raise AssertionError(f"run {number}: {type(error).__name__} {error}") from error
        assert "\x1b" not in capsys.readouterr().out
        in_time(begun, f"run {number}")
        shutil.rmtree(folder)


def test_a_hostile_bank_is_opened_or_refused(small_bank: Bank, tmp_path: Path) -> None:
    opened = 0
    for number, draw in enumerate(seeds(max(200, CASES // 5), 3)):
        begun = time.process_time()
        folder = tmp_path / "bank"
        shutil.copytree(small_bank.path, folder)
        for _ in range(draw.choice([1, 1, 2])):
            file = draw.choice(sorted(folder.glob("data/*/*.parquet")))
            kind = draw.randrange(4)
            if kind == 0:
                change_file(folder / MANIFEST, draw)
            elif kind == 1:
                change_bytes(file, draw)
                if draw.random() < 0.5:
                    refit_manifest(folder)
            else:
                put_another_table(folder, file, draw)
        try:
            opened += len(open_bank(folder).tasks) > 0
        except UserError:
            pass
        except Exception as error:
            raise AssertionError(f"bank {number}: {type(error).__name__} {error}") from error
        in_time(begun, f"bank {number}")
        shutil.rmtree(folder)
    assert opened < CASES


def refit_manifest(folder: Path) -> None:
    """Let the manifest state the sums that the files now have."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        for entry in manifest["files"]:
            entry["sha256"] = hashlib.sha256((folder / entry["path"]).read_bytes()).hexdigest()
        (folder / MANIFEST).write_text(json.dumps(manifest))
    except (OSError, ValueError, TypeError, KeyError):
        return  # damaged before


def put_another_table(folder: Path, file: Path, draw: random.Random) -> None:
    """Write changed rows into a file and make the manifest fit, as somebody would who means it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vehbench_hf.bank.schema import row_checksum

    table = pq.read_table(file)
    rows = table.to_pylist()
    place = draw.randrange(len(rows))
    try:
        rows[place] = changed(rows[place], draw) if draw.random() < 0.7 else rows[draw.randrange(len(rows))]
        if draw.random() < 0.2:
            rows *= draw.choice([2, 200])
        for row in rows:
            row["checksum"] = row_checksum(row)
        pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), file, use_dictionary=draw.random() < 0.5)
        manifest = json.loads((folder / MANIFEST).read_text())
        for entry in manifest["files"]:
            if folder / entry["path"] == file:
                entry["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
                entry["rows"] = len(rows)
                entry["row_sha256"] = {row["task_id"]: row["checksum"] for row in rows}
        manifest["fingerprint"] = fingerprint_of(s for e in manifest["files"] for s in e["row_sha256"].values())
        (folder / MANIFEST).write_text(json.dumps(manifest))
    except (pa.ArrowException, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return  # what no file can hold
