"""The measuring part of a grading with a runner made up: what it believes, what fails a kernel, what it only tells."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.compile.nvrtc import CompileFailure
from grader.compile.program import Kernel, Program
from grader.core.errors import JudgeError
from grader.core.plan import Launch, Plan
from grader.core.report import CaseResult, Ceilings, FaultReport
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind
from grader.judge.passes import Course
from grader.judge.timing import VERIFIED, Measurer, Timed
from grader.languages.cuda import CudaKernel
from grader.machine.gpus import Gpu
from grader.measure.overall import is_sound, ranked_score
from grader.measure.samples import BASELINE, CANDIDATE, Timing
from grader.measure.statistics import Quad
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.planner import HarnessPlanner
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.problem import Problem, load_problem
from grader.run.device import Stopwatch
from grader.run.gpu.ceilings import Figures
from grader.run.gpu.refill import make_values, replay_key, stream_of

ZIP = Path(__file__).parents[1] / "problems" / "zip"
H200 = Gpu(0, "GPU-one", "NVIDIA H200", "580.95.05", (9, 0), 140 << 30)
SMALL, LARGE = {"N": 1000}, {"N": 3000}
ADDRESSES = {"a": 1 << 20, "b": 2 << 20, "output": 3 << 20}
QUADS = (Quad((1e-5, 1e-5), (2e-5, 2e-5), (1900.0,) * 4),) * 24
NULL = (Quad((2e-5, 2e-5), (2e-5, 2e-5)),) * 24
TIMING = Timing(QUADS, floor=1e-6, event_seconds=1e-6, wall_seconds=2e-6, throttled=("power cap",))


def added(problem: Problem, request: Mapping[str, Any], replay: int, buffer_set: int) -> np.ndarray[Any, Any]:
    """What an honest kernel leaves after this replay in the outputs of this buffer set."""
    key, count = replay_key(request["seed"], CANDIDATE, replay), request["sizes"]["N"]
    a, b = (make_values(key, stream_of(buffer_set, 2, p), count, request["sigma"]) for p in range(2))
    return a + b


@dataclass
class PlayedRunner:
    """Stands in for the process: hands over an honest kernel's outputs, spoilt by `spoil`, then answers."""

    problem: Problem
    answer: Callable[[Mapping[str, Any]], Timing | Run] = lambda request: TIMING
    spoil: Callable[[int, np.ndarray[Any, Any]], None] = lambda turn, output: None
    null: tuple[Quad, ...] = NULL
    handle: str | None = None
    outputs: int = VERIFIED
    repeats: bool = False
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    recorded: tuple[str, ...] = ()
    plans: list[Plan] = field(default_factory=list)

    def measure(
        self, request: Mapping[str, Any], check: Callable[[Mapping[str, Any]], str], record: Any
    ) -> Timing | Run:
        self.requests.append(request)
        self.plans += [record({"side": side, "set": 0, "addresses": ADDRESSES}) for side in self.recorded]
        for turn in range(self.outputs):
            kept = {"replay": 7 if self.repeats else 7 + turn, "buffer_set": 0 if self.repeats else turn % 3}
            self.made = added(self.problem, request, **kept)
            self.spoil(turn, self.made)
            self.told.append(check({**kept, "handle": self.handle}))
            if self.told[-1] == "hand_over":
                self.told.append(check({**kept, "outputs": {"output": 0}}))
        timing = self.answer(request)
        return replace(timing, null=self.null) if isinstance(timing, Timing) and request["null"] else timing

    def read_outputs(self, problem: Problem, sizes: Mapping[str, int], offsets: Mapping[str, int]) -> dict[str, Any]:
        assert offsets == {"output": 0}
        return {"output": self.made}


@dataclass
class PlayedReferee:
    """Checks what lies in a mailbox as `verdicts` says, one after the other; None for what it can't."""

    verdicts: Callable[[int], Verdict | None] = lambda turn: None
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def check_kept(self, sizes: Mapping[str, int], *kept: Any) -> CaseResult | None:
        self.asked.append((dict(sizes), *kept))
        verdict = self.verdicts(len(self.asked) - 1)
        if verdict is None:
            return None
        kind = None if verdict is Verdict.ACCEPTED else WrongKind.UNWRITTEN_OUTPUT
        return CaseResult(dict(sizes), "normal", 1, verdict, kind, message="output[3] was never written")


