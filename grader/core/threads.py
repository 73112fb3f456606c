"""Keeps NumPy's linear algebra to one thread where more would cost more than they save."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

OF_A_JUDGE = {"OPENBLAS_NUM_THREADS": "4", "OPENBLAS_THREAD_TIMEOUT": "16"}
"""Environment variables for a process that computes references, to be set before NumPy is loaded. Starting more threads
costs more than they save. An idle one polls for two to this power of clock cycles before it sleeps: by default for tens
of milliseconds, at the start of each process and after each product."""


@cache
def _libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Within it NumPy's linear algebra has one thread.

    OpenBLAS shares even a product of a few thousand elements between threads. Those that wait for the others, and for
    more work, poll: that costs more processor time than all else that judging a small case takes.
    """
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited
