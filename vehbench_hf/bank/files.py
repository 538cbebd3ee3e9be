"""The Parquet files of a bank: written with the sums that a manifest keeps, and read only as the manifest says."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from vehbench_hf.errors import BankError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAX_PACKED = 64_000_000
"""Bytes of all files of a bank; those of the published one have one hundredth of that."""
MAX_UNPACKED = 64_000_000
"""Bytes of all columns of a file; one of the published bank has two hundred thousand."""
MAX_VALUES = 3_000_000
"""Values of all columns of a file, those in lists included. One of the published bank has thirty thousand."""
BATCH = 16
"""Rows that are unpacked at a time."""
MAX_NAME = 200
"""Of a file of a bank; file systems take no name that is much longer."""


def write_rows(out: Path, name: str, rows: Sequence[Mapping[str, Any]], schema: "pa.Schema") -> dict[str, Any]:
    """Write rows with a checksum each to `out/name`; returns path, number of rows and sums for the manifest.

    Equal rows give equal bytes with equal versions of pyarrow.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vehbench_hf.bank.schema import CANARY

    file = out / name
    file.parent.mkdir(parents=True, exist_ok=True)
    # Few rows in hundreds of columns: dictionaries, statistics and a second copy of the schema would be most
    # of the file. Without that copy the canary does not get in by itself.
    lean: dict[str, Any] = {"use_dictionary": False, "write_statistics": False, "store_schema": False}
    with pq.ParquetWriter(file, schema, compression="zstd", **lean) as writer:
        writer.add_key_value_metadata({"canary": CANARY})
        writer.write_table(pa.Table.from_pylist(list(rows), schema=schema))
    return {
        "path": name,
        "rows": len(rows),
        "sha256": sha256_of(file),
        "row_sha256": {row["task_id"]: row["checksum"] for row in rows},
    }


def read_rows(folder: Path, entry: Mapping[str, Any], schema: "pa.Schema", config: str) -> list[dict[str, Any]]:
    """The rows of a file that a manifest lists under `entry`, in file order.

    Raises BankError when the file is absent, leads out of the folder, or when it, its columns or one of its rows is
    not what the entry says.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vehbench_hf.bank.schema import row_checksum

    file = _inside(folder, entry["path"])
    try:
        if not file.is_file() or sha256_of(file) != entry["sha256"]:
            state = "differs from the manifest" if file.is_file() else "is missing"
            raise BankError(f"{file} {state}; the bank is damaged, write it again.")
        parquet = pq.ParquetFile(file)
        if not parquet.schema_arrow.equals(schema):
            raise BankError(f"{file} has another schema than config {config} of this version; write the bank again.")
        if parquet.metadata.num_rows != entry["rows"]:
            held = parquet.metadata.num_rows
            raise BankError(f"{file} holds {held} rows, manifest.json says {entry['rows']}.")
        table = _unpacked(parquet, file)
    except BankError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:
        raise BankError(f"{str(file)[:300]} is no readable Parquet file: {error}") from None
    try:
        rows: list[dict[str, Any]] = table.to_pylist()
        wrong = [row["task_id"] for row in rows if row_checksum(row) != row["checksum"]]
    except ValueError as error:
        raise BankError(
            f"{file}: a row holds a number that is not finite or a text that is no UTF-8: {error}"
        ) from None
    if wrong:
        raise BankError(f"{file}: row {wrong[0]!r} does not match its checksum.")
    empty = [row["task_id"] for row in rows if None in (row["task_id"], row["spec"], row["gold"])]
    if empty:
        raise BankError(f"{file}: row {empty[0]!r} has no id, no spec or no gold.")
    if len({row["task_id"] for row in rows}) < len(rows):
        raise BankError(f"{file}: a task occurs twice.")
    if {row["task_id"]: row["checksum"] for row in rows} != entry["row_sha256"]:
        raise BankError(f"{file}: the rows are not those that manifest.json lists.")
    if len(rows) != entry["rows"]:
        raise BankError(f"{file} holds {len(rows)} rows, manifest.json says {entry['rows']}.")
    return rows


def check_sizes(folder: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Raise BankError for a bank whose files are larger than those of any bank, before one of them is read."""
    files = [_inside(folder, entry["path"]) for entry in entries]
    if sum(file.stat().st_size for file in files if file.is_file()) > MAX_PACKED:
        raise BankError(f"the files of {folder} have more than {MAX_PACKED} bytes, which no bank has.")


def _unpacked(parquet: "pq.ParquetFile", file: Path) -> "pa.Table":
    """The table of a file, read in small pieces. Raises BankError when it unpacks to more than a bank holds.

    A file of two megabytes can hold ten million rows, one row of ten million values, or a thousand times one text of a
    megabyte. Sizes in its footer may be made up, and asking a damaged footer for its columns aborts the process.
    """
    import pyarrow as pa

    batches, size, values = [], 0, 0
    for batch in parquet.iter_batches(batch_size=BATCH):
        size += batch.nbytes
        values += sum(_values(column) for column in batch.columns)
        if size > MAX_UNPACKED or values > MAX_VALUES:
            most = f"{MAX_UNPACKED // 10**6} MB and {MAX_VALUES} values"
            raise BankError(f"{file} unpacks to more than the {most} that a file of a bank may hold.")
        batches.append(batch)
    return pa.Table.from_batches(batches, schema=parquet.schema_arrow)


def _values(array: "pa.Array") -> int:
    """How many values an array holds, those in lists and structs included."""
    import pyarrow as pa

    parts = [array.flatten()] if pa.types.is_list(array.type) else []
    parts += array.flatten() if pa.types.is_struct(array.type) else []
    return len(array) + sum(_values(part) for part in parts)


def fingerprint_of(checksums: Iterable[str]) -> str:
    """SHA-256 over the checksums of rows, whatever their order."""
    return hashlib.sha256("\n".join(sorted(checksums)).encode()).hexdigest()


def sha256_of(file: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _inside(folder: Path, name: str) -> Path:
    """`folder/name`, unless the name leads out of the folder. The file may be a link, as in a Hub snapshot."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts or "\0" in name or "\\" in name or len(name) > MAX_NAME:
        raise BankError(
            f"{folder}/manifest.json: the file name {name[:MAX_NAME]!r} leads out of the bank or is too long."
        )
    return folder.joinpath(*parts)
