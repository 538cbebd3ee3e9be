"""The same values on a processor with fewer instructions: NumPy's and OpenBLAS's kernels differ in last digits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
OF_VALUES = (
    "tests/golden",
    "tests/oracle/test_equations.py",
    "tests/oracle/test_fingerprint.py",
    "tests/oracle/test_verdict.py",
    "tests/statistics",
    "tests/scoring/test_metric_pages.py",
    "tests/scoring/test_p2.py",
    "tests/runners/test_optimizers.py",
)


def optional_features() -> list[str]:
    """The instructions that NumPy's kernels would use here beyond those it always needs."""
    code = (
        "from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__\n"
        "print(*(name for name in __cpu_dispatch__ if __cpu_features__[name]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize("core", ["PRESCOTT", "HASWELL"])
def test_values_do_not_depend_on_the_processor(core: str) -> None:
    environment = {
        **os.environ,
        "NPY_DISABLE_CPU_FEATURES": " ".join(optional_features()),
        "OPENBLAS_CORETYPE": core,
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-p", "no:cacheprovider", *OF_VALUES]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
