"""A bank of somebody else takes no more memory than its manifest leads to expect."""

import hashlib
import json
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import vehbench
from vehbench_hf.bank.bank import MANIFEST, Bank, open_bank
from vehbench_hf.bank.schema import arrow_schema
from vehbench_hf.errors import BankError

SCHEMA = arrow_schema("p1")
ONE = {"task_id": "x", "probe": "p1"}


def many_rows(file: Path) -> None:
    """Ten million rows in two megabytes, as a dictionary packs them."""
    chunk = pa.Table.from_pylist([ONE], schema=SCHEMA).take(pa.array([0] * 100_000))
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(chunk)


def long_list(file: Path) -> None:
    """Two rows, one of them with a list of a million and a half entries."""
    notes = [{"name": "a", "text": "b"}] * 1_500_000
    rows = [{**ONE, "spec": {"notes": notes}}, {**ONE, "task_id": "y"}]
    with pq.ParquetWriter(file, SCHEMA, compression="zstd", use_dictionary=False) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), row_group_size=2)


def long_text(file: Path) -> None:
    """Two rows with a text of a hundred megabytes, which packs to nothing."""
    rows = [{**ONE, "subtype": "a" * 100_000_000}, {**ONE, "task_id": "y"}]
    with pq.ParquetWriter(file, SCHEMA, compression="zstd", use_dictionary=False) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))


def large_dictionary(file: Path) -> None:
    """A thousand references to one text of a megabyte."""
    rows = [{**ONE, "task_id": str(number), "subtype": "a" * 1_000_000} for number in range(1000)]
    with pq.ParquetWriter(file, SCHEMA, compression="zstd", use_dictionary=True) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))


@pytest.mark.parametrize(
    ("write", "rows", "words"),
    [
        (many_rows, 2, "holds 2000000 rows, manifest.json says 2"),
        (many_rows, 2_000_000, "unpacks to more than"),
        (long_list, 2, "unpacks to more than"),
        (long_text, 2, "unpacks to more than"),
        (large_dictionary, 1000, "unpacks to more than"),
    ],
)
def test_a_file_that_unpacks_to_much_more_is_refused_before_it_is_read(
    write: Callable[[Path], None], rows: int, words: str, small_bank: Bank, tmp_path: Path
) -> None:
    bank = shutil.copytree(small_bank.path, tmp_path / "bank")
    manifest: dict[str, Any] = json.loads((bank / MANIFEST).read_text())
    entry = manifest["files"][0]
    write(bank / entry["path"])
    entry |= {"sha256": hashlib.sha256((bank / entry["path"]).read_bytes()).hexdigest(), "rows": rows}
    (bank / MANIFEST).write_text(json.dumps(manifest))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BankError, match=words):
        open_bank(bank)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    done = vehbench("tasks", "--bank", bank)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"schema": NaN}', "\ud800", f"[{'[],' * 3_000_000}[]]"])
def test_a_hostile_manifest_is_refused(text: str, small_bank: Bank, tmp_path: Path) -> None:
    bank = shutil.copytree(small_bank.path, tmp_path / "bank")
    (bank / MANIFEST).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(BankError, match="cannot be read as a bank manifest"):
        open_bank(bank)
