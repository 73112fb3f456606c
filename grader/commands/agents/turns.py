"""One piece of work after another, in the thread that owns the turns.

That is the main thread, in which a deadline can interrupt a grading; the protocol is spoken in another.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Turns:
    """A queue of work. `run` does it until `end` is called."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()

    def add(self, work: Callable[[], T]) -> Future[T]:
        """Puts work at the end of the queue. Cancelling its future takes it out, if it has not begun."""
        done: Future[T] = Future()
        self._waiting.put((work, done))
        return done

    def end(self) -> None:
        """Lets `run` return after what was added before."""
        self._waiting.put(None)

    def run(self) -> None:
        while (turn := self._waiting.get()) is not None:
            work, done = turn
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except Exception as error:
                done.set_exception(error)
            except BaseException as error:
                done.set_exception(error)
                raise
            else:
                done.set_result(result)
