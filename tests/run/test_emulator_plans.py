"""Plans of all kinds of steps on the emulator, from the judge's side: several kernels, scratch, variables, reads."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from grader.core.limits import Limits
from grader.core.plan import (
    ALL_STREAMS,
    NON_BLOCKING,
    Alloc,
    Copy,
    Download,
    Free,
    Memset,
    PlacedTensorMap,
    Plan,
    RecordEvent,
    Step,
    Synchronize,
    TensorMap,
    Upload,
    WaitEvent,
)
from grader.core.verdict import FaultClass
from grader.plan.poison import Poison
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.problem import Problem, load_problem
from grader.run.emulator_runner import EmulatorRunner
from grader.sandbox import Sandbox
from tests.run.several import GRID, MAP, SIZES, TABLE, N, floats, inputs_of, launch, several, steps_of


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(MAP)


@pytest.fixture(scope="module")
def runner(problem: Problem, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRunner]:
    cache: Path = tmp_path_factory.mktemp("cache")
    runner = EmulatorRunner(MAP, Sandbox.find(), cache)
    kernels = runner.load(several(problem, cache))
    assert [kernel.name for kernel in kernels][:2] == ["the scale", "the add_table"]
    yield runner
    runner.close()


@pytest.fixture
def at(runner: EmulatorRunner, problem: Problem) -> dict[str, int]:
    return runner.prepare(problem, SIZES, "normal", 1)


def executed(runner: EmulatorRunner, *steps: Step) -> Run:
    return runner.execute(Plan(steps), Limits())


def test_a_plan_of_every_kind_of_step(runner: EmulatorRunner, problem: Problem, at: dict[str, int]) -> None:
    run = executed(runner, *steps_of(runner, at)[1])
    assert run.status is RunStatus.DONE, run
    expected = 2 * inputs_of(problem)["input"] + np.resize(TABLE, N)
    assert np.array_equal(run.outputs["output"], expected)
    assert not run.unwritten["output"].any() and run.changed == {} and run.printed.startswith("run ")
    # Variables keep what a kernel left in them, and scratch of the case before is gone.
    again = runner.prepare(problem, SIZES, "normal", 1)
    late = executed(runner, Memset(steps_of(runner, at)[0] + (1 << 40), 0, 4), *steps_of(runner, again)[1])
    assert late.fault is not None and "belongs to no live array" in late.fault.message


def test_reads_run_what_comes_before_them_and_the_rest_follows(
    runner: EmulatorRunner, problem: Problem, at: dict[str, int]
) -> None:
    scratch, steps = steps_of(runner, at)
    x = inputs_of(problem)["input"]
    assert np.array_equal(floats(runner.read(steps[:4], scratch + 40, 8)), 2 * x[10:12])
    assert np.array_equal(floats(runner.read([], at["input"], 4 * N)), x)
    assert runner.read(steps[4:7], scratch, 0) == b""
    run = executed(runner, *steps[7:])
    assert np.array_equal(run.outputs["output"], 2 * x + np.resize(TABLE, N))
    assert run.instructions is not None and run.instructions > 2 * GRID * 4


def test_a_variable_that_no_code_names_takes_uploads_and_an_unknown_name_has_no_address(
    runner: EmulatorRunner, at: dict[str, int]
) -> None:
    place = runner.symbol("named_by_nobody")
    assert place is not None and runner.symbol("named_by_nobody") == place
    assert runner.read([Upload(place, struct.pack("<3i", 1, 2, 3))], place + 4, 8) == struct.pack("<2i", 2, 3)
    assert runner.symbol("nowhere") is None


@pytest.mark.parametrize(("poison", "fill"), [(Poison.NAN, 0xFF), (Poison.FINITE, 0x5A)])
def test_scratch_is_filled_and_has_a_limit(runner: EmulatorRunner, problem: Problem, poison: Poison, fill: int) -> None:
    at = runner.prepare(problem, SIZES, "normal", 1, poison)
    first, second = runner.allocate(1), runner.allocate(3)
    assert first is not None and second is not None and first != second
    copied = executed(runner, Copy(at["output"], second, 3))
    assert copied.outputs["output"].tobytes()[:3] == bytes([fill] * 3)
    assert runner.allocate(1 << 40) is None
    assert runner.allocate(4) is not None


def test_the_host_learns_nothing_of_what_nobody_has_written(
    runner: EmulatorRunner, problem: Problem, at: dict[str, int]
) -> None:
    seen = set()
    for poison in (Poison.NAN, Poison.NAN, Poison.FINITE):
        at = runner.prepare(problem, SIZES, "normal", 1, poison)
        data = runner.read([Memset(at["output"] + 4, 7, 4)], at["output"], 16)
        assert data[4:8] == bytes([7] * 4)
        seen.add(data[8:])
    assert len(seen) == 3
    with pytest.raises(RunnerStopped) as stopped:
        runner.read([], at["output"] + 8, 4)
    fault = stopped.value.as_run().fault
    assert fault is not None and fault.fault is FaultClass.UNINITIALIZED_READ
    assert fault.message == "solve() copies 4 bytes of output to the host, which nobody has written"
    at = runner.prepare(problem, SIZES, "normal", 1)
    # A kernel that is watched, and what it leaves out.
    runner.read([launch("scale", at["input"], at["output"], 1.0, 10)], at["output"], 40)
    with pytest.raises(RunnerStopped):
        runner.read([], at["output"] + 40, 40)
    runner.prepare(problem, SIZES, "normal", 1)


def test_memory_that_was_freed_is_gone_for_kernels_and_copies(runner: EmulatorRunner, at: dict[str, int]) -> None:
    scratch = runner.allocate(1024)
    assert scratch is not None
    steps = Alloc(scratch, 1024, 3), Free(scratch, 5), launch("scale", scratch, at["output"], 1.0, 8)
    fault = executed(runner, *steps).fault
    assert fault is not None and fault.fault is FaultClass.OUT_OF_BOUNDS
    assert fault.message == "the kernel reads memory that line 5 has freed"
    assert fault.hint.startswith("scratch 1: 1,024 bytes, allocated in line 3, freed in line 5. Free it after")
    # What it was, and no element of it: there is none any more.
    assert (fault.array, fault.index, fault.kernel, fault.line is not None) == ("", None, "the scale", True)


def test_memory_that_was_freed_may_be_given_again(runner: EmulatorRunner, problem: Problem, at: dict[str, int]) -> None:
    scratch = runner.allocate(4 * N)
    assert scratch is not None
    copied = Alloc(scratch, 4 * N), Copy(scratch, at["input"], 4 * N), Copy(at["output"], scratch, 4 * N), Free(scratch)
    run = executed(runner, *copied, Alloc(scratch, 4), Copy(at["output"], scratch, 4), Free(scratch))
    x = inputs_of(problem)["input"]
    # Full of what new scratch is full of, and of another size.
    assert np.isnan(run.outputs["output"][0]) and np.array_equal(run.outputs["output"][1:], x[1:])
    runner.prepare(problem, SIZES, "normal", 1)
    again = runner.allocate(8)
    assert again is not None
    late = executed(runner, Alloc(again, 8), Free(again), Alloc(again, 4), Memset(again, 0, 8)).fault
    assert late is not None and late.message == "memset of 8 bytes from byte 0 of scratch 1 on, which has 4"
    runner.prepare(problem, SIZES, "normal", 1)
    twice = executed(runner, Alloc(again, 8), Free(again), Free(again)).fault
    assert twice is not None and "was not given" in twice.message


def test_scratch_comes_and_goes_without_end(runner: EmulatorRunner, at: dict[str, int]) -> None:
    scratch = runner.allocate(512 << 20)
    assert scratch is not None
    turn = Alloc(scratch, 512 << 20), Memset(scratch, 1, 64), Free(scratch)
    began = time.monotonic()
    assert executed(runner, *turn * 300).status is RunStatus.DONE
    # Clearing 150 GB takes longer.
    assert time.monotonic() - began < 20
    runner.prepare(load_problem(MAP), SIZES, "normal", 1)
    places = [runner.allocate(256 << 20) for _ in range(5)]
    assert places[4] is None and None not in places[:4]
    run = executed(runner, Free(places[0]), Alloc(places[0], 1 << 29))
    assert run.status is RunStatus.MEMORY and "beside 805,306,368 bytes in use" in run.message


def test_a_pointer_of_the_host_is_called_one(runner: EmulatorRunner, problem: Problem, at: dict[str, int]) -> None:
    fault = executed(runner, launch("scale", 0x55D0_1234_5670, at["output"], 1.0, 8)).fault
    assert fault is not None and fault.fault is FaultClass.OUT_OF_BOUNDS
    assert fault.message.startswith("the kernel reads memory of the host: argument 1 of its launch is 0x55d012345670")
    assert "cudaMalloc()" in fault.hint and "cudaMemcpy()" in fault.hint
    at = runner.prepare(problem, SIZES, "normal", 1)
    null = executed(runner, launch("scale", at["input"], 0, 1.0, 8)).fault
    assert null is not None and "null pointer" in null.message and null.hint == ""


def test_scratch_smaller_than_an_access_has_its_bytes_told(runner: EmulatorRunner, at: dict[str, int]) -> None:
    scratch = runner.allocate(2)
    fault = executed(runner, Alloc(scratch, 2, 7), launch("scale", scratch, at["output"], 1.0, 8)).fault
    assert fault is not None and fault.message == "the kernel reads 4 bytes of scratch 1, which has only 2 bytes"
    assert fault.hint == "scratch 1: 2 bytes, allocated in line 7."


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda at, scratch: Memset(scratch + 1000, 0, 25), "memset of 25 bytes from byte 1,000 of scratch 1"),
        (lambda at, scratch: Copy(at["output"], scratch, 1025), "copy of 1,025 bytes from byte 0 of scratch 1"),
        (lambda at, scratch: Copy(scratch, at["input"], 1025), "copy of 1,025 bytes from byte 0 of scratch 1"),
        (lambda at, scratch: Upload(at["output"] + 4 * N - 1, b"ab"), "upload of 2 bytes from byte 3,999 of output"),
        (lambda at, scratch: Memset(64, 0, 4), "belongs to no live array"),
        (lambda at, scratch: Free(at["input"]), "where no live scratch begins"),
        (lambda at, scratch: launch("scale", at["input"], scratch, 1.0, 257), "index 256 of 256 elements"),
    ],
)
def test_steps_outside_of_arrays_are_named(runner: EmulatorRunner, at: dict[str, int], step, words: str) -> None:
    scratch = runner.allocate(1024)
    run = executed(runner, step(at, scratch))
    assert run.fault is not None and (run.status, run.fault.fault) == (RunStatus.FAULT, FaultClass.OUT_OF_BOUNDS)
    assert words in run.fault.message


def test_what_ends_a_read_is_a_run(runner: EmulatorRunner, at: dict[str, int]) -> None:
    with pytest.raises(RunnerStopped) as stop:
        runner.read([launch("scale", at["input"], at["output"], 1.0, N + 1)], at["output"], 4)
    fault = stop.value.as_run().fault
    assert fault is not None and (fault.array, fault.index) == ("input", N)
    with pytest.raises(RunnerStopped) as stop:
        runner.read([], at["input"], 4)
    fault = stop.value.as_run().fault
    assert fault is not None and "belongs to no live array" in fault.message


def test_a_read_outside_of_an_array_is_a_fault(runner: EmulatorRunner, at: dict[str, int]) -> None:
    with pytest.raises(RunnerStopped) as stop:
        runner.read([], at["input"] + 8, 4 * N)
    fault = stop.value.as_run().fault
    assert fault is not None and "copy to the host of 4,000 bytes from byte 8 of input" in fault.message


def test_a_cooperative_launch_has_a_barrier_of_its_grid_and_another_has_none(
    runner: EmulatorRunner, problem: Problem, at: dict[str, int]
) -> None:
    partial = runner.allocate(4 * GRID)
    assert partial is not None
    step = launch("centre", at["input"], at["output"], partial, N, cooperative=True)
    x = inputs_of(problem)["input"]
    run = executed(runner, step)
    assert np.allclose(run.outputs["output"], x - x.mean(dtype=np.float64), atol=1e-5)
    at = runner.prepare(problem, SIZES, "normal", 1)
    partial = runner.allocate(4 * GRID)
    assert partial is not None
    fault = executed(runner, launch("centre", at["input"], at["output"], partial, N)).fault
    assert fault is not None and fault.fault is FaultClass.TRAP
    assert (
        fault.message.startswith("grid.sync() in an ordinary launch") and "cudaLaunchCooperativeKernel()" in fault.hint
    )
    at = runner.prepare(problem, SIZES, "normal", 1)
    fault = executed(
        runner, launch("centre", at["input"], at["output"], 0, N, grid=(10_000_000, 1, 1), cooperative=True)
    ).fault
    assert fault is not None and fault.fault is FaultClass.LAUNCH_FAILURE
    assert "10,000,000 blocks, which have to run at the same time" in fault.message


def test_more_than_48_kb_of_shared_memory(runner: EmulatorRunner, problem: Problem, at: dict[str, int]) -> None:
    step = launch("reverse", at["input"], at["output"], N, grid=(1, 1, 1), shared_bytes=64 << 10)
    assert np.array_equal(executed(runner, step).outputs["output"], inputs_of(problem)["input"][::-1])


def test_what_needs_a_newer_gpu_is_no_fault_of_bounds(runner: EmulatorRunner, at: dict[str, int]) -> None:
    fields = TensorMap(7, 2, at["input"], (10, 100), (40,), (8, 8), (1, 1))
    tile = launch("tile", bytes(128), at["output"], 0, 0, tensor_maps=(PlacedTensorMap(0, 0, fields),))
    for step in (tile, launch("ranks", at["output"], cluster=(2, 1, 1))):
        fault = executed(runner, step).fault
        assert fault is not None and fault.fault is FaultClass.ILLEGAL_INSTRUCTION
        assert "compute capability 9.0" in fault.message


OTHER = NON_BLOCKING + 2
ORDERS: dict[str, list[Step]] = {
    "nothing": [],
    "an event": [RecordEvent(1, 1), WaitEvent(1, OTHER)],
    "an event of the wrong stream": [RecordEvent(1, 3), WaitEvent(1, OTHER)],
    "the host": [Synchronize(1)],
    "all": [Synchronize(ALL_STREAMS)],
}


@pytest.mark.parametrize(("order", "right"), list(zip(ORDERS, (False, True, False, True, True), strict=True)))
def test_launches_in_no_order_are_found_by_what_they_touch(
    runner: EmulatorRunner, problem: Problem, at: dict[str, int], order: str, right: bool
) -> None:
    scratch = runner.allocate(4 * N)
    assert scratch is not None
    half = N // 2
    run = executed(
        runner,
        Alloc(scratch, 4 * N),
        # These two are side by side, and keep apart.
        launch("scale", at["input"], scratch, 2.0, half, stream=1, line=11),
        launch("scale", at["input"] + 4 * half, at["output"] + 4 * half, 3.0, N - half, stream=OTHER, line=12),
        *ORDERS[order],
        launch("scale", scratch + 40, at["output"], 0.5, half - 10, stream=OTHER, line=13),
        Synchronize(ALL_STREAMS),
        launch("scale", at["input"], at["output"], 1.0, half, line=14),
    )
    if right:
        assert run.status is RunStatus.DONE, run
        return
    fault = run.fault
    assert fault is not None and fault.fault is FaultClass.DATA_RACE
    assert (fault.array, fault.index, fault.extent, fault.line) == ("scratch 1", 10, N, 13)
    assert fault.message == (
        "data race between two launches in scratch 1: index 10 of 1000 elements: it is written by the scale of "
        "line 11, and in another stream is read by the scale of line 13, in no order"
    )
    assert "behind line 11 (cudaEventRecord)" in fault.hint


def test_copies_and_memsets_and_the_host_race_with_launches(runner: EmulatorRunner, problem: Problem) -> None:
    def fault_of(make: Callable[[dict[str, int], int], list[Step]]) -> str:
        at, scratch = runner.prepare(problem, SIZES, "normal", 1), runner.allocate(4 * N)
        assert scratch is not None
        run = executed(runner, *make(at, scratch))
        return "" if run.fault is None else run.fault.message

    def scale(at: dict[str, int], target: int) -> Step:
        return launch("scale", at["input"], target, 1.0, N, stream=1, line=5)

    said = fault_of(lambda at, x: [scale(at, at["output"]), Memset(at["output"] + 4, 0, 4, OTHER, 6)])
    assert "is written by the scale of line 5, and in another stream is set by the memset of line 6" in said
    said = fault_of(lambda at, x: [Memset(at["output"], 0, 8, 0, 4), scale(at, at["output"])])
    assert said == ""
    said = fault_of(lambda at, x: [scale(at, x), Copy(at["output"], x, 8, 2, 6)])
    assert "is read by the copy of line 6" in said and "index 0 of 1000 elements" in said
    said = fault_of(lambda at, x: [scale(at, at["output"]), Upload(at["input"] + 8, bytes(4), 2, 6)])
    assert "in input: index 2 of" in said and "is written by the copy from the host of line 6" in said
    said = fault_of(lambda at, x: [Alloc(x, 4 * N, 4, stream=2), scale(at, x)])
    assert "is allocated by cudaMallocAsync() of line 4" in said
    said = fault_of(lambda at, x: [Alloc(x, 4 * N, 4), scale(at, x), Free(x, 6, 2)])
    assert "is freed by cudaFreeAsync() of line 6" in said
    assert fault_of(lambda at, x: [Alloc(x, 4 * N, 4, 1), scale(at, x), Free(x, 6, 1)]) == ""
    runner.prepare(problem, SIZES, "normal", 1)


def test_a_copy_to_the_host_waits_for_its_own_stream(
    runner: EmulatorRunner, problem: Problem, at: dict[str, int]
) -> None:
    steps = [launch("scale", at["input"], at["output"], 1.0, N, stream=OTHER, line=5)]
    read = [Download(at["output"], 4, 0, 6), Synchronize(0)]
    with pytest.raises(RunnerStopped) as stopped:
        runner.read([*steps, *read], at["output"], 4)
    fault = stopped.value.as_run().fault
    assert fault is not None and "is read by the copy to the host of line 6" in fault.message
    at = runner.prepare(problem, SIZES, "normal", 1)
    # What one piece of the plan leaves open the next may race with.
    steps = [launch("scale", at["input"], at["output"], 1.0, N, stream=OTHER, line=5)]
    runner.read([*steps, Download(at["input"], 4, 0, 6), Synchronize(0)], at["input"], 4)
    fault = executed(runner, Memset(at["output"], 0, 4, 0, 7)).fault
    assert fault is not None and fault.fault is FaultClass.DATA_RACE
    runner.prepare(problem, SIZES, "normal", 1)


def test_what_nothing_orders_is_run_the_other_way_in_the_second_run(runner: EmulatorRunner, problem: Problem) -> None:
    def run(poison: Poison) -> Run:
        at = runner.prepare(problem, SIZES, "normal", 1, poison)
        both = Memset(at["output"], 0, 4, 1), launch("scale", at["input"], at["output"], 2.0, N, stream=2)
        return executed(runner, *both)

    fault = run(Poison.NAN).fault
    assert fault is not None and fault.fault is FaultClass.DATA_RACE
    second, expected = run(Poison.FINITE), 2 * inputs_of(problem)["input"]
    assert second.status is RunStatus.DONE and second.in_no_order
    assert second.outputs["output"][0] == 0 and np.array_equal(second.outputs["output"][1:], expected[1:])
    at = runner.prepare(problem, SIZES, "normal", 1)
    assert not executed(runner, launch("scale", at["input"], at["output"], 2.0, N)).in_no_order