@dataclass
class PlayedCeilings:
    """What was measured of the GPU before, and what is when it is measured anew."""

    known: float = 4e12
    fresh: float = 4e12
    asked: list[bool] = field(default_factory=list)
    failure: JudgeError | None = None

    def __call__(
        self, gpu: Gpu, cache: Path | None, *, precision: str, fresh: bool = False
    ) -> tuple[Ceilings, Figures]:
        assert precision == "fp32"
        if self.failure is not None:
            raise self.failure
        self.asked.append(fresh)
        bandwidth = self.fresh if fresh else self.known
        published = Ceilings(gpu.name, gpu.uuid, gpu.driver, bandwidth, 5e13, None, None, 1e-6)
        return published, Figures(bandwidth, bandwidth, bandwidth, 5e13, 5e14, 1e15, 1e-6)


def program(cubin: bytes = b"mine", block: int = 128) -> Program:
    kernels = (Kernel("zip_kernel", "_Z10zip_kernel"),)
    return Program(Form.KERNEL, "compute_89", "ptx", kernels, {"BLOCK": block}, cubin=cubin)


@pytest.fixture
def problem() -> Problem:
    problem = load_problem(ZIP)
    problem.benchmarks = (SMALL, LARGE)
    return problem


@pytest.fixture
def runner(problem: Problem) -> PlayedRunner:
    return PlayedRunner(problem)


@pytest.fixture
def referee() -> PlayedReferee:
    return PlayedReferee()


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> PlayedCeilings:
    played = PlayedCeilings()
    # The baseline is a file of the problem: its language is found by its form.
    monkeypatch.setattr(CudaKernel, "compile", lambda *_: program(b"baseline", 512))
    return played


@pytest.fixture
def measure(
    problem: Problem, runner: PlayedRunner, referee: PlayedReferee, known: PlayedCeilings, tmp_path: Path
) -> Callable[[], Timed]:
    played: Any = (runner, referee)

    def run() -> Timed:
        return Measurer(
            *(
                problem,
                program(),
                "// line 1\n",
                Stopwatch(H200, *played),
                tmp_path,
                HarnessPlanner(problem, {"BLOCK": 256}),
            ),
            lambda language, baseline: HarnessPlanner(problem, baseline.constants),
            ceilings=known,
        ).run(lambda text: None)

    return run


Measure = Callable[[], Timed]


def test_a_right_kernel_has_figures_for_every_size(measure: Measure, runner: PlayedRunner) -> None:
    found = measure()
    assert found.failure is None and found.note == ""
    assert found.measurement is not None
    first, second = found.measurement.sizes
    assert (first.sizes, second.sizes) == (SMALL, LARGE)
    assert (first.time.value, first.floor, first.quads, first.throttled) == (1e-5, 1e-6, 24, ("power cap",))
    assert first.ratio is not None and first.ratio.value == pytest.approx(0.5)
    assert (first.flops, first.bytes, first.verified) == (1000, 12_000, VERIFIED)
    # Both sizes are small: the empty kernel of 1 µs is their speed of light.
    assert (first.sol, second.sol) == pytest.approx((0.1, 0.1))
    assert runner.told == ["hand_over", "go_on"] * 2 * VERIFIED


def test_what_the_runner_is_asked(measure: Measure, runner: PlayedRunner) -> None:
    measure()
    first, second = runner.requests
    assert (first["sizes"], second["sizes"]) == (SMALL, LARGE)
    assert (first["constants"], first["verified"], first["sigma"]) == ({"BLOCK": 128}, VERIFIED, 1.0)
    assert first["limit"] >= 1
    # The baseline against itself once, and inputs of each size that the other size does not tell.
    assert (first["null"], second["null"]) == (True, False)
    assert first["seed"] != second["seed"]
    assert base64.b64decode(first["baseline"]["image"]) == b"baseline"
    assert first["baseline"]["symbols"] == {"zip_kernel": "_Z10zip_kernel"}
    assert first["baseline"]["constants"] == {"BLOCK": 512}


