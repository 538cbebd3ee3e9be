"""Linear algebra on one thread: the last bits of a matrix product depend on the number of threads, and a flat optimum
follows the last bits. Libraries read the number when they are loaded, so it holds for processes begun afterwards.
"""

import multiprocessing
import os
import threading

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pin_threads() -> None:
    """One thread for every process that begins from here on."""
    os.environ.update(dict.fromkeys(VARIABLES, "1"))


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
