"""Shared fixtures: where the authors' release lies, when it is here."""

import os
import signal
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from small_bank import write_small_bank
from vehbench_hf.bank.bank import Bank, open_bank

# A busy machine is slow, which says nothing about the code under test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell gives commands behind "&" an ignored SIGINT, and children inherit it: tests that send one would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent


def _beside(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable) or REPOSITORY.parent / "shared" / name)
    if not folder.is_dir():
        reason = f"needs the authors' release: set {variable} to its folder (looked at {folder})"
        if os.environ.get("VEHBENCH_REQUIRE_RELEASE"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def release_dir() -> Path:
    """The authors' release, read-only."""
    return _beside("VEHBENCH_RELEASE_DIR", "release")


@pytest.fixture(scope="session")
def reference_dir() -> Path:
    """Transcribed facts about the release that only tests need."""
    return _beside("VEHBENCH_REFERENCE_DIR", "reference")


@pytest.fixture(scope="session")
def small_bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """Twenty fixed tasks of the benchmark."""
    return write_small_bank(tmp_path_factory.mktemp("bank") / "small")


@pytest.fixture(scope="session")
def bank_v2() -> Bank:
    """The benchmark's own bank, whole."""
    bank = open_bank("v2")
    assert len(bank.tasks) == 763
    return bank


@pytest.fixture(scope="session")
def bank_v1(release_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """Bank v1, imported once for all processes of a session, with the authors' logs below runs/."""
    from vehbench_hf.paper.release.importer import import_release

    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with FileLock(shared / "bank_v1.lock"):
        if not (shared / "bank_v1").exists():
            import_release(release_dir, shared / "bank_v1.part")
            (shared / "bank_v1.part").rename(shared / "bank_v1")
    bank = open_bank(shared / "bank_v1")
    assert len(bank.tasks) == 763
    return bank
