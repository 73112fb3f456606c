"""A worker: claims work, has it judged under a heartbeat, delivers the outcome, and goes out of service when broken.

It knows neither database nor HTTP; the judge is a function, so that tests and benchmarks can use a stub.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from grader.contest.jobs import LEASE, Claim, Job, Outcome, Stalled, WorkSource
from grader.contest.records import GONE, IDLE, JUDGING, OUT
from grader.core.errors import KgradeError, UsageError, WorkspaceError
from grader.core.verdict import Verdict

T = TypeVar("T")

Judge = Callable[[Job, Callable[[str], None]], Outcome]
"""Judges a job, and calls its second argument with a few words at each step."""

BEAT_SECONDS = LEASE.total_seconds() / 4
FEWEST_SECONDS = 0.3
"""Minimum time between two heartbeats, however quickly a grading's steps follow each other."""
SIGN_SECONDS = 8.0
"""How often a worker with unchanged state reports that it is alive."""
SILENCE_SECONDS = 20.0
"""A judge that is silent for longer hangs: its heartbeat stops, and others take its work."""


class _InVain(Exception):
    """Raised inside a grading whose attempt is no longer current or whose worker has to stop."""


class Worker:
    """One worker; call `run`.

    `self_test` returns what is wrong with this machine, or "". `pause` is the wait in seconds without work, `beat` the
    interval of heartbeats in seconds, which stop once the judge has been silent for `silence` seconds. `tick` is called
    at every step, as a sign of life. `aside` is called when there is nothing to judge, and returns whether it did
    something; it calls its argument at each step. `until_idle` ends the worker after so many seconds without work, or
    without the server.
    """

    def __init__(
        self,
        source: WorkSource,
        name: str,
        gpu_model: str,
        judge: Judge,
        self_test: Callable[[], str],
        *,
        pause: float = 0.5,
        beat: float = BEAT_SECONDS,
        say: Callable[[str], None] = lambda text: None,
        tick: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        silence: float = SILENCE_SECONDS,
        aside: Callable[[Callable[[str], None]], bool] = lambda progress: False,
        until_idle: float | None = None,
    ) -> None:
        self.name, self.gpu_model = name, gpu_model
        self._source, self._judge, self._self_test = source, judge, self_test
        self._pause, self._beat, self._say, self._tick = pause, beat, say, tick
        self._clock, self._silence, self._aside = clock, silence, aside
        self._until_idle = until_idle
        self._stop = threading.Event()
        self._failures = 0
        self._told, self._told_at = "", 0.0

    def stop(self) -> None:
        """Makes `run` end soon, from any thread or signal handler; an unfinished job goes back to the queue."""
        self._stop.set()

    def run(self) -> str:
        """Works until told to stop or until something is wrong with the machine; returns what is wrong, or ""."""
        self._say("self-test")
        note = self._self_test()
        worked = self._clock()
        while not note and not self._stop.is_set():
            self._seen(IDLE)
            self._tick()
            forever = self._until_idle is None
            job = self._patiently(lambda: self._source.claim(self.gpu_model, self.name), forever=forever)
            if job is not None:
                note = self._work(job)
                worked = self._clock()
            elif self._does_other_work():
                worked = self._clock()
            elif self._until_idle is not None and self._clock() - worked >= self._until_idle:
                self._say(f"no work for {self._until_idle:g} s")
                break
            else:
                self._wait_for_work()
        self._seen(OUT if note else GONE, note)
        self._say(f"out of service: {note}" if note else "stopped")
        return note

    def _busy(self, text: str) -> None:
        """A sign of life in work that is no grading; raises _InVain if this worker has to stop."""
        self._tick()
        self._seen(JUDGING)
        if self._stop.is_set():
            raise _InVain

    def _does_other_work(self) -> bool:
        with suppress(_InVain):
            return self._aside(self._busy)
        return False

    def _wait_for_work(self) -> None:
        # Randomised, so that many workers do not ask in step.
        self._stop.wait(self._pause * random.uniform(0.5, 1.5))

    def _work(self, job: Job) -> str:
        """Runs one claimed job to its end; returns what is wrong with this machine, or ""."""
        self._say(f"judging {job.name}: {job.problem} by {job.account}")
        with _Heart(self._source, job, self._beat, self._stop, lambda: self._seen(JUDGING), self._silence) as heart:

            def progress(text: str) -> None:
                self._tick()
                heart.progress(text)

            try:
                outcome = self._judge(job, progress)
            except Stalled as stall:
                why = str(stall)
                self._say(f"{job.name} was ended: {why}")
                self._patiently(lambda: self._source.stalled(job, why))
                return self._look_after(Outcome(Verdict.INTERNAL_ERROR.value))
            except _InVain:
                self._patiently(lambda: self._source.release(job))
                return ""
            except Exception as error:
                # Any exception in the judge is its own failure, never the student's, and the next job may succeed.
                self._say(f"the judge failed on {job.name}: {error!r}")
                outcome = Outcome(Verdict.INTERNAL_ERROR.value)
            counted = self._patiently(lambda: self._source.finish(job, outcome))
        self._say(f"{job.name}: {outcome.verdict}{'' if counted else ' (came too late to count)'}")
        return self._look_after(outcome)

    def _look_after(self, outcome: Outcome) -> str:
        """Runs the self-test after two failures of the judge in a row, because the GPU may be broken."""
        self._failures = self._failures + 1 if outcome.verdict == Verdict.INTERNAL_ERROR.value else 0
        if self._failures < 2:
            return ""
        self._failures = 0
        return self._self_test()

    def _seen(self, state: str, note: str = "") -> None:
        now = self._clock()
        if state == self._told and not note and now - self._told_at < SIGN_SECONDS:
            return
        # The status shown to staff must not delay work, so a failed report is not repeated.
        self._told, self._told_at = state, now
        with suppress(KgradeError):
            self._source.seen(self.name, self.gpu_model, state, note)

    def _patiently(self, ask: Callable[[], T], *, forever: bool = False) -> T | None:
        """Retries while server or database is unavailable, for as long as a lease unless `forever`; then returns None.

        Errors that waiting does not fix, such as a wrong token, are raised; an unwritable disk may get fixed.
        """
        pause, began = 0.1, time.monotonic()
        while True:
            self._tick()
            try:
                return ask()
            except KgradeError as error:
                if isinstance(error, UsageError) and not isinstance(error, WorkspaceError):
                    raise
                waited = time.monotonic() - began
                if self._stop.is_set() or (waited > LEASE.total_seconds() and not forever):
                    return None
                self._say(f"{error.message}; asking again")
            self._stop.wait(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, 10.0)


