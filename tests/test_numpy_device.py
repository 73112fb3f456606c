"""A third device, which answers from NumPy: all that `grader.run.device` asks for, and nothing of kgrade replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.compile.program import Program
from grader.core.errors import UsageError
from grader.core.limits import USUAL_LIMITS, Limits
from grader.core.plan import Plan, Step
from grader.core.report import KernelInfo
from grader.core.verdict import Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.languages.registry import read_submission
from grader.machine.gpus import Gpu
from grader.plan.poison import Poison
from grader.plan.runner import Run, RunStatus
from grader.problem import Problem, load_problem
from grader.problem.cases import Case, draw_cases
from grader.problem.inputs import make_inputs
from grader.run.device import Device, Part
from grader.sandbox import Sandbox

ROOT = Path(__file__).parents[1] / "problems"

Array = np.ndarray[Any, Any]


class NumpyRunner:
    """Runs a program by looking up what its problem's reference says, after `spoil` had a hand in it."""

    device = "NumPy"
    checks = ("nothing: it computes the reference",)

    def __init__(self, spoil: Callable[[dict[str, Array]], None]) -> None:
        self._spoil = spoil
        self._ran: Callable[[], dict[str, Array]] = dict

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        return tuple(KernelInfo(kernel.name) for kernel in program.kernels)

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        raise AssertionError("a harness adds no kernels")

    def time(self, steps: Sequence[Step], limits: Limits = USUAL_LIMITS) -> float:
        raise AssertionError("a harness tunes nothing")

    def prepare(
        self, problem: Problem, sizes: Mapping[str, int], family: str, seed: int, poison: Poison = Poison.NAN
    ) -> dict[str, int]:
        inputs = make_inputs(problem, sizes, family, seed)

        def run() -> dict[str, Array]:
            # What float32 can't hold is infinite there too.
            with np.errstate(over="ignore"):
                made = {
                    name: array.astype(problem.outputs[name].dtype.numpy)
                    for name, array in problem.expected(inputs, sizes).items()
                }
            self._spoil(made)
            return made

        self._ran = run
        return {name: number << 40 for number, name in enumerate((*problem.inputs, *problem.outputs), 1)}

    def allocate(self, size: int) -> int | None:
        return None

    def symbol(self, name: str) -> int | None:
        return None

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        raise AssertionError("a harness reads nothing")

    def execute(self, plan: Plan, limits: Limits) -> Run:
        outputs = self._ran()
        return Run(RunStatus.DONE, outputs=outputs, unwritten={n: np.zeros(a.shape, bool) for n, a in outputs.items()})

    def close(self) -> None:
        self._ran = dict


class NumpyDevice:
    name = "NumPy"
    gpu: Gpu | None = None

    def __init__(self, spoil: Callable[[dict[str, Array]], None]) -> None:
        self._spoil = spoil

    def draw(
        self,
        problem: Problem,
        seed: int,
        count: int,
        given: Sequence[Mapping[str, int]],
        constants: Mapping[str, int] | None = None,
    ) -> list[Case]:
        return draw_cases(problem, seed, count, given, constants)

    def start(self, problem: Problem, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> Sequence[Part]:
        return [Part(NumpyRunner(self._spoil), (), lambda problem, case: USUAL_LIMITS)]


def choose(spoil: Callable[[dict[str, Array]], None] = lambda outputs: None) -> Callable[[str], Device]:
    def device_of(words: str) -> Device:
        if words != "numpy":
            raise UsageError(f"there is no device {words!r}", "use numpy")
        return NumpyDevice(spoil)

    return device_of


def graded(problem: str, spoil: Callable[[dict[str, Array]], None], cache: Path) -> Any:
    file = next((ROOT / problem / "submissions" / "accepted").glob("1_*.cu"))
    options = Options(seed=7, device="numpy", cache=cache)
    return grade(load_problem(ROOT / problem), read_submission(file), options, choose=choose(spoil))


@pytest.mark.parametrize("problem", ["zip", "histogram"])
def test_a_grading_runs_on_it(problem: str, tmp_path: Path) -> None:
    report = graded(problem, lambda outputs: None, tmp_path)
    assert (report.verdict, report.device, len(report.cases)) == (Verdict.ACCEPTED, "NumPy", 12)
    assert "nothing: it computes the reference" in report.checks


def test_what_it_gets_wrong_is_told(tmp_path: Path) -> None:
    def spoil(outputs: dict[str, Array]) -> None:
        outputs["output"][-1] += 1000

    report = graded("zip", spoil, tmp_path)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert dict(report.smallest.sizes) == {"N": 1}


def test_words_that_its_factory_does_not_know_are_refused(tmp_path: Path) -> None:
    file = ROOT / "zip" / "submissions" / "accepted" / "1_simple.cu"
    with pytest.raises(UsageError, match="'abacus'"):
        grade(load_problem(ROOT / "zip"), read_submission(file), Options(device="abacus"), choose=choose())
