"""`croissant.json`: a bank described in Croissant 1.1 with the responsible-AI extension 1.0.

Generated from the files and the Arrow schema alone. One record set a config; its records are read from the Parquet
files beside `croissant.json`, whose checksums stand in the file. A nested value is a column and a JSON path, and where
the way leads through a list the path is cut in two there, since a reader applies each part to every item of a list.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from vehbench_builder.documents.builder_class import STAGES
from vehbench_builder.documents.columns import meaning_of
from vehbench_builder.documents.metadata import build_facts, metadata, rai_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.loading import columns_of, configs_of
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.paths import shipped

CONFORMS_TO = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
PARQUET = "application/x-parquet"

CONTEXT: dict[str, Any] = json.loads(shipped("cards/croissant_context.json").read_text(encoding="utf-8"))
"""The standard context of Croissant 1.1; readers warn when an entry is missing."""

_TYPES = {"string": "sc:Text", "double": "sc:Float", "int64": "sc:Integer", "bool": "sc:Boolean"}

Steps = tuple[tuple[str, ...], ...]
"""The way to a value inside a column: field names, in a new group after every list."""


def croissant_text(bank: Bank) -> str:
    """The text of `croissant.json` for a bank, to lie beside its README. Equal banks give equal texts."""
    return json.dumps(croissant(bank), indent=1, ensure_ascii=False) + "\n"


def croissant(bank: Bank) -> dict[str, Any]:
    """The description of a bank as a JSON-LD object."""
    about = metadata()
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": f"vehbench-{bank.version}",
        "description": f"{about['description']} Bank {bank.version}. {CANARY}.",
        "conformsTo": CONFORMS_TO,
        "version": version_of(bank),
        "datePublished": bank.manifest.get("date_published", about["date_published"]),
        "license": about["license_url"],
        "url": about["url"],
        "citeAs": about["citation"],
        "creator": {"@type": "sc:Organization", "name": about["creator"]},
        "keywords": about["keywords"],
        "inLanguage": "en",
        **{f"rai:{name}": value for name, value in rai_of(bank).items()},
        "prov:wasDerivedFrom": list(_sources(bank)),
        "prov:wasGeneratedBy": _activity(bank),
        "distribution": [*_files(bank), *(_file_set(bank, config) for config in configs_of(bank))],
        "recordSet": [_record_set(config) for config in configs_of(bank)],
    }


def version_of(bank: Bank) -> str:
    """The number in the bank's version with three places, as Croissant asks: "veh-v2" is "2.0.0"."""
    numbers = re.findall(r"\d+(?:\.\d+)*", bank.version)
    return ".".join([*(numbers[-1].split(".") if numbers else []), "0", "0", "0"][:3])


def _sources(bank: Bank) -> Iterator[dict[str, Any]]:
    """The papers behind the tasks, each once, in the order of the tasks."""
    papers = {task.anchor["doi"]: task.anchor for task in bank.tasks if task.anchor is not None}
    for doi, paper in papers.items():
        if doi:
            name = paper["title"] or paper["key"]
            yield {"@type": "prov:Entity", "@id": f"https://doi.org/{quote(doi, safe='/().:;-_')}", "name": name}


def _activity(bank: Bank) -> dict[str, Any]:
    """Who made the bank, with what the manifest says about versions and seeds."""
    facts = build_facts(bank)
    versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items())
    parts = [
        f"bank {bank.version}, fingerprint {bank.fingerprint}",
        f"built with {versions}" if versions else "",
        f"seed {facts['seed']}" if facts["seed"] is not None else "",
        f"oracle {facts['oracle']}" if facts["oracle"] else "",
    ]
    name = str(bank.manifest.get("builder", "vehbench"))
    return {"@type": "prov:Activity", "name": name, "description": "; ".join(part for part in parts if part)}


def _files(bank: Bank) -> Iterator[dict[str, Any]]:
    for file in bank.data_files:
        yield {
            "@type": "cr:FileObject",
            "@id": f"{file.config}-{file.split}",
            "name": file.path.rpartition("/")[2],
            "description": f"split {file.split} of {file.config}, {file.rows} rows",
            "contentUrl": file.path,
            "contentSize": f"{(bank.path / file.path).stat().st_size} B",
            "encodingFormat": PARQUET,
            "sha256": file.sha256,
        }


def _file_set(bank: Bank, config: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{config}-files",
        "name": f"{config} files",
        "description": f"the files of config {config}",
        "encodingFormat": PARQUET,
        "includes": [file.path for file in bank.data_files if file.config == config],
    }


def _record_set(config: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": STAGES[config],
        "key": {"@id": f"{config}/task_id"},
        "field": [
            _field(config, field, column=field.name, path=field.name, steps=((),)) for field in columns_of(config)
        ],
    }


def _field(config: str, field: pa.Field, *, column: str, path: str, steps: Steps) -> dict[str, Any]:
    """A column or a field inside one, with all fields below it. `steps` lead from the column to its value."""
    many = pa.types.is_list(field.type)
    kind = field.type.value_type if many else field.type
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{config}/{path.replace('.', '/')}",
        "name": field.name,
        "description": meaning_of(path),
        **({"isArray": True, "arrayShape": "-1"} if many else {}),
    }
    if pa.types.is_struct(kind):
        inside = (*steps, ()) if many else steps
        below = [
            _field(
                config,
                inner,
                column=column,
                path=f"{path}.{inner.name}",
                steps=(*inside[:-1], (*inside[-1], inner.name)),
            )
            for inner in kind
        ]
        return {**described, "subField": below}
    source: dict[str, Any] = {"fileSet": {"@id": f"{config}-files"}, "extract": {"column": column}}
    ways = [{"jsonPath": "$." + ".".join(group)} for group in steps if group]
    if ways:
        source["transform"] = ways
    return {**described, "dataType": _TYPES[str(kind)], "source": source}
