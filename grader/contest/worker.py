"""A worker: claims work, has it judged under a heartbeat, hands the outcome in, and takes itself out when broken.

It knows neither database nor HTTP; the judge is a function, so that tests and benchmarks put a stub in its place.
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
"""Judges a job, calling its second argument with a few words at each step."""

BEAT_SECONDS = LEASE.total_seconds() / 4
FEWEST_SECONDS = 0.3
"""Between two heartbeats, however quickly the steps of a grading follow each other."""
SIGN_SECONDS = 20.0
"""How often a worker whose state is the same says that it lives."""
SILENCE_SECONDS = 20.0
"""A judge that says nothing for longer hangs: its heartbeat ends, and others take its work."""


class _InVain(Exception):
    """Raised inside a grading whose attempt is no longer current, or whose worker is told to stop."""


class Worker:
    """One worker; `run` is its life.

    `self_test` returns what is wrong with this machine, or nothing. `pause` is how many seconds it waits where there
    is no work; `beat` is how often a heartbeat is sent, while the judge has said something within `silence`. `tick` is
    called wherever it goes on, for who watches over it.
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
    ) -> None:
        self.name, self.gpu_model = name, gpu_model
        self._source, self._judge, self._self_test = source, judge, self_test
        self._pause, self._beat, self._say, self._tick = pause, beat, say, tick
        self._clock, self._silence = clock, silence
        self._stop = threading.Event()
        self._failures = 0
        self._told, self._told_at = "", 0.0

    def stop(self) -> None:
        """Ends `run` soon, from any thread or signal handler; a job that is not done goes back to the queue."""
        self._stop.set()

    def run(self) -> str:
        """Works until it is told to stop or must take itself out; returns why it did the latter, or nothing."""
        self._say("self-test")
        note = self._self_test()
        while not note and not self._stop.is_set():
            self._seen(IDLE)
            self._tick()
            job = self._patiently(lambda: self._source.claim(self.gpu_model, self.name), forever=True)
            if job is None:
                self._wait_for_work()
                continue
            note = self._work(job)
        self._seen(OUT if note else GONE, note)
        self._say(f"out of service: {note}" if note else "stopped")
        return note

    def _wait_for_work(self) -> None:
        # Spread, so that many workers do not ask in step.
        self._stop.wait(self._pause * random.uniform(0.5, 1.5))

    def _work(self, job: Job) -> str:
        """One job from claim to finish; what is wrong with this machine, or nothing."""
        self._say(f"judging submission {job.submission_id}: {job.problem} by {job.account}")
        with _Heart(self._source, job, self._beat, self._stop, lambda: self._seen(JUDGING), self._silence) as heart:

            def progress(text: str) -> None:
                self._tick()
                heart.progress(text)

            try:
                outcome = self._judge(job, progress)
            except Stalled as stall:
                why = str(stall)
                self._say(f"submission {job.submission_id} was ended: {why}")
                self._patiently(lambda: self._source.stalled(job, why))
                return self._look_after(Outcome(Verdict.INTERNAL_ERROR.value))
            except _InVain:
                self._patiently(lambda: self._source.release(job))
                return ""
            except Exception as error:
                # Whatever breaks in the judge is its own failure, never the student's, and the next job may do.
                self._say(f"the judge failed on submission {job.submission_id}: {error!r}")
                outcome = Outcome(Verdict.INTERNAL_ERROR.value)
            counted = self._patiently(lambda: self._source.finish(job, outcome))
        self._say(f"submission {job.submission_id}: {outcome.verdict}{'' if counted else ' (came too late to count)'}")
        return self._look_after(outcome)

    def _look_after(self, outcome: Outcome) -> str:
        """Two failures of the judge in a row are a reason to ask whether the GPU is broken."""
        self._failures = self._failures + 1 if outcome.verdict == Verdict.INTERNAL_ERROR.value else 0
        if self._failures < 2:
            return ""
        self._failures = 0
        return self._self_test()

    def _seen(self, state: str, note: str = "") -> None:
        now = self._clock()
        if state == self._told and not note and now - self._told_at < SIGN_SECONDS:
            return
        # What staff see of the worker is worth no delay of its work, and is not repeated while it can't be told.
        self._told, self._told_at = state, now
        with suppress(KgradeError):
            self._source.seen(self.name, self.gpu_model, state, note)

    def _patiently(self, ask: Callable[[], T], *, forever: bool = False) -> T | None:
        """Asks again while server or database is away: a finished judging is worth as long a wait as its lease.

        What waiting does not mend, such as a wrong token, ends the worker. A disk that can't be written may be mended.
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
    """Keeps a job's lease alive from a thread of its own, and tells the server how far it is: as long as the judge says
    now and then that it goes on.

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
        """Called by the judge at each step; ends the grading where it is in vain."""
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
            # While the server is away the work goes on; the lease has room for several beats.
            with suppress(KgradeError):
                self._lost = not self._source.heartbeat(self._job, self._text)
            if self._lost:
                return
            self._changed.wait(self._beat)
