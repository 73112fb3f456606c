"""A grading as a whole has a deadline: what computes or waits beyond it is interrupted, and its step is named."""

import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader.contest.descendants import descendants
from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.verdict import Verdict
from grader.judge import deadline
from grader.judge.conductor import Options, grade
from grader.judge.deadline import Deadline, DeadlinePassed
from grader.languages.registry import read_submission
from grader.machine.gpus import Gpu
from grader.plan.runner import Run
from grader.run.device import Part
from grader.run.devices import EmulatorDevice
from grader.run.emulator_runner import EmulatorRunner
from grader.sandbox import Sandbox
from grader.store.workspace import Workspace
from tests.played_devices import AdjustedDevice

ROOT = Path(__file__).parents[1]


def stuck_in_a_regular_expression() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def stuck_in_a_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@pytest.mark.parametrize("stuck", [stuck_in_a_regular_expression, stuck_in_a_lock, lambda: time.sleep(600)])
def test_whatever_the_main_thread_is_stuck_in_is_interrupted(stuck: object) -> None:
    assert callable(stuck)
    began = time.monotonic()
    said: list[str] = []
    words = r"ended after 1 s, at: case 3 of 12"
    with pytest.raises(DeadlinePassed, match=words) as caught, _deadline(1.0, said) as one:
        one.progress("case 3 of 12")
        stuck()
    assert time.monotonic() - began < 60 and said == ["case 3 of 12"] and not caught.value.by_judge
    # Nothing rings later.
    time.sleep(1.2)


def test_a_time_that_is_over_at_once_leaves_nothing_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    for microseconds in range(1, 200):
        with pytest.raises(DeadlinePassed), Deadline(microseconds * 1e-6, lambda text: None):
            time.sleep(60)
        assert signal.getsignal(signal.SIGALRM) == before, microseconds
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), microseconds


def test_waiting_for_a_device_that_others_use_is_free() -> None:
    with _deadline(1.0, []) as one:
        one.progress("waiting for the GPU: another grading uses it")
        time.sleep(1.3)
        one.progress("loading the kernel")
        with pytest.raises(DeadlinePassed) as caught:
            time.sleep(60)
    assert caught.value.by_judge


def test_a_timer_of_before_goes_on() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with _deadline(60, []):
            time.sleep(0.01)
        time.sleep(0.6)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_the_next_step_is_the_last() -> None:
    found: list[str] = []

    def work() -> None:
        with _deadline(1.0, []) as one:
            one.progress("compiling")
            time.sleep(1.1)
            try:
                one.progress("loading the kernel")
            except DeadlinePassed as passed:
                found.append(passed.step)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["compiling"]


class StuckDevice(EmulatorDevice):
    """Never says what to compile for."""

    @property
    def gpu(self) -> Gpu | None:  # type: ignore[override]
        stuck_in_a_lock()
        return None


class StuckRunner(EmulatorRunner):
    """Never comes back from a run, for which little is left of the time."""

    def execute(self, plan: Plan, limits: Limits) -> Run:
        signal.setitimer(signal.ITIMER_REAL, 0.3, deadline.AGAIN_SECONDS)
        stuck_in_a_lock()
        return super().execute(plan, limits)


@pytest.mark.parametrize(
    ("step", "verdict"),
    [("compiling", Verdict.INTERNAL_ERROR), ("case 1 of 1", Verdict.TIME_LIMIT_EXCEEDED)],
)
def test_a_grading_beyond_its_deadline_is_a_report(step: str, verdict: Verdict) -> None:
    def stick(part: Part) -> Part:
        part.close()
        problem = Workspace(ROOT).load("zip")
        return replace(part, runner=StuckRunner(problem.folder, Sandbox.find()))

    device = StuckDevice() if step == "compiling" else AdjustedDevice(EmulatorDevice(), stick)
    zip_ = Workspace(ROOT).load("zip")
    submission = read_submission(ROOT / "problems/zip/submissions/accepted/1_simple.cu")
    # The second has to come to its step in time on a busy machine, and spends the rest there at once.
    options = Options(cases=1, device="emulator", deadline=5 if step == "compiling" else 120)
    # What later gradings are forked from stays.
    assert grade(zip_, submission, Options(cases=1, device="emulator")).verdict is Verdict.ACCEPTED
    known = set(descendants(os.getpid()))
    report = grade(zip_, submission, options, choose=lambda words: device)
    assert report.verdict is verdict and f"at: {step}" in report.headline and report.explanation
    # One that was killed takes a moment to be gone.
    until = time.monotonic() + 60
    while left := set(descendants(os.getpid())) - known:
        assert time.monotonic() < until, left
        time.sleep(0.05)


def _deadline(seconds: float, said: list[str]) -> Deadline:
    return deadline.Deadline(seconds, said.append)
