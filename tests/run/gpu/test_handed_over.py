"""Kept outputs go through the processor's memory where CUDA can't share the GPU's between processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from grader.compile.nvrtc import compile_kernel
from grader.judge.timing import VERIFIED, Check, WrongWhileTimed, constants_of
from grader.machine.gpus import find_gpus, target_of
from grader.measure.samples import Timing
from grader.problem import Problem, load_problem
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.referee import Referee
from grader.sandbox import Sandbox

MAP = Path(__file__).parents[3] / "problems" / "map"
SIZES = {"N": 300_001}
RIGHT = (MAP / "submissions/accepted/1_simple.cu").read_text()
GPUS = find_gpus()

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not GPUS, reason="there is no NVIDIA GPU here; where there is one: make test-gpu"),
]


class NoReferee:
    """It reads the GPU's memory, which it can't here."""

    def check_kept(self, *_: Any) -> None:
        raise AssertionError("the referee was given a handle")


def measured(source: str, problem: Problem, cache: Path, check: Check, runner: GpuRunner) -> Any:
    program = compile_kernel(
        source,
        "k.cu",
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        gpu_target=target_of(GPUS[0]),
    )
    runner.load(program)
    asked = {"sizes": SIZES, "constants": constants_of(program), "seed": check.seed, "sigma": check.sigma}
    return runner.measure({**asked, "limit": 5.0, "verified": VERIFIED, "null": False, "baseline": None}, check.kept)


@pytest.mark.parametrize("spoilt", [False, True], ids=["right", "wrong in one element"])
def test_outputs_are_handed_over_and_checked(spoilt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    problem, runner = load_problem(MAP), GpuRunner(GPUS[0], MAP, Sandbox(None), "without_ipc_child")
    check = Check(problem, SIZES, runner, cast(Referee, NoReferee()))
    source = RIGHT.replace("expf(-input[i])", "(i == 7 ? 2.0f : expf(-input[i]))") if spoilt else RIGHT
    try:
        if spoilt:
            with pytest.raises(WrongWhileTimed):
                measured(source, problem, tmp_path, check, runner)
        else:
            assert isinstance(measured(source, problem, tmp_path, check, runner), Timing)
            assert check.verified >= VERIFIED
    finally:
        runner.close()