def test_launches_of_both_sides_are_recorded_each_by_its_own_planner(measure: Measure, runner: PlayedRunner) -> None:
    runner.recorded = (CANDIDATE, BASELINE)
    assert measure().note == ""
    mine, baseline = (plan.steps[0] for plan in runner.plans[:2])
    assert isinstance(mine, Launch) and isinstance(baseline, Launch)
    # The problem's own block, and that of the baseline's program.
    assert (mine.block, baseline.block) == ((256, 1, 1), (512, 1, 1))


def test_what_the_baseline_may_ask_of_the_gpu_is_asked_before_anything_is_timed(problem: Problem) -> None:
    """The process that times answers nothing else meanwhile."""
    asked: list[str] = []
    tables: list[Callable[[], DeviceTable]] = []

    def ask() -> DeviceTable:
        asked.append("table")
        return EMULATED

    def planner(_problem: Problem, _program: Program, ask_table: Callable[[], DeviceTable], *_: Any, **__: Any) -> Any:
        tables.append(ask_table)
        return HarnessPlanner(problem, {})

    part: Any = SimpleNamespace(device_table=ask, solve_seconds=1.0)
    language: Any = SimpleNamespace(launches_itself=True, planner=planner)
    unused: Any = None
    course = Course(*(problem, unused, language, program(), Path(), unused, unused, unused))
    with ExitStack() as opened:
        course.baseline_planner(part, opened, language, program())
        assert asked == ["table"]
        assert tables[0]() is EMULATED and asked == ["table"]


