"""What the runner's process answers to a request for a contest, and how the judge's side asks: with no GPU in it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.compile.program import Kernel, Program
from grader.core.plan import Plan
from grader.core.verdict import Form
from grader.measure.duel import Contest, Round, from_data
from grader.measure.samples import Kept
from grader.measure.statistics import StoppingRule
from grader.problem import Problem, load_problem
from grader.problem.harness import LaunchRefused
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.buffers import Overrun
from grader.run.gpu.duel import Entrant, EntrantFailed
from grader.run.gpu.duel_runner import ContestRunner
from grader.run.gpu.duelling import Contesting
from grader.run.gpu.keeper import keeper
from grader.run.gpu.refill import Span
from grader.run.gpu.replay import LaunchError
from grader.run.gpu.timed import Prepared
from grader.run.gpu.timing import Overtime
from grader.run.handover import Outputs, read_array

RULE = StoppingRule(tolerance=0.02, least=7, every=3, seconds=1.5)
SIZES = {"M": 5, "N": 3, "K": 4}
CONTENDERS = [
    {"name": "0", "seed": 7, "program": {"image": base64.b64encode(b"a").decode(), "symbols": {}, "constants": {}}},
    {"name": "1", "seed": 8, "program": {"image": base64.b64encode(b"b").decode(), "symbols": {}, "constants": {}}},
    {"name": "baseline", "seed": 9, "program": None},
]
RELEASED = [f"release {name}" for name in ("library", "b", "a") * 2] + ["free", "unload a", "unload b"]
FOUND = Contest(("0", "1", "baseline"), (Round(((1.0, 1.0),) * 3),))


class CudaError(RuntimeError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Gpu:
    """What the process's parts did, in order."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.overrun: tuple[str, int, Overrun] | None = None
        self.meets: Callable[[Sequence[Entrant]], None] = lambda entrants: None
        self.launches: list[str] = []

    def contest(self, entrants: Sequence[Entrant], **options: Any) -> Contest:
        assert options["sigma"] == 3.0 and options["limit"] == 2.0 and options["verified"] == 10
        assert options["rule"] == RULE
        self.steps.append("contest")
        assert [(entrant.name, entrant.seed) for entrant in entrants] == [("0", 7), ("1", 8), ("baseline", 9)]
        self.meets(entrants)
        return FOUND


@pytest.fixture
def gpu() -> Gpu:
    return Gpu()


def played(gpu: Gpu) -> type[Contesting]:
    """Parts that note what they do at this GPU."""

    class Kernels:
        def __init__(self, cubin: bytes, symbols: Mapping[str, str]) -> None:
            self.cubin = cubin.decode()
            gpu.steps.append(f"load {self.cubin}")

        def unload(self) -> None:
            gpu.steps.append(f"unload {self.cubin}")

    class Contender:
        def __init__(self, problem: Problem, sizes: Mapping[str, int], prepare: Any, structure: int) -> None:
            self.prepare = prepare

        def make_set(self, number: int) -> BufferSet:
            gpu.steps.append(f"set {number}")
            return BufferSet([Span(number, 1)], [], self.prepare(number, {"A": number}).launch)

        def find_overrun(self) -> Any:
            return gpu.overrun

        def free(self) -> None:
            gpu.steps.append("free")

    def launcher(name: str) -> Any:
        return lambda number, addresses: Prepared(
            lambda stream: gpu.launches.append(f"{name} on {addresses['A']}"),
            release=lambda: gpu.steps.append(f"release {name}"),
        )

    class Played(Contesting):
        kernels: Any = Kernels
        contender: Any = Contender
        contest: Any = staticmethod(gpu.contest)
        reset: Any = staticmethod(lambda: gpu.steps.append("reset"))
        call_library: Any = staticmethod(lambda problem, sizes: launcher("library"))
        launch_program: Any = staticmethod(lambda problem, sizes, kernels, constants: launcher(kernels.cubin))

    return Played


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(Path(__file__).parents[3] / "problems" / "matmul")


def answered(gpu: Gpu, problem: Problem) -> dict[str, Any]:
    process = played(gpu)(problem, Outputs(os.memfd_create("outputs")), lambda message: {"do": "go_on"})
    return process.answer(
        sizes=SIZES, sigma=3.0, limit=2.0, verified=10, structure=7, contenders=CONTENDERS, rule=asdict(RULE)
    )


def test_programs_are_loaded_anew_and_run_on_the_same_arrays(gpu: Gpu, problem: Problem) -> None:
    def meets(entrants: Sequence[Entrant]) -> None:
        for number in (0, 1):
            sets = [entrant.make_set(number) for entrant in entrants]
            assert {each.inputs[0].address for each in sets} == {number}
            for each in sets:
                each.launch(None)

    gpu.meets = meets
    assert from_data(answered(gpu, problem)["contest"]) == FOUND
    # The reset needs the context that loading makes.
    assert gpu.steps == [*("load a", "load b", "reset", "contest"), *("set 0", "set 1"), *RELEASED]
    assert gpu.launches == ["a on 0", "b on 0", "library on 0", "a on 1", "b on 1", "library on 1"]


