"""Threads of a judge: work beside its own, and NumPy's linear algebra kept to one where more would cost more than they
save."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

T = TypeVar("T")

OF_A_JUDGE = {"OPENBLAS_NUM_THREADS": "4", "OPENBLAS_THREAD_TIMEOUT": "16"}
"""Environment variables for a process that computes references, to be set before NumPy is loaded. Starting more threads
costs more than they save. An idle one polls for two to this power of clock cycles before it sleeps: by default for tens
of milliseconds, at the start of each process and after each product."""


def beside(work: Callable[[], T], name: str) -> Future[T]:
    """Does the work, which starts no processes, in a thread of this name.

    The thread keeps no process from ending. One of a ThreadPoolExecutor does, where Ctrl-C comes between its start and
    the pool's noting of it.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


@cache
def _libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _OneThread:
    """How many are within `one_thread`: the first sets the limit, the last lifts it, in whatever order they leave."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._within = 0
        self._limit: AbstractContextManager[object] | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._within += 1
            if self._within == 1:
                self._limit = _libraries().limit(limits=1, user_api="blas")
                self._limit.__enter__()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._within -= 1
            if self._within == 0 and self._limit is not None:
                self._limit.__exit__(None, None, None)


_ONE_THREAD = _OneThread()


def one_thread() -> AbstractContextManager[object]:
    """Within it NumPy's linear algebra has one thread, in all threads of the process.

    OpenBLAS shares even a product of a few thousand elements between threads. Those that wait for the others, and for
    more work, poll: that costs more processor time than all else that judging a small case takes.
    """
    return _ONE_THREAD
