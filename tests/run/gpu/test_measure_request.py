"""The judge's side of a measurement against a scripted process: questions in the middle, and every way to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.compile.program import Kernel, Program
from grader.core.errors import JudgeError
from grader.core.verdict import FaultClass, Form
from grader.machine.gpus import Gpu
from grader.measure.samples import Timing
from grader.measure.statistics import Quad
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.run.gpu.gpu_runner import GpuRunner
from grader.sandbox import Sandbox

MAP = Path(__file__).parents[3] / "problems" / "map"
NO_GPU = Gpu(0, "GPU-none", "no card", "580", (9, 0), 1 << 34)
REQUEST = {"sizes": {"N": 8}, "limit": 1.0}

Kept = Mapping[str, Any]


class Impatient(GpuRunner):
    timing_limits, timing_seconds = 1, 0.0


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[GpuRunner]:
    """A runner of this class, which a test may choose."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    runner: GpuRunner = getattr(request, "param", GpuRunner)(NO_GPU, MAP, Sandbox(None), "scripted_measuring")
    yield runner
    runner.close()


def measured(runner: GpuRunner, image: str, check: Callable[[Kept], str] = lambda kept: "go_on") -> Timing | Run:
    kernels = (Kernel("map_kernel", "_Z10map_kernel"),)
    runner.load(Program(Form.KERNEL, "compute_89", "ptx", kernels, {"BLOCK": 256}, cubin=image.encode()))
    return runner.measure(REQUEST, check)


def test_each_kept_output_is_shown_and_each_answer_is_told(runner: GpuRunner) -> None:
    seen: list[Kept] = []

    def check(kept: Kept) -> str:
        seen.append(kept)
        return "hand_over" if len(seen) == 1 else "go_on"

    timing = measured(runner, "right", check)
    assert isinstance(timing, Timing)
    assert timing.quads == (Quad((1e-5, 1e-5), None, (1900.0, 1901.0)),)
    assert timing.throttled == ("hand_over", "go_on")
    assert [kept["replay"] for kept in seen] == [4, 5]


def test_what_the_check_raises_ends_the_process_and_the_next_one_is_fresh(runner: GpuRunner) -> None:
    def wrong(kept: Kept) -> str:
        raise LookupError("output[3] is wrong")

    with pytest.raises(LookupError, match=r"output\[3\]"):
        measured(runner, "right", wrong)
    assert runner._child is None
    assert isinstance(runner.measure(REQUEST, lambda kept: "go_on"), Timing)


@pytest.mark.parametrize("runner", [Impatient], indirect=True)
@pytest.mark.parametrize(
    ("image", "status", "words"),
    [
        ("die", RunStatus.CRASHED, "SIGSEGV"),
        ("out of memory", RunStatus.CRASHED, "memory ran out"),
        ("hang", RunStatus.TIME, "no end after 1 s"),
        ("too large", RunStatus.MEMORY, "don't fit"),
    ],
)
def test_a_process_that_stops_in_the_middle(runner: GpuRunner, image: str, status: RunStatus, words: str) -> None:
    with pytest.raises(RunnerStopped, match=words) as stop:
        measured(runner, image)
    assert stop.value.status is status
    assert runner._child is None


def test_a_fault_is_a_run_and_ends_the_process(runner: GpuRunner) -> None:
    run = measured(runner, "fault")
    assert isinstance(run, Run) and run.fault is not None
    assert (run.status, run.fault.fault) == (RunStatus.FAULT, FaultClass.OUT_OF_BOUNDS)
    assert runner._child is None


def test_an_answer_that_is_no_timing_is_the_judges_own_failure(runner: GpuRunner) -> None:
    with pytest.raises(JudgeError, match="the runner sent no timing"):
        measured(runner, "nonsense")
