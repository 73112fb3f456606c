"""What a planner remembers of a recording, and how much of the data solve() may see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.compile.program import Kernel, Program
from grader.core.plan import Alloc, Download, Free, Launch, Memset, Plan, Step, Upload
from grader.core.verdict import Form, Verdict
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.echo import Echo
from grader.plan.planner import READ_BYTES, RecordingPlanner, arguments_of
from grader.plan.recorder import LibraryRecorder
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.stopped import RecordingStopped, Stop
from grader.problem import Problem, load_problem
from grader.sandbox import Sandbox
from tests.plan.recorded import Shelf, host_program

ADDRESSES = {"a": 1 << 32, "b": 2 << 32, "output": 3 << 32}
PROGRAM = Program(Form.SOLVE, "compute_89", "ptx", (Kernel("add", "_Z3addv"),), shared_object=b"library")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(Path(__file__).parents[2] / "problems" / "zip")


class Played:
    """A recorder whose recordings are these, one after another and the last one again, from these lines."""

    kernels = PROGRAM.kernels
    separate = False

    def __init__(self, made: Sequence[Recording]) -> None:
        self.made = list(made)
        self.shown: Sequence[int | None] = ()

    def record(self, arguments: Sequence[Argument], properties: DeviceTable, device: DeviceMemory) -> Recording:
        first, *self.made = self.made
        self.made = self.made or [first]
        return first

    def record_series(self, calls: Sequence[Sequence[Argument]], properties: DeviceTable, device: DeviceMemory) -> None:
        """It has one process for all calls."""

    notes = ()

    def start_anew(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """Nothing is known."""

    def lines(self, calls: Sequence[Sequence[int]]) -> Sequence[int | None]:
        return self.shown or [getattr(step, "line", None) for step in self.made[0].plan.steps]


def planner_of(problem: Problem, steps: Sequence[Step] = (), **fields: Any) -> Any:
    values = {"reads": 0, "read_bytes": 0, "executed": 0, "leaked": (), "errors": (), "seconds": 0.0, "printed": ""}
    made = Recording(plan=Plan(tuple(steps)), at=((),) * len(steps), **{**values, **fields})
    planner: Any = RecordingPlanner(problem, Played([made]), lambda: EMULATED)
    # What tests change is the recorder's.
    planner.played = planner._recorder
    return planner


def launch(line: int) -> Launch:
    return Launch("_Z3addv", (1, 1, 1), (line, 1, 1), 0, ())


def test_arguments_come_in_the_order_of_the_parameters(problem: Problem) -> None:
    found = [(a.name, a.bits, a.size) for a in arguments_of(problem, {"N": 5}, ADDRESSES)]
    assert found == [("a", 1 << 32, 20), ("b", 2 << 32, 20), ("output", 3 << 32, 20), ("N", 5, 0)]


@pytest.mark.parametrize(
    ("size", "read", "right"), [(4, READ_BYTES, True), (4, READ_BYTES + 1, False), (1 << 20, 3 << 19, True)]
)
def test_how_much_may_be_copied_to_the_host(problem: Problem, size: int, read: int, right: bool) -> None:
    planner = planner_of(problem, reads=1, read_bytes=read)
    if right:
        planner.plan({"N": size}, ADDRESSES, None)
    else:
        with pytest.raises(RecordingStopped, match=r"copies 16,385 bytes .* 16,384 are allowed") as stop:
            planner.plan({"N": size}, ADDRESSES, None)
        assert stop.value.verdict is Verdict.REJECTED
    assert planner.steered


@pytest.mark.parametrize(
    ("reads", "others", "right"),
    [
        # A count; a flag again and again; sums of which the host makes one; and those that it only prints.
        ([(0x100, 4)], 1, True),
        ([(0x100, 4)] * 200, 0, True),
        ([(0x100, 400)], 1, False),
        ([(0x100, 400)], 0, True),
        # All elements by way of one place.
        ([(0x100, 4)] * 200, 100, False),
        ([(0x100, 4)] * 200, 20, True),
    ],
)
def test_results_are_not_made_on_the_host(
    problem: Problem, reads: list[tuple[int, int]], others: int, right: bool
) -> None:
    def steps(value: int) -> tuple[Step, ...]:
        made = (Launch("k", (1, 1, 1), (1, 1, 1), 0, (bytes([n, value]) * 2,)) for n in range(others))
        return (*(Download(*place) for place in reads), *made)

    plans = [Plan(steps(1)), Plan(steps(2))]
    planner = planner_of(problem)
    made = [
        Recording(plan, ((),) * len(plan.steps), len(reads), sum(size for _, size in reads), 0, (), (), 0.0, "")
        for plan in plans
    ]
    planner.played.made = made
    if right:
        planner.plan({"N": 100}, ADDRESSES, None)
        return
    with pytest.raises(RecordingStopped, match="computes with them there") as stop:
        planner.plan({"N": 100}, ADDRESSES, None)
    assert stop.value.verdict is Verdict.REJECTED


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        # The output, of times that tell of the inputs; a table that is the same whatever they are; what a tuner chose.
        ([Upload(3 << 32, bytes(range(100)) * 4)], [Upload(3 << 32, bytes(400))], False),
        ([Upload(3 << 32, bytes(range(100)) * 4)], None, False),
        ([Upload(3 << 32, bytes(range(100)) * 4)], [Upload(3 << 32, bytes(range(100)) * 4)], True),
        ([Upload(3 << 32, bytes(100))], [Upload(3 << 32, bytes(99))], True),
        ([launch(1)] * 100, [launch(2)] * 100, True),
    ],
)
def test_results_are_not_made_of_the_times_of_trials(
    problem: Problem, one: list[Step], other: list[Step] | None, right: bool
) -> None:
    def recording(steps: Sequence[Step]) -> Recording:
        return Recording(Plan(tuple(steps)), ((),) * len(steps), 0, 0, 0, (), (), 0.0, "")

    class Timed(Played):
        def record(self, arguments: Sequence[Argument], properties: DeviceTable, device: DeviceMemory) -> Recording:
            device.time(())
            if other is None and isinstance(device, Echo):
                raise RecordingStopped(Stop(Verdict.RUNTIME_ERROR, "another time"))
            return super().record(arguments, properties, device)

    played = Timed([recording(one), recording(other or one)])
    planner = RecordingPlanner(problem, played, lambda: EMULATED)
    if right:
        planner.plan({"N": 100}, ADDRESSES, Shelf())
        return
    with pytest.raises(RecordingStopped, match="computes on the host from the times of trials") as stop:
        planner.plan({"N": 100}, ADDRESSES, Shelf())
    assert stop.value.verdict is Verdict.REJECTED


def test_steps_that_a_read_ran_are_no_longer_in_the_plan(problem: Problem) -> None:
    planner = planner_of(problem, [launch(1), launch(2)], executed=1)
    assert planner.plan({"N": 5}, ADDRESSES, None).steps == (launch(2),)
    assert not planner.steered


def test_what_is_not_freed_is_told(problem: Problem) -> None:
    planner = planner_of(problem, leaked=(Alloc(1, 1000), Alloc(2, 500)))
    planner.plan({"N": 5}, ADDRESSES, None)
    assert planner.leak == "solve() does not free 1,500 bytes in 2 allocations that it got from cudaMalloc"


@pytest.mark.parametrize(("lines", "found"), [((7, 7), 7), ((7, 9), None)])
def test_the_line_of_a_launch_is_told_where_there_is_one(
    problem: Problem, lines: tuple[int, int], found: int | None
) -> None:
    planner = planner_of(problem, [launch(1), launch(2)])
    assert planner.launch_line("add") is None
    planner.plan({"N": 5}, ADDRESSES, None)
    planner.played.shown = lines
    assert planner.launch_line("add") == found
    assert planner.launch_line("other") is None
    again = Alloc(1, 8, 5), Free(1, 6), Alloc(1, 16, 9)
    planner = planner_of(problem, again, leaked=(Alloc(1, 16),))
    planner.plan({"N": 5}, ADDRESSES, None)
    assert planner.leak == "solve() does not free 16 bytes that it got from cudaMalloc, in line 9"
    planner = planner_of(problem, (*again, Alloc(2, 1, 11)), leaked=(Alloc(1, 16), Alloc(2, 1)))
    planner.plan({"N": 5}, ADDRESSES, None)
    assert planner.leak.endswith("17 bytes in 2 allocations that it got from cudaMalloc, first in line 9")


CALLS = """#include <cuda_runtime_api.h>
static float* kept;
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    if (kept && N == 9) throw 1;
    if (!kept) kept = output;
    cudaMemset(kept, 0, N * sizeof(float));
    cudaMemset(output, 0, N * sizeof(float));
}
"""


def test_later_calls_are_in_the_process_of_the_first(problem: Problem, cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.cu"
    file.write_text(CALLS)
    recorder = LibraryRecorder(host_program(file, tmp_path), Sandbox.find(), cache)
    planner = RecordingPlanner(problem, recorder, lambda: EMULATED)
    elsewhere = {name: at + (1 << 20) for name, at in ADDRESSES.items()}
    calls = [({"N": 7}, ADDRESSES), ({"N": 5}, elsewhere)]
    plans = planner.plan_series(calls, Shelf()) or []
    written = [[(step.address, step.size) for step in plan.steps if isinstance(step, Memset)] for plan in plans]
    assert written == [[(ADDRESSES["output"], 28)] * 2, [(ADDRESSES["output"], 20), (elsewhere["output"], 20)]]
    with pytest.raises(RecordingStopped):
        planner.plan_series([*calls, ({"N": 9}, elsewhere)], Shelf())


def test_later_calls_of_a_solve_that_reads_are_not_told(problem: Problem) -> None:
    planner = planner_of(problem, reads=1, read_bytes=4)
    planner.plan({"N": 5}, ADDRESSES, Shelf())
    assert planner.plan_series([({"N": 5}, ADDRESSES)], Shelf()) is None
