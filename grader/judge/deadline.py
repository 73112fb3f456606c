"""The deadline of a grading as a whole: after it the grading ends, wherever it is, and its step is known.

In the main thread a timer's signal interrupts whatever waits or computes: system calls, locks, and Python's regular
expressions, which look for signals as they go. What looks for none is ended with its process, a while later, by a
thread that needs no Python. In other threads the deadline is looked at between steps.
"""

from __future__ import annotations

import faulthandler
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType

STANDARD_SECONDS = 300
GRACE_SECONDS = 30.0
"""What ending in order may take, until the process is ended as it is."""
AGAIN_SECONDS = 0.02
"""How often the timer rings from then on: a signal just before a system call that waits does not end the waiting."""
_WAITING = "waiting for "
_JUDGES_OWN = ("starting", "compiling", "building", "loading", "diagnosing")
"""How steps begin in which nothing of the submission runs."""


class DeadlinePassed(BaseException):
    """The time is over. No handler of ordinary errors is to take it for one: it ends the grading."""

    def __init__(self, seconds: float, step: str) -> None:
        super().__init__(f"the grading was ended after {seconds:g} s, at: {step}")
        self.seconds, self.step = seconds, step

    @property
    def by_judge(self) -> bool:
        """Whether the time went by in the judge's own work."""
        return self.step.startswith(_JUDGES_OWN)


class Deadline:
    """Entered around a grading, whose steps go through `progress`. Waiting for a device that others use is free."""

    def __init__(self, seconds: float, tell: Callable[[str], None]) -> None:
        self._seconds, self._tell = seconds, tell
        self._step, self._left, self._since = "starting", seconds, time.monotonic()
        self._paused = False
        self._in_main = threading.current_thread() is threading.main_thread()

    def progress(self, text: str) -> None:
        """Notes the step and passes it on. Raises DeadlinePassed where it begins too late."""
        self._stop()
        if self._left <= 0:
            raise DeadlinePassed(self._seconds, self._step)
        self._step, self._paused = text, text.startswith(_WAITING)
        self._go_on()
        self._tell(text)

    def __enter__(self) -> Deadline:
        if self._in_main:
            self._began = time.monotonic()
            self._handler = signal.signal(signal.SIGALRM, self._ring)
            self._timer = signal.setitimer(signal.ITIMER_REAL, 0)
        self._go_on()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._in_main:
            self._stop()
            signal.signal(signal.SIGALRM, self._handler)
            delay, interval = self._timer
            if delay:
                # Somebody else's, as a test's: it goes on as if nothing had been.
                signal.setitimer(signal.ITIMER_REAL, max(delay - time.monotonic() + self._began, 0.001), interval)

    def _go_on(self) -> None:
        self._since = time.monotonic()
        if self._in_main and not self._paused:
            signal.setitimer(signal.ITIMER_REAL, self._left, AGAIN_SECONDS)
            faulthandler.dump_traceback_later(self._left + GRACE_SECONDS, exit=True, file=2)

    def _stop(self) -> None:
        if not self._paused:
            self._left -= time.monotonic() - self._since
        if self._in_main:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename == __file__:
            # In the middle of entering or leaving, an error would leave the thread behind that ends the process.
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise DeadlinePassed(self._seconds, self._step)
