"""A challenge's performance test on its way to a GPU and back: what is asked, filled, checked and told."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from grader.boards.pages import render_report
from grader.compile.program import Kernel, Program
from grader.core.limits import USUAL_LIMITS
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import Form, Verdict
from grader.judge import reporting
from grader.judge.timing import VERIFIED, Measurer, Timed
from grader.languages.registry import read_submission
from grader.measure.samples import CANDIDATE
from grader.measure.statistics import Quad
from grader.plan.planner import HarnessPlanner
from grader.plan.poison import BITS, Poison
from grader.problem.cases import fits_emulator
from grader.problem.challenges.problem import ChallengeProblem
from grader.run.device import Stopwatch
from grader.run.devices import GpuDevice, helping_limits
from grader.run.emulator import Memory, Module
from grader.run.gpu.filling import POISONED, copied
from grader.run.gpu.refill import SOURCE, Span, replay_key
from grader.run.gpu.timed import Contender, Prepared
from grader.run.gpu.timed_inputs import make_timed
from grader.sandbox import Sandbox
from grader.terminal.report import print_report
from tests.emulator.harness import compile_ptx
from tests.test_measuring import H200, NULL, TIMING, PlayedCeilings, PlayedReferee

from .conftest import Make, needs_torch
from .test_grading_challenges import FOLDER

PERFORMANCE = 4
"""The number of the last test of 14_rotate, whose only array is read and written, and of 4_cipher."""


@dataclass
class PlayedRunner:
    """Stands in for the GPU's process: each replay leaves what the reference does, spoilt by `spoil`."""

    problem: ChallengeProblem
    spoil: Callable[[int, np.ndarray[Any, Any]], None] = lambda turn, output: None
    requests: list[Mapping[str, Any]] = field(default_factory=list)

    def measure(self, request: Mapping[str, Any], check: Callable[[Mapping[str, Any]], str], record: Any) -> Any:
        self.requests.append(request)
        for turn in range(VERIFIED):
            name, made = next(iter(self.problem.expected({}, request["sizes"]).items()))
            self.made = {name: made.astype(self.problem.outputs[name].dtype.numpy)}
            self.spoil(turn, self.made[name])
            assert check({"replay": turn, "buffer_set": 0, "outputs": {name: 0}}) == "go_on"
        return replace(TIMING, quads=(Quad((1e-5, 1e-5), None, (1900.0,) * 2),) * 24, null=NULL)

    def read_outputs(self, problem: object, sizes: object, offsets: object) -> Mapping[str, Any]:
        return self.made


@pytest.fixture
def measure(tmp_path: Path) -> Callable[[PlayedRunner], Timed]:
    program = Program(Form.SOLVE, "compute_89", "ptx", (Kernel("work", "_Z4work"),), {}, cubin=b"mine")

    def run(runner: PlayedRunner) -> Timed:
        planner = HarnessPlanner(runner.problem, {})
        played: Any = (runner, PlayedReferee())
        stopwatch = Stopwatch(H200, *played)
        given = (runner.problem, program, "", stopwatch, tmp_path, planner)
        measurer = Measurer(*given, lambda language, baseline: planner, ceilings=PlayedCeilings())
        return measurer.run(lambda text: None)

    return run


@needs_torch
def test_a_gpu_gets_all_tests_and_the_emulator_beside_it_the_small_ones(make: Make) -> None:
    problem = make("1", most_bytes=None)
    found = GpuDevice(H200).draw(problem, 7, 12, ())
    assert [case.sizes["test"] for case in found] == [2, 3, 1, 4, 5, 6, 7]
    assert [fits_emulator(problem, case) for case in found] == [True] * 6 + [False]
    assert helping_limits(problem, found[0]) == USUAL_LIMITS
    assert problem.benchmarks == ({"test": 7},)


@needs_torch
def test_the_performance_test_is_timed_and_checked_with_its_own_values(make: Make, measure: Any) -> None:
    runner = PlayedRunner(make("14", most_bytes=None))
    found = measure(runner)
    assert found.failure is None and found.note == "" and found.measurement is not None
    assert len(runner.requests) == 1
    request = runner.requests[0]
    assert (request["sizes"], request["baseline"], request["constants"]) == ({"test": PERFORMANCE}, None, None)
    size = found.measurement.sizes[0]
    assert (size.sol, size.ratio, size.flops, size.bytes) == (None, None, 0, 8_000_000)
    assert size.time.value == pytest.approx(1e-5) and size.verified == VERIFIED


@needs_torch
def test_one_wrong_element_while_it_is_timed_is_a_wrong_answer(make: Make, measure: Any) -> None:
    def spoil(turn: int, output: np.ndarray[Any, Any]) -> None:
        if turn == VERIFIED - 1:
            output[-1] += 0.01

    found = measure(PlayedRunner(make("14", most_bytes=None), spoil))
    assert found.measurement is None
    assert (found.failure.verdict, found.failure.sizes) == (Verdict.WRONG_ANSWER, {"test": PERFORMANCE})


