"""`croissant.json` is valid, and reading a bank through it gives every value of every row."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from vehbench_builder.documents.columns import leaves
from vehbench_builder.documents.croissant import CONTEXT, croissant, croissant_text, version_of
from vehbench_builder.documents.metadata import metadata, rai_of
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.loading import configs_of, rows_of
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.types import PROBES, Probe

mlcroissant = pytest.importorskip(
    "mlcroissant", reason="needs the extra croissant: pip install 'vehbench-hf[croissant]'"
)


def described(bank: Bank, out: Path) -> Path:
    """A copy of a bank with its `croissant.json`."""
    file = Path(shutil.copytree(bank.path / "data", out / "data")).parent / "croissant.json"
    file.write_text(croissant_text(bank), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def read(small_bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return mlcroissant.Dataset(str(described(small_bank, tmp_path_factory.mktemp("croissant"))))


def test_mlcroissant_finds_neither_error_nor_warning(read: Any) -> None:
    assert not read.metadata.issues.errors
    assert not read.metadata.issues.warnings
    assert [one.id for one in read.metadata.record_sets] == list(PROBES)


def plain(value: Any) -> Any:
    """A value as read through Croissant: texts come as bytes, numbers as numpy's."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def flat(record: dict[str, Any]) -> dict[str, Any]:
    """The leaf fields of a record by id; mlcroissant groups them under their parents, lists as lists of records."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            found.update(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            found.update({key: [one[key] for one in value] for key in value[0]})
        else:
            found[name] = value
    return {name: plain(value) for name, value in found.items()}


def at(row: Any, path: list[str]) -> Any:
    """The value at a path of a row; a list on the way gives a list, and null stays null."""
    if row is None or not path:
        return row
    if isinstance(row, list):
        return [at(one, path) for one in row]
    return at(row[path[0]], path[1:])


@pytest.mark.parametrize("config", PROBES)
def test_every_value_comes_unchanged_through_croissant(read: Any, small_bank: Bank, config: Probe) -> None:
    compare(read, small_bank, config)


def test_every_isomorphic_row_comes_unchanged_through_croissant(tmp_path: Path) -> None:
    bank = open_bank("v2")
    read = mlcroissant.Dataset(str(described(bank, tmp_path)))
    assert not read.metadata.issues.errors | read.metadata.issues.warnings
    assert [one.id for one in read.metadata.record_sets] == configs_of(bank) == [*PROBES, "isomorphic"]
    compare(read, bank, "isomorphic")


def compare(read: Any, bank: Bank, config: str) -> None:
    """Every leaf of every row of a config, as read through Croissant."""
    records = [flat(record) for record in read.records(config)]
    splits = dict.fromkeys(file.split for file in bank.data_files if file.config == config)
    rows = [row for split in splits for row in rows_of(bank, config, split)]
    assert [record[f"{config}/task_id"] for record in records] == [row["task_id"] for row in rows] != []
    compared = 0
    for record, row in zip(records, rows, strict=True):
        for path in leaves(config):
            expected = at(row, path.split("."))
            # mlcroissant leaves the fields of an empty list out and shows the list itself.
            found = record.get(f"{config}/{path.replace('.', '/')}", [])
            assert found == expected, path
            compared += expected not in (None, [])
    assert compared > 20 * len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("config", PROBES)
def test_every_record_of_the_authors_bank_can_be_read(bank_v1: Bank, tmp_path: Path, config: Probe) -> None:
    dataset = mlcroissant.Dataset(str(described(bank_v1, tmp_path)))
    assert not dataset.metadata.issues.errors | dataset.metadata.issues.warnings
    ids = [plain(record[f"{config}/task_id"]) for record in dataset.records(config)]
    assert ids == [task.task_id for task in bank_v1.select([config])]


def test_the_context_is_the_standard_one() -> None:
    from mlcroissant._src.core.context import Context, CroissantVersion
    from mlcroissant._src.core.rdf import make_context

    standard = make_context(Context(conforms_to=CroissantVersion.V_1_1))
    assert {name: CONTEXT.get(name) for name in standard} == standard


def test_no_column_is_left_out(small_bank: Bank) -> None:
    def ids(fields: list[dict[str, Any]]) -> set[str]:
        return {name for f in fields for name in (ids(f["subField"]) if "subField" in f else {f["@id"]})}

    for record_set in [*croissant(small_bank)["recordSet"], *croissant(open_bank("v2"))["recordSet"]]:
        config = record_set["@id"]
        assert ids(record_set["field"]) == {f"{config}/{path.replace('.', '/')}" for path in leaves(config)}


MINIMAL = (
    "dataLimitations dataBiases personalSensitiveInformation dataUseCases dataSocialImpact dataCollection "
    "dataReleaseMaintenancePlan"
)


@pytest.mark.parametrize("version", ["veh-v2", "veh-v2.1-train-7", "veh-v1", "veh-small-1", "someone-elses"])
def test_no_responsible_ai_field_is_empty(small_bank: Bank, version: str) -> None:
    bank = Bank(small_bank.path, {**small_bank.manifest, "version": version}, small_bank.tasks)
    found = croissant(bank)
    for name in MINIMAL.split():
        value = found[f"rai:{name}"]
        assert value
        assert all(len(text) > 4 for text in ([value] if isinstance(value, str) else value)), name
    assert found["rai:hasSyntheticData"] is True
    assert CANARY in found["description"]


def test_the_authors_bank_alone_is_said_to_have_faults(small_bank: Bank) -> None:
    def limits(version: str) -> str:
        return " ".join(rai_of(Bank(Path(), {"version": version}, ()))["dataLimitations"])

    assert "faults" in limits("veh-v1")
    assert limits("veh-v2") == limits("anything") == " ".join(metadata()["rai"]["dataLimitations"])


def test_the_papers_behind_the_tasks_are_named(small_bank: Bank) -> None:
    dois = {task.anchor["doi"] for task in small_bank.tasks if task.anchor is not None}
    sources = croissant(small_bank)["prov:wasDerivedFrom"]
    assert [source["@id"].removeprefix("https://doi.org/") for source in sources] == sorted(
        dois, key=[task.anchor["doi"] for task in small_bank.tasks if task.anchor].index
    )
    assert small_bank.fingerprint in croissant(small_bank)["prov:wasGeneratedBy"]["description"]


@pytest.mark.parametrize(
    ("version", "number"),
    [("veh-v2", "2.0.0"), ("veh-v2.1", "2.1.0"), ("veh-small-1", "1.0.0"), ("x", "0.0.0"), ("v1.2.3.4", "1.2.3")],
)
def test_the_version_is_a_semantic_version(version: str, number: str) -> None:
    assert version_of(Bank(Path(), {"version": version}, ())) == number


def test_equal_banks_give_equal_texts(small_bank: Bank, tmp_path: Path) -> None:
    copy = open_bank(shutil.copytree(small_bank.path, tmp_path / "copy"))
    assert croissant_text(copy) == croissant_text(small_bank)
    assert not re.search(r"/(tmp|home|work|root)/", croissant_text(copy))
    assert json.loads(croissant_text(copy))["license"].startswith("https://creativecommons.org/licenses/by/4.0")
