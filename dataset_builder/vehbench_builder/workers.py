"""Worker processes that compute alike on any x86-64 processor, whatever environment the build was started in.

NumPy, OpenBLAS and the C library choose their code by the processor, and the last bits of sums, products, exponentials
and logarithms depend on that choice and on the number of threads; a flat optimum follows the last bits. They choose
when they are loaded. So a worker is a fresh interpreter whose environment asks for the code that every x86-64 processor
has. ARM, other C libraries and other versions of the libraries have code of their own and are out of reach.
"""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

_SIMD = np.show_config(mode="dicts")["SIMD Extensions"]
FIXED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": " ".join(sorted([*_SIMD.get("found", ()), *_SIMD.get("not found", ())])),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable",
}
"""The environment of a worker. Prescott is the oldest core that OpenBLAS knows; NumPy keeps what it was compiled for at
least; the names that end in _Usable are those of C libraries before 2.33."""
_CHOSEN_OTHERWISE = ("NPY_ENABLE_CPU_FEATURES",)
"""What contradicts the fixed environment."""


@contextmanager
def worker_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Up to `jobs` workers in the fixed environment; the environment of this process is its own again afterwards."""
    names = (*FIXED, *_CHOSEN_OTHERWISE)
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    os.environ.update(FIXED)
    try:
        # "spawn": a fresh interpreter, so that the libraries are loaded anew.
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=end_with_parent) as pool:
            yield pool
    finally:
        for name in FIXED:
            del os.environ[name]
        os.environ.update(before)


def end_with_parent() -> None:
    """Let this worker process end as soon as its parent is gone. A killed parent cannot tell its workers to stop.

    Workers wait for work on a pipe whose other end they hold themselves, so that no end of file would wake them.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
