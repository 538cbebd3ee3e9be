"""The benchmark's bank as it ships: what it claims holds for the very files in the package."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS
from vehbench_hf.paths import shipped
from vehbench_hf.types import PROBES, SPLITS

SPLIT_SIZES = {"p1": [80, 80, 80], "p2": [64, 40, 104], "p3": [64, 40, 52], "p4": [93, 36, 30]}
"""Tasks in dev, test_id and test_ood, as the paper has them (Table 10)."""


ISOMORPHIC_SIZES = [81, 33, 24]
"""Three rows for each of 27, 11 and 8 groups."""


@pytest.fixture(scope="module")
def bank() -> Bank:
    return open_bank("v2")


def test_counts_are_those_of_the_paper(bank: Bank) -> None:
    for probe in PROBES:
        assert [len(bank.select([probe], [split])) for split in SPLITS] == SPLIT_SIZES[probe]
    assert bank.headline_splits == ("test_id", "test_ood")
    assert bank.convention == "defined"


def test_isomorphic_groups_are_those_of_the_paper_and_do_not_count_as_tasks(bank: Bank) -> None:
    rows = open_isomorphic(bank)
    assert [sum(row.split == split for row in rows) for split in SPLITS] == ISOMORPHIC_SIZES
    assert len({row.group for row in rows}) == 46
    assert Counter(row.form for row in rows) == dict.fromkeys(FORMS, 46)
    assert len(bank.tasks) == 763
    assert not {row.task_id for row in rows} & set(bank.by_id)


def test_the_package_stays_small(bank: Bank) -> None:
    assert sum(file.stat().st_size for file in bank.path.rglob("*") if file.is_file()) < 3_000_000


@pytest.mark.slow
def test_the_audit_finds_nothing(bank: Bank) -> None:
    from vehbench_builder.audit.all_checks import audit_bank

    report = audit_bank(bank, jobs=2)
    assert {name: check.faults[:3] for name, check in report.checks.items() if check.faults} == {}
    assert sum(check.checked for check in report.checks.values()) > 10_000


LITERAL = """
import json, sys
from datasets import load_dataset
found = {c: load_dataset("vehbench", c) for c in ("p1", "p2", "p3", "p4", "isomorphic")}
print(json.dumps({c: {s: d.num_rows for s, d in splits.items()} for c, splits in found.items()}))
"""


@pytest.mark.slow
def test_the_literal_call_works_beside_an_export_and_after_install(tmp_path: Path) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    command = [sys.executable, "-c", "from vehbench_cli import main; main()"]
    sizes_of = {**SPLIT_SIZES, "isomorphic": ISOMORPHIC_SIZES}
    expected = {config: dict(zip(SPLITS, sizes, strict=True)) for config, sizes in sizes_of.items()}
    for name, arguments in (("beside", ["export", "--bank", "v2"]), ("empty", ["install", "--bank", "v2"])):
        folder = tmp_path / name
        folder.mkdir()
        own = {**environment, "HF_HOME": str(tmp_path / f"hf-{name}")}
        subprocess.run([*command, *arguments], cwd=folder, env=own, check=True, capture_output=True)
        done = subprocess.run([sys.executable, "-c", LITERAL], cwd=folder, env=own, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1]) == expected


def test_the_shipped_folder_is_the_one_that_is_opened(bank: Bank) -> None:
    assert bank.path == shipped("bank_v2")
