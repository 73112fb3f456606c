"""The referee and its process, with NumPy in CuPy's place: what it decides, and who decides where it can't."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.check import check_case
from grader.core.report import OutputCheck
from grader.core.verdict import Verdict, WrongKind
from grader.machine.gpus import Gpu
from grader.measure.samples import CANDIDATE
from grader.problem import Problem, load_problem
from grader.problem.cases import Case
from grader.problem.inputs import make_inputs
from grader.run.gpu.referee import Referee
from grader.run.gpu.refill import make_values, replay_key, stream_of
from tests.interruption import interruption

MATMUL = Path(__file__).parents[1] / "problems" / "matmul"
NO_GPU = Gpu(0, "GPU-none", "no card", "580", (9, 0), 1 << 34)
CASE = Case({"M": 5, "N": 30, "K": 4}, "normal", 11)
SIZES = CASE.sizes
SEED, SIGMA, STRUCTURE = 1 << 60, 1.0, 5
Array = np.ndarray


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(MATMUL)


@pytest.fixture
def referee(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    started = Referee(NO_GPU, problem, "referee_on_host")
    yield started
    started.close()


def product(a: Array, b: Array) -> Array:
    return (a.astype(np.float64) @ b).astype(np.float32)


def rounded(checks: Sequence[OutputCheck]) -> list[OutputCheck]:
    """With errors to six digits: the last ones depend on how a processor's BLAS adds up."""
    return [
        replace(
            check,
            worst=float(f"{check.worst:.6g}"),
            elements=tuple(replace(one, units=float(f"{one.units:.6g}")) for one in check.elements),
        )
        for check in checks
    ]


def outputs_of(problem: Problem, case: Case = CASE) -> dict[str, Array]:
    inputs = make_inputs(problem, case.sizes, case.family, case.seed)
    return {"C": product(inputs["A"], inputs["B"])}


def mailbox(folder: Path, replay: int, buffer_set: int) -> str:
    """A mailbox with what an honest kernel leaves there after this replay."""
    key, (m, n, k) = replay_key(SEED, CANDIDATE, replay), SIZES.values()
    shapes = enumerate(((m, n), (n, k)))
    a, b = (make_values(key, stream_of(buffer_set, 2, p), r * c, SIGMA).reshape(r, c) for p, (r, c) in shapes)
    file = folder / f"{replay}-{buffer_set}"
    product(a, b).tofile(file)
    return str(file)