@needs_torch
def test_a_report_has_the_time_and_neither_score_nor_share(make: Make, measure: Any) -> None:
    problem = make("14", most_bytes=None)
    report = reporting.blank_report(
        problem, read_submission(FOLDER / "accepted" / "14_rotate.cu"), "ada", 1, H200.name, Sandbox("/usr/bin/bwrap")
    )
    report = reporting.add_times(report, problem, measure(PlayedRunner(problem)))
    assert report.score is None
    assert report.time is not None and report.time.value == pytest.approx(1e-5)
    assert [remark.message for remark in report.diagnostics] == [reporting.SAME_INPUTS]
    assert from_json(to_json(report)) == report
    console = Console(file=StringIO(), width=100, force_terminal=False)
    print_report(report, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "10.0 µs" in text and "score" not in text.replace("no score", "")
    page = render_report(report)
    assert "<dt>Score</dt>" not in page and '<td data-label="Speed of light" class="number">–</td>' in page
    assert '<td data-label="Limit">unknown</td>' in page


@needs_torch
def test_every_replay_finds_the_same_inputs(make: Make) -> None:
    problem, sizes = make("4", most_bytes=None), {"test": PERFORMANCE}
    made = [make_timed(problem, sizes, replay_key(5, CANDIDATE, replay), replay, 1.0, 9) for replay in (1, 2)]
    assert list(made[0]) == ["text"]
    assert np.array_equal(made[0]["text"], made[1]["text"])
    assert np.array_equal(made[0]["text"], np.load(problem.folder / "4.text.npy"))


class FakeArray:
    """An array in a GPU's memory: its address, and what was written to it."""

    made: list[FakeArray]

    def __init__(self, shape: tuple[int, ...], dtype: Any, guard: int = 64) -> None:
        self.shape, self.dtype, self.guard = shape, np.dtype(dtype), guard
        self.pointer = 4096 * (len(FakeArray.made) + 1)
        self.written: Any = None
        self.freed = False
        FakeArray.made.append(self)

    def write(self, values: Any) -> None:
        self.written = np.array(values)

    def free(self) -> None:
        self.freed = True


class Played(Contender):
    array: Any = FakeArray


@needs_torch
@pytest.mark.parametrize(("name", "inout"), [("1", True), ("8", False)])
def test_what_a_buffer_set_is_filled_with_before_each_replay(name: str, inout: bool, make: Make) -> None:
    FakeArray.made = []
    problem, sizes = make(name), {"test": 2}
    contender = Played(problem, sizes, lambda number, addresses: Prepared(lambda stream: None), 3)
    sets = [contender.make_set(number) for number in range(2)]
    kept = FakeArray.made[:1] if inout else []
    count = len(problem.inputs) + len(problem.outputs)
    mine = [FakeArray.made[len(kept) + count * number :][:count] for number in range(2)]
    for (*given, output), made in zip(mine, sets, strict=True):
        # The input keeps what it has; the output is poisoned, or gets its start contents again.
        assert made.inputs == [None] * len(given) and output.written is None
        assert all(array.written is not None for array in given)
        filling = copied(kept[0].pointer) if inout else POISONED
        assert made.outputs == [Span(output.pointer, output.dtype.itemsize, filling)]
    if inout:
        assert np.array_equal(kept[0].written, problem.start_contents(sizes)["y"]) and kept[0].guard == 0
    contender.free()
    assert all(array.freed for array in FakeArray.made)


@pytest.mark.parametrize("size", [1, 3, 4, 1000, 4099])
def test_the_devices_own_code_copies_start_contents_byte_by_byte(size: int) -> None:
    memory = Memory()
    start = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    source, target = memory.place("start", start), memory.place("target", np.zeros(size, np.uint8))
    poisoned = memory.place("poisoned", np.zeros(8, np.uint8))
    rows = [(target, size, 0, *copied(source).row), (poisoned, 8, 0, *POISONED.row)]
    table = memory.place("table", np.array(rows, np.uint64))
    poison = BITS[Poison.NAN][4]
    arguments = [struct.pack("<Q", table), struct.pack("<Q", 1), struct.pack("<f", 1.0), struct.pack("<I", poison)]
    result = Module(compile_ptx(SOURCE)).launch("refill", (2, len(rows), 1), (256, 1, 1), arguments, memory)
    assert result.status == "done", result
    assert np.array_equal(memory.read("target"), start)
    assert memory.read("poisoned").tobytes() == struct.pack("<I", poison) * 2


def test_a_report_of_before_has_no_set_and_reads_back() -> None:
    from tests.commands.samples import accepted_report

    report: Report = accepted_report()
    text = to_json(report).replace(',"problem_set":""', "")
    assert "problem_set" not in text
    assert from_json(text) == report
