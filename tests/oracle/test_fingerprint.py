"""The fingerprint tells whether two runs were judged by the same physics."""

from collections.abc import Iterator

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


@pytest.mark.parametrize(
    "name",
    ["GRAVITY_M_S2", "VACUUM_PERMITTIVITY_F_M", "MASS_FACTOR", "SLOPE_FACTOR", "DEFAULT_DAMPING_RATIO"],
)
def test_a_changed_constant_changes_the_fingerprint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    monkeypatch.setattr(cantilever, name, getattr(cantilever, name) * (1 + 1e-6))
    assert oracle_fingerprint() != before


@pytest.mark.parametrize("field", materials.Piezo._fields)
@pytest.mark.parametrize("piezo", materials.PIEZO)
def test_a_changed_piezo_constant_changes_the_fingerprint(
    piezo: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    constants = materials.PIEZO[piezo]
    changed = constants._replace(**{field: getattr(constants, field) * (1 + 1e-5)})
    monkeypatch.setitem(materials.PIEZO, piezo, changed)
    assert oracle_fingerprint() != before


@pytest.mark.parametrize("field", materials.Substrate._fields)
@pytest.mark.parametrize("substrate", materials.SUBSTRATE)
def test_a_changed_substrate_constant_changes_the_fingerprint(
    substrate: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    constants = materials.SUBSTRATE[substrate]
    changed = constants._replace(**{field: getattr(constants, field) * (1 + 1e-5)})
    monkeypatch.setitem(materials.SUBSTRATE, substrate, changed)
    assert oracle_fingerprint() != before


@pytest.mark.parametrize("name", quantities.LIMITS)
def test_a_changed_default_limit_changes_the_fingerprint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = oracle_fingerprint()
    oracle_fingerprint.cache_clear()
    kind = quantities.LIMITS[name]
    monkeypatch.setitem(quantities.LIMITS, name, kind._replace(value=kind.value + 0.5))
    assert oracle_fingerprint() != before
