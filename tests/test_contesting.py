"""The judge's side of a contest with a runner made up: what it asks, what it checks, and what it does not believe."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from grader.compile.program import Kernel, Program
from grader.core.errors import JudgeError
from grader.core.verdict import Form
from grader.judge.duel import VERIFIED, ContenderFailed, Contests
from grader.machine.gpus import Gpu
from grader.measure.duel import Contest, Round, to_data
from grader.measure.samples import BASELINE, CANDIDATE
from grader.measure.statistics import StoppingRule
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem import Problem, load_problem
from grader.run.gpu.refill import make_values, replay_key, stream_of
from grader.sandbox import Sandbox

H200 = Gpu(0, "GPU-one", "NVIDIA H200", "580.95.05", (9, 0), 140 << 30)
SIZES = {"M": 5, "N": 3, "K": 4}
ROUNDS = 24


def program(tile: int) -> Program:
    kernels = (Kernel("matrix_multiplication_kernel", "_Z1k"),)
    return Program(Form.KERNEL, "compute_89", "ptx", kernels, {"TILE": tile}, cubin=b"code")


PROGRAMS = {"0": program(8), "1": program(16)}


CACHE = Path("no cache is used: nothing is recorded")


@dataclass
class FakeRunner:
    """Stands in for the process: hands over outputs as honest kernels do, then answers."""

    answer: Callable[[Contest], Mapping[str, Any]] = lambda contest: {"contest": to_data(contest)}
    spoil: Callable[[str, int], float] = lambda name, turn: 0.0
    outputs: int = VERIFIED
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    closed: int = 0
    seconds: float = 1e-6

    def __call__(self, gpu: Gpu, folder: Path, sandbox: Sandbox) -> FakeRunner:
        assert (gpu, folder.name) == (H200, "matmul")
        return self

    def contest(
        self, request: Mapping[str, Any], check: Callable[[Mapping[str, Any]], str], record: Any
    ) -> Mapping[str, Any]:
        self.requests.append(request)
        names = [contender["name"] for contender in request["contenders"]]
        for turn in range(self.outputs):
            for contender in request["contenders"]:
                told = {"contender": contender["name"], "replay": 3 + turn, "buffer_set": turn % 2}
                assert check({**told, "handle": None}) in ("hand_over", "go_on")
                self.made = self._product(contender["seed"], request["sigma"], told)
                self.made += self.spoil(contender["name"], turn)
                assert check({**told, "outputs": {"C": 0}}) == "go_on"
        rounds = (Round(((1e-5, 1e-5),) * len(names)),) * ROUNDS
        return self.answer(Contest(tuple(names), rounds, event_seconds=self.seconds, wall_seconds=self.seconds * 1.1))

    def read_outputs(self, problem: Problem, sizes: Mapping[str, int], offsets: Mapping[str, int]) -> dict[str, Any]:
        assert (sizes, offsets) == (SIZES, {"C": 0})
        return {"C": self.made}

    @staticmethod
    def _product(seed: int, sigma: float, told: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        key, (m, n, k) = replay_key(seed, CANDIDATE, told["replay"]), SIZES.values()
        shapes = [(m, n), (n, k)]
        a, b = (
            make_values(key, stream_of(told["buffer_set"], 2, p), r * c, sigma).reshape(r, c)
            for p, (r, c) in enumerate(shapes)
        )
        return (a.astype(np.float64) @ b).astype(np.float32)

    def close(self) -> None:
        self.closed += 1


@dataclass
class NoReferee:
    """A GPU whose processes can't share memory."""

    closed: int = 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(Path(__file__).parents[1] / "problems" / "matmul")


@pytest.fixture
def runner() -> FakeRunner:
    return FakeRunner()


def contests(problem: Problem, runner: FakeRunner, referee: NoReferee | None = None) -> Contests:
    """Contests that this runner holds."""
    return Contests(problem, H200, CACHE, cast(Any, runner), cast(Any, lambda gpu, problem: referee or NoReferee()))


def test_what_is_asked_and_what_comes_back(problem: Problem, runner: FakeRunner) -> None:
    timed = contests(problem, runner).hold(SIZES, PROGRAMS, library=True)
    assert timed.wrong == {} and timed.contest.names == ("0", "1", BASELINE)
    (request,) = runner.requests
    assert (request["sizes"], request["sigma"], request["verified"]) == (SIZES, 1.0, VERIFIED)
    assert request["rule"] == asdict(StoppingRule())
    assert request["limit"] >= 1
    first, second, library = request["contenders"]
    assert base64.b64decode(first["program"]["image"]) == b"code"
    assert first["program"]["symbols"] == {"matrix_multiplication_kernel": "_Z1k"}
    assert [each["program"]["constants"] for each in (first, second)] == [{"TILE": 8}, {"TILE": 16}]
    assert library["name"] == BASELINE and library["program"] is None
    # A secret of each one's own: nobody meets another's inputs.
    assert len({contender["seed"] for contender in request["contenders"]}) == 3


def test_whose_outputs_are_wrong_is_named_and_the_contest_goes_on(problem: Problem, runner: FakeRunner) -> None:
    runner.spoil = lambda name, turn: 1.0 if name == "1" and turn == 4 else 0.0
    timed = contests(problem, runner).hold(SIZES, PROGRAMS)
    assert list(timed.wrong) == ["1"] and "C" in timed.wrong["1"]
    assert len(timed.contest.rounds) == ROUNDS


def test_fewer_outputs_than_there_were_turns_are_not_believed(problem: Problem, runner: FakeRunner) -> None:
    runner.outputs = VERIFIED - 1
    with pytest.raises(JudgeError, match="9 timed outputs of 0 were checked; 10 are needed"):
        contests(problem, runner).hold(SIZES, PROGRAMS)


def test_more_time_than_went_by_is_not_believed(problem: Problem, runner: FakeRunner) -> None:
    runner.seconds = 3600.0
    with pytest.raises(JudgeError, match=r"add up to 3600.000 s within"):
        contests(problem, runner).hold(SIZES, PROGRAMS)


def test_others_than_were_asked_for_are_not_believed(problem: Problem, runner: FakeRunner) -> None:
    runner.answer = lambda contest: {"contest": to_data(replace(contest, names=("1", "0")))}
    with pytest.raises(JudgeError, match="the runner timed"):
        contests(problem, runner).hold(SIZES, PROGRAMS)


def test_failures_are_told_apart(problem: Problem, runner: FakeRunner) -> None:
    runner.answer = lambda contest: {"stopped": "1", "message": "still running after 10 s"}
    with pytest.raises(ContenderFailed, match="still running") as caught:
        contests(problem, runner).hold(SIZES, PROGRAMS)
    assert caught.value.name == "1"
    runner.answer = lambda contest: {"failed": "the arrays don't fit into the GPU's memory"}
    with pytest.raises(RunnerStopped, match="don't fit") as stopped:
        contests(problem, runner).hold(SIZES, PROGRAMS)
    assert stopped.value.status is RunStatus.CRASHED


def test_both_processes_are_closed(problem: Problem, runner: FakeRunner) -> None:
    referee = NoReferee()
    contests(problem, runner, referee).close()
    assert (runner.closed, referee.closed) == (1, 1)


def test_a_referee_that_does_not_start_leaves_no_process(problem: Problem, runner: FakeRunner) -> None:
    def fails(gpu: Gpu, problem: Problem) -> Any:
        raise OSError("no more processes")

    with pytest.raises(OSError, match="no more processes"):
        Contests(problem, H200, CACHE, cast(Any, runner), fails)
    assert runner.closed == 1
