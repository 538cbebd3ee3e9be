"""The fingerprint tells whether two runs were judged by the same physics."""

from collections.abc import Iterator
from typing import Any

import pytest

from vehbench_oracle import oracle_fingerprint
from vehbench_oracle.veh import cantilever, materials, quantities


@pytest.fixture(autouse=True)
def _uncached() -> Iterator[None]:
    oracle_fingerprint.cache_clear()
    yield
    oracle_fingerprint.cache_clear()


def test_the_fingerprint_is_the_same_from_call_to_call() -> None:
    first = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    assert oracle_fingerprint() == first
    assert len(first) == 64


CONSTANTS = ("GRAVITY_M_S2", "VACUUM_PERMITTIVITY_F_M", "MASS_FACTOR", "SLOPE_FACTOR", "DEFAULT_DAMPING_RATIO")


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_changed_constant_changes_the_fingerprint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    monkeypatch.setattr(cantilever, name, getattr(cantilever, name) * (1 + 1e-6))
    assert oracle_fingerprint() != before


TABLES: tuple[dict[str, Any], ...] = (materials.PIEZO, materials.SUBSTRATE)
ENTRIES = [(table, key, field) for table in TABLES for key, entry in table.items() for field in entry._fields]


@pytest.mark.parametrize(
    ("table", "key", "field"), [*ENTRIES, *((quantities.LIMITS, name, "value") for name in quantities.LIMITS)]
)
def test_a_changed_entry_of_a_table_changes_the_fingerprint(
    table: dict[str, Any], key: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    number = getattr(table[key], field)
    monkeypatch.setitem(table, key, table[key]._replace(**{field: number * (1 + 1e-5)}))
    assert oracle_fingerprint() != before
