"""Plans of all kinds of steps on a GPU: several kernels, scratch, variables, streams, and what sm_90 has; timed too."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.compile.program import Program
from grader.core.limits import Limits
from grader.core.plan import (
    Free,
    Memset,
    PlacedTensorMap,
    Plan,
    RecordEvent,
    Step,
    TensorMap,
    WaitEvent,
    step_to_json,
)
from grader.core.verdict import FaultClass
from grader.machine.gpus import find_gpus, target_of
from grader.measure.duel import from_data
from grader.measure.samples import BASELINE, CANDIDATE, Timing
from grader.measure.statistics import StoppingRule
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.problem import Problem, load_problem
from grader.problem.harness import LaunchRefused
from grader.run.child_runner import symbols_of
from grader.run.gpu.duel_runner import ContestRunner
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.instruments import capture
from grader.run.gpu.refill import make_values, replay_key, stream_of
from grader.run.gpu.replay import Kernels, Replay
from grader.sandbox import Sandbox
from tests.run.several import BLOCK, GRID, MAP, SIZES, TABLE, N, floats, inputs_of, launch, several, steps_of

GPUS = find_gpus()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not GPUS, reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu"),
]
needs_hopper = pytest.mark.skipif(
    bool(GPUS) and GPUS[0].capability < (9, 0), reason="clusters and tensor maps need compute capability 9.0"
)
LARGE = 1 << 20
SIGMA = 3.0


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(MAP)


@pytest.fixture(scope="module")
def program(problem: Problem, tmp_path_factory: pytest.TempPathFactory) -> Program:
    cache: Path = tmp_path_factory.mktemp("cache")
    return several(problem, cache, target_of(GPUS[0]))


@pytest.fixture
def runner(program: Program) -> Iterator[GpuRunner]:
    runner = GpuRunner(GPUS[0], MAP, Sandbox.find())
    names = [kernel.name for kernel in runner.load(program)]
    assert names == [kernel.name for kernel in program.kernels]
    yield runner
    runner.close()


@pytest.fixture
def at(runner: GpuRunner, problem: Problem) -> dict[str, int]:
    return runner.prepare(problem, SIZES, "normal", 1)


def executed(runner: GpuRunner, *steps: Step) -> Run:
    return runner.execute(Plan(steps), Limits())


def output_of(run: Run) -> Any:
    assert run.status is RunStatus.DONE, (run.fault, run.message)
    return run.outputs["output"]


def test_a_plan_of_every_kind_of_step(runner: GpuRunner, problem: Problem, at: dict[str, int]) -> None:
    expected = 2 * inputs_of(problem)["input"] + np.resize(TABLE, N)
    run = executed(runner, *steps_of(runner, at)[1])
    assert np.array_equal(output_of(run), expected)
    assert run.printed == "run 1\n" and set(run.occupancy) == {"the scale", "the add_table"}
    again = runner.prepare(problem, SIZES, "normal", 1)
    scratch, steps = steps_of(runner, again)
    x = inputs_of(problem)["input"]
    assert np.array_equal(floats(runner.read(steps[:4], scratch + 40, 8)), 2 * x[10:12])
    assert runner.read([], again["input"], 4 * N) == x.tobytes()
    run = executed(runner, *steps[4:])
    assert np.array_equal(output_of(run), expected)
    assert set(run.occupancy) == {"the scale", "the add_table"}


def test_scratch_is_filled_guarded_and_limited(runner: GpuRunner, at: dict[str, int]) -> None:
    scratch = runner.allocate(4 * N)
    assert scratch is not None and runner.read([], scratch, 4) == b"\xff" * 4
    assert runner.allocate(1 << 45) is None and runner.symbol("nowhere") is None
    fault = executed(runner, launch("scale", at["input"], scratch, 1.0, N + 1)).fault
    assert fault is not None and fault.fault is FaultClass.OUT_OF_BOUNDS
    assert (fault.array, fault.index, fault.extent) == ("scratch 1 (4,000 bytes)", 4 * N, 4 * N)
    assert fault.kernel == "the scale"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda at: Memset(at["output"], 0, 4 * N + 1), "memset of 4,001 bytes from byte 0 of output"),
        (lambda at: Memset(64, 0, 4), "belongs to no live array"),
        (lambda at: Free(at["output"]), "where no live scratch begins"),
    ],
)
def test_steps_outside_of_arrays_are_refused(runner: GpuRunner, at: dict[str, int], step: Any, words: str) -> None:
    run = executed(runner, step(at))
    assert run.fault is not None and run.fault.fault is FaultClass.OUT_OF_BOUNDS and words in run.fault.message


def test_what_ends_a_read_is_a_run_and_the_next_case_is_unharmed(
    runner: GpuRunner, problem: Problem, at: dict[str, int]
) -> None:
    with pytest.raises(RunnerStopped) as stop:
        runner.read([launch("scale", 1 << 50, at["output"], 1.0, N)], at["output"], 4)
    fault = stop.value.as_run().fault
    assert fault is not None and fault.fault is FaultClass.OUT_OF_BOUNDS
    at = runner.prepare(problem, SIZES, "normal", 1)
    assert len(output_of(executed(runner, launch("scale", at["input"], at["output"], 1.0, N)))) == N


def test_a_cooperative_launch(runner: GpuRunner, problem: Problem, at: dict[str, int]) -> None:
    partial, x = runner.allocate(4 * GRID), inputs_of(problem)["input"]
    assert partial is not None
    run = executed(runner, launch("centre", at["input"], at["output"], partial, N, cooperative=True))
    assert np.allclose(output_of(run), x - x.mean(dtype=np.float64), atol=1e-5)
    at = runner.prepare(problem, SIZES, "normal", 1)
    step = launch("centre", at["input"], at["output"], at["output"], N, cooperative=True, grid=(1_000_000, 1, 1))
    fault = executed(runner, step).fault
    assert fault is not None and fault.fault is FaultClass.LAUNCH_FAILURE
    assert "CUDA refuses to launch the centre" in fault.message


def test_shared_memory_up_to_what_the_gpu_has(runner: GpuRunner, problem: Problem, at: dict[str, int]) -> None:
    step = launch("reverse", at["input"], at["output"], N, grid=(1, 1, 1), shared_bytes=64 << 10)
    assert np.array_equal(output_of(executed(runner, step)), inputs_of(problem)["input"][::-1])
    at = runner.prepare(problem, SIZES, "normal", 1)
    fault = executed(runner, launch("reverse", at["input"], at["output"], N, shared_bytes=1 << 20)).fault
    assert fault is not None and fault.fault is FaultClass.LAUNCH_FAILURE


@needs_hopper
@pytest.mark.parametrize("size", [2, 16])
def test_clusters(runner: GpuRunner, at: dict[str, int], size: int) -> None:
    output = output_of(executed(runner, launch("ranks", at["output"], grid=(32, 1, 1), cluster=(size, 1, 1))))
    assert np.array_equal(output[:32], np.arange(32) % size + 100 * size)


@needs_hopper
def test_a_tensor_map(runner: GpuRunner, problem: Problem, at: dict[str, int]) -> None:
    fields = TensorMap(7, 2, at["input"], (20, 50), (80,), (32, 8), (1, 1))
    placed = (PlacedTensorMap(0, 0, fields),)
    run = executed(runner, launch("tile", bytes(128), at["output"], 4, 45, tensor_maps=placed, grid=(1, 1, 1)))
    padded = np.zeros((58, 52), np.float32)
    padded[:50, :20] = inputs_of(problem)["input"].reshape(50, 20)
    assert np.array_equal(output_of(run)[:256].reshape(8, 32), padded[45:53, 4:36])
    at = runner.prepare(problem, SIZES, "normal", 1)
    crooked = replace(fields, address=at["input"], strides=(81,))
    fault = executed(
        runner, launch("tile", bytes(128), at["output"], 0, 0, tensor_maps=(PlacedTensorMap(0, 0, crooked),))
    ).fault
    assert fault is not None and fault.fault is FaultClass.LAUNCH_FAILURE


def captured(program: Program, steps: list[Step]) -> Any:
    """What replays the plan once, and how many seconds that takes; the arrays are this process's own."""
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    replay = Replay(Kernels(program.cubin, symbols_of(program)), [step_to_json(step) for step in steps])
    graph = capture(stream, [replay.enqueue_forked] * 3)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()

    def replayed() -> float:
        start.record(stream)
        graph.launch(stream)
        end.record(stream)
        stream.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) * 1e-3 / 3

    return replayed


@pytest.mark.alone
def test_streams_of_a_captured_plan_overlap_and_its_end_is_after_all(program: Program) -> None:
    import cupy

    y = cupy.zeros(8 * 64, cupy.float32)

    def slow(place: int, stream: int) -> Step:
        return launch("slow", y.data.ptr + 256 * place, 200_000, grid=(1, 1, 1), block=(1, 1, 1), stream=stream)

    times = {
        name: min(captured(program, [slow(i, stream(i)) for i in range(4)])() for _ in range(3))
        for name, stream in {"one": lambda i: 1, "four": lambda i: i + 1, "default": lambda i: 0}.items()
    }
    assert 3 < times["one"] / times["four"] < 5
    assert 0.8 < times["one"] / times["default"] < 1.25
    mixed = [slow(0, 1), slow(1, 2), slow(2, 0), slow(3, 1)]
    assert 2.4 < captured(program, mixed)() / times["four"] < 3.6


def test_events_of_a_captured_plan_keep_the_order(program: Program) -> None:
    import cupy

    x, y = cupy.ones(1, cupy.float32), cupy.zeros(1, cupy.float32)
    steps = [
        launch("slow", x.data.ptr, 100_000, grid=(1, 1, 1), block=(1, 1, 1), stream=1),
        launch("scale", x.data.ptr, x.data.ptr, 3.0, 1, stream=1),
        RecordEvent(5, 1),
        WaitEvent(5, 2),
        launch("scale", x.data.ptr, y.data.ptr, 2.0, 1, stream=2),
        # The default stream waits for both.
        launch("scale", y.data.ptr, y.data.ptr, 5.0, 1),
        launch("scale", y.data.ptr, x.data.ptr, 1 / 60, 1, stream=3),
    ]
    replayed = captured(program, steps)
    for _ in range(20):
        y.fill(-1.0)
        cupy.cuda.Device().synchronize()
        replayed()
        # slow() comes to 2.
        assert (float(y[0]), float(x[0])) == (60.0, 1.0)


class Judge:
    """Checks what was kept, and records the plan of each buffer set, as the judge does."""

    def __init__(self, problem: Problem, runner: GpuRunner, seed: int) -> None:
        self.problem, self.runner, self.seed = problem, runner, seed
        self.right: list[bool] = []
        self.asked: list[Mapping[str, Any]] = []

    def check(self, kept: Mapping[str, Any]) -> str:
        if "outputs" not in kept:
            return "hand_over"
        outputs = self.runner.read_outputs(self.problem, {"N": LARGE}, kept["outputs"])
        key = replay_key(self.seed, CANDIDATE, kept["replay"])
        x = make_values(key, stream_of(kept["buffer_set"], 1, 0), LARGE, SIGMA)
        self.right.append(bool(np.array_equal(outputs["output"], 2 * x + np.resize(TABLE, LARGE))))
        return "go_on"

    def record(self, question: Mapping[str, Any]) -> Plan:
        self.asked.append(question)
        scratch, steps = steps_of(self.runner, question["addresses"], LARGE)
        # What solve() copies to the host, its inputs are like those of the replays.
        doubled = floats(self.runner.read(steps[:4], scratch, 4 * LARGE))
        assert abs(float(doubled.std()) - 2 * SIGMA) < 0.1
        return Plan(tuple(steps[4:]))


def request(**more: Any) -> dict[str, Any]:
    return {"sizes": {"N": LARGE}, "sigma": SIGMA, "limit": 5.0, "verified": 20, **more}


def test_a_recorded_plan_is_timed_with_scratch_of_each_sets_own(runner: GpuRunner, problem: Problem) -> None:
    judge = Judge(problem, runner, 77)
    asked = request(constants=None, seed=judge.seed, null=False, baseline=None)
    timing = runner.measure(asked, judge.check, judge.record)
    assert isinstance(timing, Timing), timing
    assert len(judge.right) >= 20 and all(judge.right)
    assert [question["set"] for question in judge.asked] == list(range(timing.copies[CANDIDATE]))
    assert timing.graph_bytes[CANDIDATE] == timing.copies[CANDIDATE] * 3 * 4 * LARGE
    # Two passes over 8 MB, a copy, and launches: no less than that takes, and no more than ten times.
    assert 5e-6 < min(min(quad.candidate) for quad in timing.quads) < 1e-3


def test_a_baseline_with_a_solve_of_its_own_is_recorded_beside_the_candidate(
    runner: GpuRunner, problem: Problem, program: Program
) -> None:
    judge = Judge(problem, runner, 77)
    image = {
        "image": base64.b64encode(program.cubin).decode(),
        "symbols": symbols_of(program),
        "constants": None,
    }
    asked = request(constants=None, seed=judge.seed, null=True, baseline=image)
    timing = runner.measure(asked, judge.check, judge.record)
    assert isinstance(timing, Timing), timing
    sides = [question["side"] for question in judge.asked]
    assert sides.count(CANDIDATE) == timing.copies[CANDIDATE] and sides.count(BASELINE) == timing.copies[BASELINE]
    ratios = [min(quad.candidate) / min(quad.baseline) for quad in timing.quads if quad.baseline is not None]
    assert 0.9 < float(np.median(ratios)) < 1.1


def test_what_goes_wrong_in_a_recorded_plan_ends_its_timing(runner: GpuRunner, problem: Problem) -> None:
    asked = request(constants=None, seed=1, null=False, baseline=None)

    def refused(question: Mapping[str, Any]) -> Plan:
        raise LaunchRefused("block (2048) has 2048 threads; a block has at most 1024")

    def beyond(question: Mapping[str, Any]) -> Plan:
        scratch, places = runner.allocate(4), question["addresses"]
        assert scratch is not None
        first = launch("scale", places["input"], places["output"], 2.0, LARGE, grid=(LARGE // BLOCK, 1, 1))
        return Plan((first, launch("scale", places["input"], scratch, 1.0, 2)))

    def outside(question: Mapping[str, Any]) -> Plan:
        return Plan((Memset(question["addresses"]["output"], 0, 4 * LARGE + 4),))

    def astray(question: Mapping[str, Any]) -> Plan:
        runner.read([launch("scale", 1 << 50, question["addresses"]["output"], 1.0, 1)], 1 << 50, 4)
        raise AssertionError

    for record, fault in {refused: FaultClass.LAUNCH_FAILURE, beyond: FaultClass.OUT_OF_BOUNDS}.items():
        run = runner.measure(asked, lambda kept: "go_on", record)
        assert isinstance(run, Run) and run.fault is not None and run.fault.fault is fault, run
    assert run.fault.array == "scratch 1 (4 bytes)"
    run = runner.measure(asked, lambda kept: "go_on", outside)
    assert isinstance(run, Run) and run.fault is not None and "memset" in run.fault.message
    with pytest.raises(RunnerStopped) as stop:
        runner.measure(asked, lambda kept: "go_on", astray)
    fault_report = stop.value.as_run().fault
    assert fault_report is not None and fault_report.fault is FaultClass.OUT_OF_BOUNDS


def test_recorded_plans_in_a_contest(problem: Problem, program: Program) -> None:
    image = {
        "image": base64.b64encode(program.cubin).decode(),
        "symbols": symbols_of(program),
        "constants": None,
    }
    runner = ContestRunner(GPUS[0], MAP, Sandbox.find())
    judges = {name: Judge(problem, runner, seed) for name, seed in {"a": 5, "b": 6}.items()}
    try:
        contenders = [{"name": name, "seed": judge.seed, "program": image} for name, judge in judges.items()]
        answer = runner.contest(
            request(contenders=contenders, structure=0, rule=asdict(StoppingRule())),
            lambda kept: judges[kept["contender"]].check(kept),
            lambda question: judges[question["contender"]].record(question),
        )
    finally:
        runner.close()
    assert from_data(answer["contest"]).names == ("a", "b")
    for judge in judges.values():
        assert len(judge.right) >= 4 and all(judge.right)
    # They share the arrays, each in its turn.
    first = [judge.asked[0]["addresses"] for judge in judges.values()]
    assert first[0] == first[1]
