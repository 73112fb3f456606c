"""The judge's side while it records the plans of timed buffer sets, against a scripted process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.compile.program import Kernel, Program
from grader.core.plan import Memset, Plan, step_to_json
from grader.core.verdict import Form
from grader.machine.gpus import Gpu
from grader.measure.samples import Timing
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem.harness import LaunchRefused
from grader.run.child_runner import symbols_of
from grader.run.gpu.gpu_runner import GpuRunner
from grader.sandbox import Sandbox

MAP = Path(__file__).parents[3] / "problems" / "map"
NO_GPU = Gpu(0, "GPU-none", "no card", "580", (9, 0), 1 << 34)
REQUEST = {"sizes": {"N": 8}, "limit": 1.0}
# Two templates' instances have one name.
KERNELS = (Kernel("first", "_Z5firstv"), Kernel("twice", "_Z5twiceIfEvv"), Kernel("twice", "_Z5twiceIiEvv"))
PROGRAM = Program(Form.SOLVE, "compute_89", "ptx", KERNELS, cubin=b"cubin", spills={"_Z5twiceIiEvv": 8})


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[GpuRunner]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    runner = GpuRunner(NO_GPU, MAP, Sandbox(None), "scripted_recording")
    loaded = runner.load(PROGRAM)
    assert [(kernel.name, kernel.spill_bytes) for kernel in loaded] == [("first", None), ("twice", None), ("twice", 8)]
    yield runner
    runner.close()


def test_a_rehearsal_is_answered_before_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    runner = GpuRunner(NO_GPU, MAP, Sandbox(None), "scripted_recording")
    try:
        for count in (1, 2):
            runner.rehearse()
            assert [kernel.registers for kernel in runner.load(PROGRAM)] == [count] * 3
        runner.rehearse()
        runner.close()
        # Another process owes no answer.
        assert [kernel.registers for kernel in runner.load(PROGRAM)] == [0] * 3
    finally:
        runner.close()


def test_plans_name_kernels_of_the_solve_form_by_their_symbols() -> None:
    assert symbols_of(PROGRAM) == {kernel.symbol: kernel.symbol for kernel in KERNELS}


def test_the_runner_is_the_device_while_a_plan_is_recorded(runner: GpuRunner) -> None:
    def record(question: Mapping[str, Any]) -> Plan:
        assert (runner.allocate(99), runner.allocate(100), runner.symbol("table")) == (4096, None, None)
        assert runner.read([], question["addresses"]["input"], 3) == b"\0\1\2"
        if question["set"]:
            raise LaunchRefused("too many threads")
        return Plan((Memset(question["addresses"]["input"], 7, 8),))

    timing = runner.measure(REQUEST, lambda kept: "go_on", record)
    assert isinstance(timing, Timing)
    assert [json.loads(heard) for heard in timing.throttled] == [
        {"do": "replay", "steps": [step_to_json(Memset(0, 7, 8))]},
        {"do": "refuse", "message": "too many threads"},
    ]


def test_steps_that_fail_while_it_is_recorded_end_the_process(runner: GpuRunner) -> None:
    def record(question: Mapping[str, Any]) -> Plan:
        runner.read([Memset(0, 0, 1)], 0, 1)
        raise AssertionError

    with pytest.raises(RunnerStopped) as stop:
        runner.measure(REQUEST, lambda kept: "go_on", record)
    run = stop.value.as_run()
    assert run.status is RunStatus.FAULT and run.fault is not None and run.fault.kernel == "first"
    assert runner._child is None


def test_outside_of_a_measurement_too_a_failed_read_ends_the_process(runner: GpuRunner) -> None:
    assert runner.read([], 0, 2) == b"\0\1"
    with pytest.raises(RunnerStopped):
        runner.read([Memset(0, 0, 1)], 0, 1)
    assert runner._child is None
