"""A worker's gradings are ended from outside: when they say nothing, at their deadline, and with all they started."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.contest.descendants import descendants, end_descendants
from grader.contest.grading_process import GradingProcess
from grader.contest.jobs import Stalled

from .test_worker import JOB, Source, make

ROOT = Path(__file__).parents[2]


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[GradingProcess]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = GradingProcess(ROOT, "emulator", silence=3.0, grace=0.5, module="tests.contest.stuck_child")
    yield made
    made.close()


def test_what_holds_the_interpreter_is_ended(process: GradingProcess) -> None:
    before = set(descendants(os.getpid()))
    assert process(JOB, lambda text: None).verdict == "accepted"
    said: list[str] = []
    began = time.monotonic()
    with pytest.raises(Stalled, match=r"no sign for 3 s, at: step of k\.cu"):
        process(replace(JOB, text="regular expression"), said.append)
    assert time.monotonic() - began < 30 and set(descendants(os.getpid())) <= before
    # The next one has a process again.
    assert process(JOB, lambda text: None).verdict == "accepted"
    assert process.self_test(said.append) == "tested" and "building" in said


def test_what_goes_on_and_on_is_ended_at_its_deadline(process: GradingProcess) -> None:
    # Its start is no part of those seconds.
    assert process(JOB, lambda text: None).verdict == "accepted"
    job = replace(JOB, text="loop", grading_seconds=4)
    with pytest.raises(Stalled, match="no end after 4 s, at: step of"):
        process(job, lambda text: None)


def test_a_process_that_ends_by_itself(process: GradingProcess) -> None:
    with pytest.raises(Stalled, match="its process ended, at: step of"):
        process(replace(JOB, text="exit"), lambda text: None)


def test_a_stalled_grading_is_told_and_the_next_one_is_judged(process: GradingProcess) -> None:
    source = Source(replace(JOB, text="exit"), JOB)
    assert make(source, process).run() == ""
    assert len(source.stalls) == 1 and [each.verdict for each in source.finished] == ["accepted"]


def test_a_worker_that_is_told_to_stop_waits_for_no_grading(process: GradingProcess) -> None:
    before = set(descendants(os.getpid()))
    source = Source(replace(JOB, text="loop"))
    worker = make(source, process)
    began = time.monotonic()

    def judge(job: object, progress: object) -> object:
        def told(text: str) -> None:
            worker.stop()
            progress(text)  # type: ignore[operator]

        return process(job, told)  # type: ignore[arg-type]

    worker._judge = judge  # type: ignore[assignment]
    worker.run()
    assert source.released and time.monotonic() - began < 30 and set(descendants(os.getpid())) <= before


def test_processes_that_left_their_parent_and_session_are_ended_too() -> None:
    """In a process of its own: whatever comes to one that adopts orphans is killed."""
    script = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from dataclasses import replace
from grader.contest.descendants import adopt_orphans, descendants
from grader.contest.grading_process import GradingProcess
from grader.contest.jobs import Stalled
from tests.contest.test_worker import JOB
adopt_orphans()
judge = GradingProcess({str(ROOT)!r} and __import__("pathlib").Path({str(ROOT)!r}), "emulator", adopts=True, grace=0.5,
                       module="tests.contest.stuck_child")
most = []
judge(JOB, most.append)
most.clear()
try:
    judge(replace(JOB, text="orphan", grading_seconds=6), lambda text: most.append(len(descendants(os.getpid()))))
except Stalled:
    print(max(most), descendants(os.getpid()))
"""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip().endswith("[]") and int(done.stdout.split()[0]) >= 2, done.stdout + done.stderr


def test_all_below_a_process_is_ended() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "sleep 600 & sleep 600 & wait"]) as shell:
        while len(descendants(shell.pid)) < 2:
            time.sleep(0.01)
        assert end_descendants(shell.pid) == []
        assert shell.wait(10) == 0
