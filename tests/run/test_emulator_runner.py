"""The judge's side of the emulator, against a scripted child: answers, crashes, time limits, replacement."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from grader.compile.program import Kernel, Program
from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.verdict import FaultClass, Form
from grader.plan.poison import Poison
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem import load_problem
from grader.problem.harness import build_plan
from grader.run.emulator_runner import EmulatorRunner
from grader.sandbox import Sandbox
from tests.interruption import interruption

MAP = Path(__file__).parents[2] / "problems" / "map"
SIZES = {"N": 8}


@pytest.fixture(scope="module")
def problem():
    return load_problem(MAP)


class Impatient(EmulatorRunner):
    grace_seconds = 0.1


class LateToOpen(EmulatorRunner):
    open_seconds = 0.3

    def _shared(self):
        return {"hang": True}


@pytest.fixture
def runner(monkeypatch, request):
    """A runner of this class, which a test may choose."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    made = getattr(request, "param", EmulatorRunner)
    runner = made(MAP, Sandbox(None), module="scripted_child")
    yield runner
    runner.close()


def program(image):
    return Program(Form.KERNEL, "compute_89", image, (Kernel("map_kernel", "_Z10map_kernel"),), {"BLOCK": 256})


def run(runner, problem, image, limits=None, poison=Poison.NAN):
    runner.load(program(image))
    return run_again(runner, problem, limits, poison)


def run_again(runner, problem, limits=None, poison=Poison.NAN):
    addresses = runner.prepare(problem, SIZES, "normal", 1, poison)
    plan = build_plan(problem, {"BLOCK": 256}, SIZES, addresses)
    return runner.execute(plan, limits or Limits())


def descriptors():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize("poison", Poison)
def test_outputs_cross_by_shared_memory_and_poison_is_seen(runner, problem, poison):
    (kernel,) = runner.load(program("ok"))
    assert (kernel.name, kernel.shared_bytes) == ("map_kernel", 64)
    done = run_again(runner, problem, Limits(instructions=77), poison)
    assert done.status is RunStatus.DONE
    assert done.outputs["output"].shape == (8,)
    assert done.outputs["output"].dtype == np.float32
    assert done.outputs["output"][0] == 1
    assert done.unwritten["output"].tolist() == [False] + [True] * 7
    assert (done.instructions, done.printed, done.seconds, done.changed) == (77, "hello", 0.25, {})


def test_a_changed_input_and_a_fault_and_a_limit_are_told(runner, problem):
    assert run(runner, problem, "changes").changed == {"input": (1,)}
    fault = run(runner, problem, "fault").fault
    assert (fault.fault, fault.line, fault.index) == (FaultClass.OUT_OF_BOUNDS, 3, 8)
    assert (fault.block, fault.thread, fault.threads) == ((0, 0, 0), (8, 0, 0), 2)
    limit = run(runner, problem, "limit")
    assert (limit.status, limit.lines, limit.instructions) == (RunStatus.TIME, (7, 9), 100)


@pytest.mark.parametrize(
    ("image", "status", "words"),
    [
        ("crash in prepare", RunStatus.CRASHED, "SIGSEGV"),
        ("crash in execute", RunStatus.CRASHED, "SIGSEGV"),
        ("kill in execute", RunStatus.MEMORY, "memory ran out"),
        ("memory in execute", RunStatus.MEMORY, "too much memory"),
        ("mistake in prepare", RunStatus.CRASHED, "ValueError: a mistake of the judge's own"),
    ],
)
def test_whatever_goes_wrong_has_a_status_and_the_next_case_gets_a_new_process(runner, problem, image, status, words):
    with pytest.raises(RunnerStopped) as stopped:
        run(runner, problem, image)
    assert stopped.value.status is status
    assert words in stopped.value.message
    with pytest.raises(RunnerStopped, match="has ended"):
        runner.execute(Plan(()), Limits())
    # The same program is loaded again by itself, and fails again: the process was replaced.
    with pytest.raises(RunnerStopped) as again:
        run_again(runner, problem)
    assert again.value.status is status


@pytest.mark.parametrize("runner", [Impatient], indirect=True)
def test_a_child_that_hangs_is_killed_at_the_time_limit(runner, problem):
    child = runner._child.pid
    with pytest.raises(RunnerStopped) as stopped:
        run(runner, problem, "hang in execute", Limits(seconds=0.2))
    assert stopped.value.status is RunStatus.TIME
    assert not Path(f"/proc/{child}").exists()


def test_late_preparation_is_the_judges_own_failure(runner, problem):
    runner.load(program("hang in prepare"))
    # It has started by now.
    runner.start_seconds = 0.2
    with pytest.raises(RunnerStopped) as stopped:
        run_again(runner, problem)
    assert stopped.value.status is RunStatus.CRASHED


@pytest.mark.parametrize("runner", [LateToOpen], indirect=True)
def test_a_process_that_opens_the_problem_too_late_is_the_judges_own_failure(runner, problem):
    with pytest.raises(RunnerStopped) as stopped:
        runner.load(program("ok"))
    assert stopped.value.status is RunStatus.CRASHED
    assert "0.3 seconds" in stopped.value.message


def test_an_interrupt_leaves_no_process_and_no_descriptor(runner, problem):
    runner.load(program("hang in execute"))
    pid, before = runner._child.pid, descriptors()
    with pytest.raises(KeyboardInterrupt), interruption(0.5):
        run_again(runner, problem)
    runner.close()
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()
    assert descriptors() < before


def test_closing_twice_is_allowed(runner):
    runner.close()
    runner.close()
