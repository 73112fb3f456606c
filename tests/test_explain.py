"""Headlines name the access, the element, the line and the thread, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.report import CaseResult, Diagnostic, FaultReport, OutputCheck
from grader.core.verdict import FaultClass, LanguageName, Verdict, WrongKind
from grader.judge import wording
from grader.problem import load_problem

SIZES = {"M": 17, "N": 17, "K": 3}
READ = FaultReport(
    FaultClass.OUT_OF_BOUNDS,
    "read of 4 bytes outside of A",
    line=14,
    access="read",
    array="A",
    index=289,
    extent=289,
    block=(0, 1, 0),
    thread=(1, 16, 0),
    threads=48,
)


@pytest.fixture(scope="module")
def problem():
    return load_problem(Path(__file__).parents[1] / "problems" / "matmul")


def failed(fault=None, **more):
    result = CaseResult(SIZES, "exact", 1, Verdict.RUNTIME_ERROR, fault=fault, line=fault.line if fault else None)
    return replace(result, **more)


def test_an_access_out_of_bounds_names_everything(problem):
    assert wording.headline(problem, failed(READ)) == (
        "Reads A out of bounds: A[289] of 289 elements, that is A[17,0] of 17 × 17, line 14, "
        "thread (1,16,0) of block (0,1,0) (with M=17,N=17,K=3)"
    )
    assert "48 threads did the same in this line." in wording.explanation(failed(READ))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"access": "write", "array": "C", "index": 60, "extent": 51}, "Writes C out of bounds: C[60] of 51"),
        ({"access": "atomic"}, "Updates A out of bounds"),
        ({"index": -1}, "A[-1] of 289 elements, line 14"),
        ({"array": "tile", "index": 256, "extent": 256}, "Reads tile out of bounds: tile[256] of 256 elements, line"),
        ({"extent": 1, "index": 1}, "A[1] of 1 element,"),
        ({"fault": FaultClass.MISALIGNED}, "Reads A misaligned: A[289] of 289 elements"),
        ({"array": "", "index": None}, "Read of 4 bytes outside of A, line 14"),
        ({"line": None, "block": None}, "of 17 × 17 (with"),
        (
            {
                "array": "local memory",
                "extent": None,
                "message": "read of 4 bytes outside of the thread's local arrays",
            },
            "Read of 4 bytes outside of the thread's local arrays, line 14, thread (1,16,0)",
        ),
    ],
)
def test_other_accesses(problem, change, words):
    assert words in wording.headline(problem, failed(replace(READ, **change)))


def test_a_fault_is_told_in_tritons_words(problem):
    result = failed(replace(READ, block=(3, 0, 0)))
    assert "program (3, 0), thread" in wording.headline(problem, result, LanguageName.TRITON)
    assert "program" not in wording.headline(problem, result)
    assert "program (3, 0, 2)" in wording.headline(problem, failed(replace(READ, block=(3, 0, 2))), LanguageName.TRITON)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (FaultClass.OUT_OF_BOUNDS, "mask=places < N"),
        (FaultClass.OUT_OF_BOUNDS, "boundary_check="),
        (FaultClass.UNINITIALIZED_READ, "torch.empty()"),
        (FaultClass.DATA_RACE, "tl.atomic_add()"),
    ],
)
def test_causes_are_those_of_triton(fault, words):
    result = failed(replace(READ, fault=fault))
    assert any(words in line for line in wording.explanation(result, language=LanguageName.TRITON))
    assert not any(words in line for line in wording.explanation(result))


@pytest.mark.parametrize(
    ("fault", "words"),
    [(FaultClass.OUT_OF_BOUNDS, "check_bounds=False"), (FaultClass.UNINITIALIZED_READ, "padding_mode=")],
)
def test_causes_are_those_of_cutile(fault, words):
    result = failed(replace(READ, fault=fault))
    assert any(words in line for line in wording.explanation(result, language=LanguageName.CUTILE))
    assert not any(words in line for line in wording.explanation(result))


@pytest.mark.parametrize(
    ("language", "barrier"),
    [
        (LanguageName.CUDA, "__syncthreads()"),
        (LanguageName.TRITON, "tl.debug_barrier()"),
        (LanguageName.CUTE, "cute.arch.sync_threads()"),
        (LanguageName.NUMBA, "cuda.syncthreads()"),
    ],
)
def test_a_barrier_has_the_name_that_the_language_gives_it(problem, language, barrier):
    message = "data race on tile: a __syncthreads() is missing between line 4 and line 9"
    result = failed(FaultReport(FaultClass.DATA_RACE, message, line=9))
    told = [wording.headline(problem, result, language), *wording.explanation(result, language=language)]
    assert barrier in told[0]
    assert any("__syncthreads" in line for line in told) == (language is LanguageName.CUDA)


@pytest.mark.parametrize("fault", FaultClass)
def test_every_fault_has_a_headline_and_an_explanation(problem, fault):
    result = failed(FaultReport(fault, "something happened.", line=3, instruction="st.unknown", hint="look"))
    headline = wording.headline(problem, result)
    assert headline.startswith("Something happened, line 3")
    explanation = wording.explanation(result)
    assert "look" in explanation
    assert ("The instruction: st.unknown" in explanation) == (fault is FaultClass.ILLEGAL_INSTRUCTION)


def test_a_failure_of_all_sizes_names_none(problem):
    result = failed(FaultReport(FaultClass.LAUNCH_FAILURE, "block (33, 33) has 1089 threads"))
    assert wording.headline(problem, result) == "Block (33, 33) has 1089 threads"


@pytest.mark.parametrize("kind", WrongKind)
def test_a_wrong_answer_keeps_one_sentence_for_the_headline(problem, kind):
    message = "C[0,0] is NaN, expected 1.5. NaN comes from 0/0. It spreads."
    check = OutputCheck("C", (17, 3), 1, 51, 9.0, "G0", kind, message)
    result = failed(verdict=Verdict.WRONG_ANSWER, kind=kind, message=message, outputs=(check,))
    assert wording.headline(problem, result) == "Wrong answer: C[0,0] is NaN, expected 1.5 (with M=17,N=17,K=3)"
    explanation = wording.explanation(result)
    assert explanation[0] == "NaN comes from 0/0. It spreads."
    assert message not in explanation


@pytest.mark.parametrize(
    "verdict", [Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED, Verdict.INTERNAL_ERROR]
)
def test_an_ending_without_a_fault_says_why_and_where(problem, verdict):
    result = failed(verdict=verdict, message="it went on", line=7)
    assert "it went on, in line 7" in wording.headline(problem, result)
    assert len(wording.explanation(result)) == 1


@pytest.mark.parametrize(
    ("diagnostics", "headline"),
    [
        ([], "Does not compile"),
        ([Diagnostic("error", "no kernel")], "Does not compile: no kernel"),
        (
            [Diagnostic("warning", "unused", 1), Diagnostic("error", "a", 4), Diagnostic("error", "b", 5)],
            "Does not compile: line 4: a (and 1 more)",
        ),
    ],
)
def test_the_first_error_of_the_compiler_is_the_headline(diagnostics, headline):
    assert wording.compile_headline(diagnostics) == headline