def test_writes_beside_the_arrays_are_nobodys_result(gpu: Gpu, problem: Problem) -> None:
    gpu.overrun = ("C", 20, Overrun(0, 4, 20))
    assert answered(gpu, problem) == {"failed": "one of the kernels wrote outside C"}


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (Overtime(), "still running after 2 s"),
        (LaunchRefused("block (64, 64) has 4096 threads", ["TILE"]), "4096 threads"),
        (LaunchError("k", CudaError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument")), "refuses to launch k"),
        (CudaError(700, "cudaErrorIllegalAddress: an illegal memory access"), "memory that belongs to no array"),
    ],
)
def test_who_failed_alone_is_named(gpu: Gpu, problem: Problem, cause: Exception, said: str) -> None:
    def meets(entrants: Sequence[Entrant]) -> None:
        raise EntrantFailed("1", cause)

    gpu.meets = meets
    answer = answered(gpu, problem)
    assert answer["stopped"] == "1" and said in answer["message"]


def test_too_little_memory_is_nobodys_fault_and_a_mistake_is_kgrades(gpu: Gpu, problem: Problem) -> None:
    causes = [CudaError(2, "cudaErrorMemoryAllocation: out of memory"), KeyError("seven")]

    def meets(entrants: Sequence[Entrant]) -> None:
        raise EntrantFailed("0", causes.pop(0))

    gpu.meets = meets
    assert "don't fit" in answered(gpu, problem)["failed"]
    with pytest.raises(KeyError, match="seven"):
        answered(gpu, problem)


class Asked(ContestRunner):
    """A runner whose process gives these answers."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.closed = list(answers), 0
        self.loaded: dict[str, Kernel] = {}
        self.requests: list[Any] = []

    def load_anew(self) -> None:
        self.requests.append({"do": "load"})

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        assert seconds > 10
        self.requests.append(dict(request))
        answer = self.answers.pop(0)
        assert isinstance(answer, dict)
        return answer

    def close(self) -> None:
        self.closed += 1


REQUEST = {"contenders": CONTENDERS, "limit": 2.0, "rule": asdict(RULE)}


def test_the_judge_is_shown_what_was_kept_until_the_answer_comes() -> None:
    runner = Asked({"kept": {"replay": 1}}, {"kept": {"replay": 1, "outputs": {}}}, {"contest": {}})
    said = ["hand_over", "go_on"]
    assert runner.contest(REQUEST, lambda kept: said.pop(0)) == {"contest": {}}
    assert [request["do"] for request in runner.requests] == ["load", "contest", "hand_over", "go_on"]
    assert runner.closed == 0


@pytest.mark.parametrize("answer", [{"stopped": "1", "message": "m"}, {"failed": "m"}])
def test_after_a_failure_the_next_contest_has_a_new_process(answer: dict[str, str]) -> None:
    runner = Asked(answer)
    assert runner.contest(REQUEST, lambda kept: "go_on") == answer
    assert runner.closed == 1


def test_each_contender_tells_of_the_kernels_that_it_compiled() -> None:
    described = {"kernels": [{"name": "h", "registers": 20, "shared_bytes": 0, "local_bytes": 0}]}
    runner = Asked(
        {"record": {"contender": "0"}}, described, {"record": {"contender": "1"}}, described, {"contest": {}}
    )
    program = Program(Form.SOLVE, "", "", (Kernel("scale", "_Z5scale", (8,), "h"),), cubin=b"\x7fELF")

    def record(question: Mapping[str, Any]) -> Plan:
        (told,) = runner.extend(program)
        assert (told.name, told.registers) == ("scale", 20)
        return Plan(())

    assert runner.contest(REQUEST, lambda kept: "go_on", record) == {"contest": {}}
    asked = [request["do"] for request in runner.requests]
    assert asked == ["load", "contest", "extend", "replay", "extend", "replay"]


def test_what_a_check_raises_ends_the_process() -> None:
    runner = Asked({"kept": {}})

    def check(kept: Mapping[str, Any]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.contest(REQUEST, check)
    assert runner.closed == 1


@pytest.mark.parametrize("shared", [True, False])
def test_kept_outputs_are_offered_with_a_label_and_handed_over_where_asked(problem: Problem, shared: bool) -> None:
    asked: list[dict[str, Any]] = []

    def ask(message: dict[str, Any]) -> dict[str, Any]:
        asked.append(message["kept"])
        return {"do": "go_on" if shared or len(asked) == 2 else "hand_over"}

    values = np.arange(20, dtype=np.float32)
    mailbox = SimpleNamespace(handle=lambda: "abc" if shared else None, arrays=[SimpleNamespace(get=lambda: values)])
    outputs = Outputs(os.memfd_create("outputs"))
    keeper(problem, outputs, ask, contender="1")(Kept(5, 2), mailbox)  # type: ignore[arg-type]
    told = {"contender": "1", "replay": 5, "buffer_set": 2}
    assert asked[0] == {**told, "handle": "abc" if shared else None}
    assert asked[1:] == ([] if shared else [{**told, "outputs": {"C": 0}}])
    if not shared:
        read = np.empty(20, np.float32)
        read_array(outputs.descriptor, 0, read)
        assert np.array_equal(read, values)
    os.close(outputs.descriptor)