def test_it_says_what_the_processor_says(referee: Referee, problem: Problem) -> None:
    outputs = outputs_of(problem)
    right = referee.check(CASE, outputs, {}, {})
    outputs["C"][2, 1] += 1
    wrong = referee.check(CASE, outputs, {}, {})
    assert right is not None and wrong is not None
    assert (right.verdict, wrong.verdict) == (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
    assert (wrong.sizes, wrong.family, wrong.seed) == (SIZES, "normal", 11)
    inputs = make_inputs(problem, SIZES, CASE.family, CASE.seed)
    _, kind, message, checks = check_case(problem, SIZES, CASE.family, inputs, outputs)
    assert (wrong.kind, wrong.message, rounded(wrong.outputs)) == (kind, message, rounded(checks))
    assert wrong.outputs[0].elements[0].index == (2, 1)
    assert referee.refusals == []


def test_outputs_of_other_sizes_are_handed_over_in_the_same_place(referee: Referee, problem: Problem) -> None:
    for sizes in ({"M": 40, "N": 3, "K": 50}, {"M": 1, "N": 1, "K": 1}, {"M": 7, "N": 2, "K": 90}):
        case = Case(sizes, "exact", 3)
        result = referee.check(case, outputs_of(problem, case), {}, {})
        assert result is not None and result.verdict is Verdict.ACCEPTED


def test_what_was_never_written_and_what_was_changed_is_told(referee: Referee, problem: Problem) -> None:
    outputs = outputs_of(problem)
    mask = np.zeros((5, 4), bool)
    mask[4, 3] = True
    outputs["C"][mask] = np.nan
    unwritten = referee.check(CASE, outputs, {"C": mask}, {})
    assert unwritten is not None and unwritten.kind is WrongKind.UNWRITTEN_OUTPUT
    changed = referee.check(CASE, outputs_of(problem), {"C": np.zeros((5, 4), bool)}, {"A": (2, 3)})
    assert changed is not None and changed.kind is WrongKind.CHANGED_INPUT
    assert "A[2,3]" in changed.message


def test_kept_outputs_are_checked_against_the_inputs_of_their_own_replay(referee: Referee, tmp_path: Path) -> None:
    referee.begin()
    for replay, buffer_set in ((9, 2), (8, 0)):
        right = referee.check_kept(
            SIZES, SEED, SIGMA, STRUCTURE, replay, buffer_set, mailbox(tmp_path, replay, buffer_set)
        )
        assert right is not None and right.verdict is Verdict.ACCEPTED, referee.refusals
        assert right.seed == replay_key(SEED, CANDIDATE, replay)
    for other in (mailbox(tmp_path, 8, 2), mailbox(tmp_path, 9, 1)):
        wrong = referee.check_kept(SIZES, SEED, SIGMA, STRUCTURE, 9, 2, other)
        assert wrong is not None and wrong.kind is WrongKind.WRONG_VALUE


def test_what_it_can_not_do_is_left_to_the_processor_and_the_next_is_checked(
    referee: Referee, problem: Problem
) -> None:
    assert referee.check_kept(SIZES, SEED, SIGMA, STRUCTURE, 9, 2, "refuse") is None
    assert referee.refusals == ["RuntimeError: cudaErrorMapBufferObjectFailed"]
    assert referee.check(CASE, outputs_of(problem), {}, {}) is not None


def test_a_mistake_is_no_verdict(referee: Referee, problem: Problem) -> None:
    unheard_of = Case(SIZES, "no such family", 1)
    assert referee.check(unheard_of, outputs_of(problem), {}, {}) is None
    assert "no family of inputs" in referee.refusals[0]


@pytest.mark.parametrize(("handle", "words"), [("die", "SIGKILL"), ("hang", "no answer within 0.5 seconds")])
def test_a_process_that_ends_is_not_waited_for_again(
    referee: Referee, problem: Problem, handle: str, words: str
) -> None:
    assert referee.check(CASE, outputs_of(problem), {}, {}) is not None
    referee.check_seconds = 0.5 if handle == "hang" else 60.0
    large = {"M": 2048, "N": 2048, "K": 2048}
    assert referee.is_quicker(large)
    assert referee.check_kept(SIZES, SEED, SIGMA, STRUCTURE, 9, 2, handle) is None
    (said,) = referee.refusals
    assert words in said
    assert not referee.is_quicker(large)
    referee.check_seconds = 60.0
    began = time.monotonic()
    assert referee.check(CASE, outputs_of(problem), {}, {}) is None
    assert time.monotonic() - began < 50
    assert referee.refusals == [said]


def test_a_process_that_does_not_start_leaves_all_to_the_processor(problem: Problem) -> None:
    referee = Referee(NO_GPU, problem, "no_such_module")
    assert referee.check(CASE, outputs_of(problem), {}, {}) is None
    assert "no_such_module ended unexpectedly" in referee.refusals[0]
    referee.close()


def test_without_a_gpu_the_real_process_leaves_all_to_the_processor(problem: Problem) -> None:
    referee = Referee(NO_GPU, problem)
    assert referee.check(CASE, outputs_of(problem), {}, {}) is None
    assert len(referee.refusals) == 1
    referee.close()


def test_an_interrupt_ends_its_process(referee: Referee, problem: Problem) -> None:
    assert referee.check(CASE, outputs_of(problem), {}, {}) is not None
    child = referee._child
    assert child is not None
    with pytest.raises(KeyboardInterrupt), interruption(0.3):
        referee.check_kept(SIZES, SEED, SIGMA, STRUCTURE, 9, 2, "hang")
    # Waited for, too: nothing of it is left.
    assert not Path(f"/proc/{child.pid}").exists()
    assert referee.check(CASE, outputs_of(problem), {}, {}) is None


def test_closing_twice_leaves_no_descriptor(problem: Problem) -> None:
    before = os.listdir("/proc/self/fd")  # noqa: PTH208 (compared as text)
    referee = Referee(NO_GPU, problem, "no_such_module")
    referee.check(CASE, outputs_of(problem), {}, {})
    referee.close()
    referee.close()
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208


@pytest.mark.parametrize(
    ("sizes", "quicker"),
    [
        ({"M": 100, "N": 100, "K": 100}, False),
        ({"M": 800, "N": 800, "K": 800}, True),  # 1.02 × 10⁹ operations on 7.7 MB
        ({"M": 790, "N": 790, "K": 790}, False),
        ({"M": 1, "N": 1500, "K": 1500}, True),  # 4.5 × 10⁶ operations on 9 MB
    ],
)
def test_only_large_cases_are_worth_asking_for(referee: Referee, sizes: dict[str, int], quicker: bool) -> None:
    assert referee.is_quicker(sizes) is quicker
