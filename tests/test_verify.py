"""Verifying: declarations are read and compared, and every worked submission gets its declared verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from minutes import skip_if_late

from grader.core.errors import ProblemError
from grader.core.verdict import Form, LanguageName, Verdict
from grader.judge.verify import (
    Expectation,
    Outcome,
    TrivialKernels,
    Work,
    WorkedSubmission,
    compare,
    missing_for,
    missing_here,
    read_expectation,
    verify,
    works_of,
)
from grader.languages import cuda
from grader.store.workspace import Workspace, builtin_folder

COMPILE_SECONDS = 300.0
"""Tests run beside each other, and templates of CuTe take a busy processor minutes."""
FEW_CASES = 4
"""Of files in Python, which are compiled anew for sizes of another kind; `kgrade verify` grades them with all."""
PROBLEMS = Workspace(builtin_folder("problems").parent).problems
HERE = missing_here()
WORKS = [work for name, folder in PROBLEMS.items() for work in works_of(name, folder)]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_worked_submissions_get_the_declared_verdict(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    # A machine that other tests keep busy takes longer.
    monkeypatch.setattr(cuda, "SECONDS", COMPILE_SECONDS)
    missing = missing_for(work, HERE)
    if missing:
        pytest.skip(missing)
    skip_if_late(f"kgrade verify {work.problem}")
    outcome = work.verify(cases=FEW_CASES) if work.name.endswith(".py") else work.verify()
    assert outcome.passed, f"{outcome.got}: {outcome.mismatch}"


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_has_enough_worked_submissions(name: str) -> None:
    works = [work for work in works_of(name, PROBLEMS[name]) if isinstance(work, WorkedSubmission)]
    accepted = [work for work in works if work.expected.verdict is Verdict.ACCEPTED]
    assert len(accepted) >= 3
    assert len(works) - len(accepted) >= 8


def test_only_the_files_of_a_language_need_what_it_needs() -> None:
    lacks = "g++ is not installed (type: apt install g++)"
    triton = "the Python package triton is missing"
    missing = {
        **{(name, Form.SOLVE): "" for name in LanguageName},
        (LanguageName.CUDA, Form.SOLVE): lacks,
        (LanguageName.CUDA, Form.KERNEL): "",
        (LanguageName.TRITON, Form.SOLVE): triton,
    }
    left_out = {work.name: missing_for(work, missing) for work in WORKS}
    assert left_out["zip/accepted/solve_plain.cu"] == lacks
    assert left_out["zip/accepted/1_simple.cu"] == ""
    assert left_out["zip/accepted/triton_blocks.py"] == triton
    assert left_out["zip/trivial kernels"] == ""


def declared(folder: Path, verdict: str, text: str, name: str = "mine.cu") -> Path:
    path = folder / verdict / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("verdict", "text", "expected"),
    [
        ("accepted", "// expect: accepted\n", Expectation(Verdict.ACCEPTED)),
        (
            "runtime_error",
            "// Title\n// expect: runtime_error out_of_bounds\nx = a[i];  // <- here\n",
            Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds", 3),
        ),
        (
            "wrong_answer",
            "/* expect: wrong_answer low_precision\n*/",
            Expectation(Verdict.WRONG_ANSWER, "low_precision"),
        ),
    ],
)
def test_declarations_are_read(tmp_path: Path, verdict: str, text: str, expected: Expectation) -> None:
    assert read_expectation(declared(tmp_path, verdict, text)) == expected


def test_declarations_are_read_in_python(tmp_path: Path) -> None:
    text = "# expect: runtime_error out_of_bounds\n#\n# No mask.\nimport triton\nx = tl.load(a + places)  # <- here\n"
    file = declared(tmp_path / "submissions", "runtime_error", text, "triton_no_mask.py")
    assert read_expectation(file) == Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds", 5)
    assert [work.name for work in works_of("mine", tmp_path)] == [
        "mine/runtime_error/triton_no_mask.py",
        "mine/trivial kernels",
    ]


def test_a_missing_declaration_is_asked_for_as_python_writes_it(tmp_path: Path) -> None:
    file = declared(tmp_path, "accepted", "import triton\n", "mine.py")
    with pytest.raises(ProblemError, match="no line '# expect: accepted'"):
        read_expectation(file)


@pytest.mark.parametrize(
    ("verdict", "text", "said"),
    [
        ("correct", "// expect: accepted", "'correct' is not a verdict"),
        ("accepted", "no comment", "no line '// expect: accepted'"),
        ("accepted", "// expect: wrong_answer", "stands in the folder 'accepted'"),
        ("runtime_error", "// expect: runtime_error segfault", "'segfault' is neither"),
        ("runtime_error", "// expect: runtime_error\na; // <- here\nb; // <- here", r"lines \[2, 3\]"),
    ],
)
def test_faulty_declarations_are_named(tmp_path: Path, verdict: str, text: str, said: str) -> None:
    with pytest.raises(ProblemError, match=said):
        read_expectation(declared(tmp_path, verdict, text))


@pytest.mark.parametrize(
    ("got", "differs"),
    [
        (Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds", 3), ""),
        (Expectation(Verdict.ACCEPTED), "runtime_error was declared"),
        (Expectation(Verdict.RUNTIME_ERROR, "trap", 3), "out_of_bounds was declared"),
        (Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds", 4), "line 3 is marked, line 4 was named"),
        (Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds"), "line 3 is marked, line None was named"),
    ],
)
def test_differences_are_told(got: Expectation, differs: str) -> None:
    assert compare(Expectation(Verdict.RUNTIME_ERROR, "out_of_bounds", 3), got) == differs


def test_only_what_is_declared_is_compared() -> None:
    assert compare(Expectation(Verdict.WRONG_ANSWER), Expectation(Verdict.WRONG_ANSWER, "wrong_value", 5)) == ""


def test_a_mismatch_is_found_in_processes(tmp_path: Path) -> None:
    kernel = PROBLEMS["zip"] / "submissions" / "accepted" / "1_simple.cu"
    file = declared(tmp_path, "wrong_answer", "// expect: wrong_answer\n" + kernel.read_text())
    wrong = WorkedSubmission("zip", PROBLEMS["zip"], file, read_expectation(file))
    outcomes = {outcome.name: outcome for outcome in verify([wrong, TrivialKernels("zip", PROBLEMS["zip"])])}
    assert outcomes["zip/trivial kernels"] == Outcome("zip/trivial kernels", "none accepted", "none accepted")
    mismatch = outcomes["zip/wrong_answer/mine.cu"]
    assert mismatch.got == "accepted"
    assert mismatch.mismatch.startswith("wrong_answer was declared")


def test_a_wrong_answer_that_a_variable_without_a_value_explains_is_no_wrong_answer(tmp_path: Path) -> None:
    """A student is told of the variable, so a worked file has to declare it."""
    text = """// expect: wrong_answer
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum;
    for (int k = 0; k < 2; k++) sum += k == 0 ? a[min(i, N - 1)] : -b[min(i, N - 1)];
    if (i < N) output[i] = sum;
}
"""
    file = declared(tmp_path, "wrong_answer", text)
    outcome = WorkedSubmission("zip", PROBLEMS["zip"], file, read_expectation(file)).verify(cases=FEW_CASES)
    assert outcome.got.startswith("runtime_error uninitialized_read")