class _Heart:
    """Renews a job's lease from a separate thread and reports progress, as long as the judge gives signs of life.
    A job that is done at once needs neither: in a rush of files that do not compile, each costs a claim and a result.
    """

    def __init__(
        self,
        source: WorkSource,
        job: Claim,
        beat: float,
        stop: threading.Event,
        sign: Callable[[], None],
        silence: float,
    ) -> None:
        self._silence = silence
        self._source, self._job, self._beat, self._stop, self._sign = source, job, beat, stop, sign
        self._text, self._heard = "starting", time.monotonic()
        self._lost = False
        self._changed, self._done = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> _Heart:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._changed.set()
        self._thread.join()

    def progress(self, text: str) -> None:
        """Called by the judge at each step; raises _InVain if the grading is in vain."""
        if self._lost or self._stop.is_set():
            raise _InVain
        self._heard = time.monotonic()
        if text != self._text:
            self._text = text
            self._changed.set()

    def _run(self) -> None:
        while time.monotonic() - self._heard < self._silence:
            if self._done.wait(min(FEWEST_SECONDS, self._beat)):
                return
            self._changed.clear()
            self._sign()
            # Work goes on while the server is unavailable; a lease spans several heartbeats.
            with suppress(KgradeError):
                self._lost = not self._source.heartbeat(self._job, self._text)
            if self._lost:
                return
            self._changed.wait(self._beat)