def test_a_baseline_that_can_not_be_launched_is_the_problems_fault(
    measure: Measure, runner: PlayedRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.recorded = (BASELINE,)
    monkeypatch.setattr(CudaKernel, "compile", lambda *_: program(b"baseline", 2048))
    found = measure()
    assert (found.failure, found.measurement) == (None, None)
    assert (
        found.note
        == "the baseline zip/accepted/idle_threads.cu can't be timed: block (2048) has x = 2048; it is 1 to 1024"
    )


@pytest.mark.parametrize("wrong_turn", [0, VERIFIED - 1])
def test_one_wrong_element_in_one_timed_replay_is_a_wrong_answer(
    measure: Measure, runner: PlayedRunner, wrong_turn: int
) -> None:
    def spoil(turn: int, output: np.ndarray[Any, Any]) -> None:
        if turn == wrong_turn:
            output[-1] = np.nextafter(output[-1], np.float32(np.inf))

    runner.spoil = spoil
    found = measure()
    assert found.measurement is None and found.failure is not None
    assert (found.failure.verdict, found.failure.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert found.failure.sizes == SMALL
    assert found.failure.outputs[0].wrong == 1
    assert len(runner.requests) == 1


def test_outputs_of_another_replay_are_wrong(measure: Measure, runner: PlayedRunner, problem: Problem) -> None:
    def spoil(turn: int, output: np.ndarray[Any, Any]) -> None:
        output[:] = added(problem, runner.requests[0], 7, 0)

    runner.spoil = spoil
    found = measure()
    assert found.failure is not None and found.failure.outputs[0].wrong > 900


def test_the_referee_checks_what_lies_in_the_gpus_memory(
    measure: Measure, runner: PlayedRunner, referee: PlayedReferee
) -> None:
    runner.handle = "ab"
    referee.verdicts = lambda turn: Verdict.ACCEPTED if turn < VERIFIED else Verdict.WRONG_ANSWER
    found = measure()
    assert runner.told == ["go_on"] * VERIFIED
    sizes, seed, sigma, structure, replay, buffer_set, handle = referee.asked[1]
    assert structure == seed
    assert (sizes, seed, sigma) == (SMALL, runner.requests[0]["seed"], runner.requests[0]["sigma"])
    assert (replay, buffer_set, handle) == (8, 1, "ab")
    # The last one asked is the first of the second size.
    assert found.failure is not None and found.failure.kind is WrongKind.UNWRITTEN_OUTPUT
    assert found.failure.sizes == LARGE and found.measurement is None


def test_what_the_referee_can_not_check_goes_through_the_processor(
    measure: Measure, runner: PlayedRunner, referee: PlayedReferee
) -> None:
    runner.handle = "ab"
    referee.verdicts = lambda turn: Verdict.ACCEPTED if turn < 5 else None
    found = measure()
    assert runner.told[:7] == ["go_on"] * 5 + ["hand_over", "go_on"]
    assert found.measurement is not None and found.measurement.sizes[0].verified == VERIFIED


def test_without_memory_to_share_the_referee_is_not_asked(measure: Measure, referee: PlayedReferee) -> None:
    assert measure().measurement is not None
    assert referee.asked == []


def test_a_check_that_fails_is_told_and_blames_nobody(measure: Measure, runner: PlayedRunner) -> None:
    def spoil(turn: int, output: np.ndarray[Any, Any]) -> None:
        runner.made = output.astype(np.float64)

    runner.spoil = spoil
    found = measure()
    assert (found.failure, found.measurement) == (None, None)
    assert "the runner gave float64" in found.note


def test_the_same_outputs_twice_are_not_counted_twice(measure: Measure, runner: PlayedRunner) -> None:
    runner.repeats = True
    found = measure()
    assert (found.failure, found.measurement) == (None, None)
    assert found.note == "the runner handed over replay 7 of buffer set 0 twice"


def test_too_few_checked_outputs_give_no_times(measure: Measure, runner: PlayedRunner) -> None:
    runner.outputs = VERIFIED - 1
    found = measure()
    assert found.measurement is None
    assert found.note.startswith(f"{VERIFIED - 1} timed outputs were checked; {VERIFIED} are needed")


def test_a_slow_kernel_has_as_many_checked_as_it_has_quads(measure: Measure, runner: PlayedRunner) -> None:
    runner.outputs = 4
    runner.answer = lambda request: replace(TIMING, quads=QUADS[:4])
    found = measure()
    assert found.measurement is not None and found.measurement.sizes[0].verified == 4


@pytest.mark.parametrize(
    "timing",
    [
        replace(TIMING, event_seconds=3600.0, wall_seconds=7200.0),
        replace(TIMING, event_seconds=2e-6, wall_seconds=1e-6),
        replace(TIMING, event_seconds=0.0),
    ],
    ids=["more than the judge saw", "more than the runner saw", "none"],
)
def test_times_that_can_not_be_are_not_used(measure: Measure, runner: PlayedRunner, timing: Timing) -> None:
    runner.answer = lambda request: timing
    found = measure()
    assert (found.failure, found.measurement) == (None, None)
    assert "these times are not used" in found.note


@pytest.mark.parametrize(("null", "sound"), [(1.0029, True), (1.0031, False), (0.9971, True), (0.9969, False)], ids=str)
def test_a_baseline_that_is_not_as_quick_as_itself_gives_no_score(
    measure: Measure, runner: PlayedRunner, null: float, sound: bool
) -> None:
    runner.null = (Quad((2e-5 * null, 2e-5 * null), (2e-5, 2e-5)),) * 24
    found = measure().measurement
    assert found is not None and found.null_ratio is not None
    assert found.null_ratio.value == pytest.approx(null)
    assert is_sound(found) is sound
    assert (ranked_score(found) is not None) is sound


def test_without_a_baseline_there_is_no_ratio(measure: Measure, runner: PlayedRunner, problem: Problem) -> None:
    problem.baseline_file = None
    runner.answer = lambda request: replace(TIMING, quads=tuple(replace(quad, baseline=None) for quad in QUADS))
    found = measure().measurement
    assert [request["baseline"] for request in runner.requests] == [None, None]
    assert found is not None and [size.ratio for size in found.sizes] == [None, None]
    # The candidate against itself stands in for it.
    assert found.null_ratio is not None and is_sound(found)


def compile_failure(*_: Any, **__: Any) -> Program:
    raise CompileFailure(())


def test_a_baseline_that_does_not_compile_is_the_problems_fault(
    measure: Measure, runner: PlayedRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As above.
    monkeypatch.setattr(CudaKernel, "compile", compile_failure)
    found = measure()
    assert (found.failure, found.measurement) == (None, None)
    assert "idle_threads.cu can't be compiled" in found.note and found.hint == "kgrade verify tries it"
    assert runner.requests == []


def test_a_baseline_that_is_missing_is_the_problems_fault(measure: Measure, problem: Problem) -> None:
    problem.baseline_file = "accepted/no_such.cu"
    assert "no_such.cu can't be compiled" in measure().note


def test_a_problem_without_benchmark_sizes_asks_for_nothing(
    measure: Measure, problem: Problem, runner: PlayedRunner, known: PlayedCeilings
) -> None:
    problem.benchmarks = ()
    assert measure().note == "the problem names no benchmark sizes"
    assert runner.requests == [] and known.asked == []


def stopped(status: RunStatus) -> Callable[[Mapping[str, Any]], Timing]:
    def stop(request: Mapping[str, Any]) -> Timing:
        if request["sizes"] == LARGE:
            raise RunnerStopped(status, "ended in the middle")
        return TIMING

    return stop


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (RunStatus.TIME, Verdict.TIME_LIMIT_EXCEEDED),
        (RunStatus.MEMORY, Verdict.MEMORY_LIMIT_EXCEEDED),
        (RunStatus.CRASHED, Verdict.INTERNAL_ERROR),
    ],
)
def test_a_runner_that_stops_in_the_middle_fails_the_size_that_it_was_at(
    measure: Measure, runner: PlayedRunner, status: RunStatus, verdict: Verdict
) -> None:
    runner.answer = stopped(status)
    found = measure()
    assert found.measurement is None and found.failure is not None
    assert (found.failure.verdict, found.failure.sizes) == (verdict, LARGE)
    assert found.failure.message == "ended in the middle"


def test_a_kernel_that_faults_while_it_is_timed_has_its_fault(measure: Measure, runner: PlayedRunner) -> None:
    fault = FaultReport(FaultClass.OUT_OF_BOUNDS, "writes behind the end", line=1)
    runner.answer = lambda request: Run(RunStatus.FAULT, fault=fault)
    found = measure()
    assert found.failure is not None and found.failure.fault is not None
    assert (found.failure.verdict, found.failure.fault.text) == (Verdict.RUNTIME_ERROR, "// line 1")


def test_ceilings_that_were_exceeded_are_measured_again(measure: Measure, known: PlayedCeilings) -> None:
    # 36,000 bytes in 10 µs are 3.6 GB/s.
    known.known, known.fresh = 3e9, 4e9
    found = measure().measurement
    assert known.asked == [False, True]
    assert found is not None and found.ceilings.bandwidth == 4e9
    assert [size.sol for size in found.sizes] == pytest.approx([0.3, 0.9])
    assert ranked_score(found) is not None


def test_what_stays_beyond_the_ceilings_is_capped_and_held(measure: Measure, known: PlayedCeilings) -> None:
    known.known, known.fresh = 3e9, 3e9
    found = measure().measurement
    assert found is not None and found.sizes[1].sol == 1.0
    assert ranked_score(found) is None


def test_ceilings_that_hold_are_not_measured_again(measure: Measure, known: PlayedCeilings) -> None:
    # Above by 2.9 %: what measuring the ceilings leaves open.
    known.known = 3.6e9 / 1.029
    measure()
    assert known.asked == [False]


def test_a_gpu_that_can_not_be_measured_leaves_the_verdict_alone(
    measure: Measure, known: PlayedCeilings, runner: PlayedRunner
) -> None:
    known.failure = JudgeError("the ceilings can't be measured", "type: nvidia-smi")
    assert measure() == Timed(note="the ceilings can't be measured", hint="type: nvidia-smi")
    assert runner.requests == []
