"""Submissions in Python through the whole judge, on the emulator."""

from __future__ import annotations

import importlib.util
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.coach.coach import explain
from grader.compile.program import Program
from grader.contest.descendants import descendants
from grader.core.errors import ToolMissing
from grader.core.report import Report
from grader.core.verdict import FaultClass, LanguageName, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.languages.registry import find_language, make_submission
from grader.machine.own_packages import TILE_ASSEMBLER, install_once, packages_of
from grader.plan.device_table import EMULATED
from grader.problem import Problem, load_problem
from grader.sandbox import Sandbox
from tests.plan.recorded import Shelf

PROBLEMS = Path(__file__).parents[2] / "problems"
FAULTY_LINE = "  # <- here"


@dataclass(frozen=True)
class Sample:
    """An addition of two arrays; `guard` is what keeps it within them."""

    text: str
    guard: str

    @property
    def unguarded(self) -> str:
        return self.text.replace(self.guard, "")


TRITON = """\
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(a + index, mask=index < n)  # <- here
    right = tl.load(b + index, mask=index < n)
    tl.store(c + index, left + right, mask=index < n)


def solve(a, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)
"""
NUMBA = """\
from numba import cuda


@cuda.jit
def add(a, b, c, n):
    index = cuda.grid(1)
    if index < n:
        c[index] = a[index] + b[index]  # <- here


def solve(a, b, output, N):
    add[(N + 255) // 256, 256](a, b, output, N)
"""
CUTE = """\
import cutlass
import cutlass.cute as cute


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    index = block * 256 + thread
    if index < n:
        c[index] = a[index] + b[index]  # <- here


@cute.jit
def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cutlass.Int32):
    add(a, b, output, N).launch(grid=((N + 255) // 256, 1, 1), block=(256, 1, 1))
"""
CUTILE = """\
import cuda.tile as ct


@ct.kernel
def add(a, b, c, TILE: ct.Constant[int]):
    index = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    total = ct.gather(a, index, check_bounds=True) + ct.gather(b, index, check_bounds=True)  # <- here
    ct.scatter(c, index, total)


def solve(a, b, output, N):
    ct.launch(0, (ct.cdiv(N, 256),), add, (a, b, output, 256))
"""
SAMPLES = {
    LanguageName.TRITON: Sample(TRITON, ", mask=index < n"),
    LanguageName.NUMBA: Sample(NUMBA, "    if index < n:\n    "),
    LanguageName.CUTE: Sample(CUTE, "    if index < n:\n    "),
    LanguageName.CUTILE: Sample(CUTILE, ", check_bounds=True"),
}
IN_TURN = [pytest.param(name, marks=pytest.mark.xdist_group(f"language-{name}")) for name in SAMPLES]


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(PROBLEMS / "zip")


def require(name: LanguageName) -> None:
    missing = find_language(name).missing()
    if missing:
        pytest.skip(missing)
    try:
        for own in packages_of(name, for_gpu=False):
            install_once(own, lambda words: None)
    except ToolMissing as tool:
        pytest.skip(str(tool))


def graded(problem: Problem, text: str, cache: Path, file: str = "mine.py", **options: object) -> Report:
    given: dict[str, object] = {"cases": 3, "seed": 7, "device": "emulator", "cache": cache, **options}
    return grade(problem, make_submission(file, text.encode()), Options(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", IN_TURN)
def test_a_right_file_is_accepted_and_its_language_told(name: LanguageName, problem: Problem, tmp_path: Path) -> None:
    require(name)
    report = graded(problem, SAMPLES[name].text, tmp_path)
    assert report.verdict is Verdict.ACCEPTED, report.headline
    assert report.language is name
    assert [kernel.name for kernel in report.kernels][:1] == ["add"]


@pytest.mark.parametrize("name", IN_TURN)
def test_an_access_out_of_bounds_is_told_at_its_line(name: LanguageName, problem: Problem, tmp_path: Path) -> None:
    require(name)
    text = SAMPLES[name].unguarded
    if name is LanguageName.CUTILE:
        text = text.replace("gather(a, index)", "gather(a, index, check_bounds=False)")
    report = graded(problem, text, tmp_path)
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.fault is not None and report.fault.fault is FaultClass.OUT_OF_BOUNDS
    lines = text.splitlines()
    assert report.line == 1 + next(number for number, line in enumerate(lines) if line.endswith(FAULTY_LINE))


@pytest.mark.parametrize("name", IN_TURN)
def test_explain_tells_what_a_kernel_takes_of_an_sm(name: LanguageName, problem: Problem, tmp_path: Path) -> None:
    require(name)
    if name is LanguageName.CUTILE and not TILE_ASSEMBLER.file.is_file():
        pytest.skip("cuTile's assembler is not installed, and nothing is installed for this")
    sizes = {"N": 1000}
    report = graded(problem, SAMPLES[name].text, tmp_path, sizes=(sizes,))
    submission = make_submission("mine.py", SAMPLES[name].text.encode())
    (kernel,) = explain(problem, submission, report, sizes, tmp_path, "sm_90").kernels
    found = kernel.resources
    assert found is not None and found.target == "sm_90"
    # Three addresses and an index take registers, and no more than leave room for all warps.
    assert 8 <= found.registers <= 32
    # Triton has blocks of 128 threads, the others of 256: either fills an SM.
    assert found.occupancy == 1.0


@pytest.mark.parametrize("name", IN_TURN)
def test_a_starter_is_graded(name: LanguageName, problem: Problem, tmp_path: Path) -> None:
    require(name)
    text = find_language(name).starter(problem)
    if "torch" in text and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed (pip install torch)")
    report = graded(problem, text, tmp_path)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT), report.headline


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("import triton\ndef solve(a, b, output, N)\n    pass\n", 2, "SyntaxError"),
        ("import triton\nimport nowhere\n", 2, "ModuleNotFoundError"),
        ("import triton\nx = 1 // 0\n", 2, "ZeroDivisionError"),
        ("import triton\n\n", 1, "the file has no solve()"),
        ("import triton\n\ndef solve(a, b):\n    pass\n", 3, "solve() has 2 parameters, 4 are expected"),
        ("import triton\n\ndef solve(b, a, output, N):\n    pass\n", 3, "b, a, output, N in this order"),
        (TRITON.replace("tl.program_id(0)", "tl.program_idea(0)"), 7, "program_idea"),
    ],
)
def test_what_does_not_compile(text: str, line: int, says: str, problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    report = graded(problem, text, tmp_path)
    assert report.verdict is Verdict.COMPILE_ERROR, report.headline
    assert report.line == line or report.diagnostics[0].line == line
    assert says in report.headline


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('too small')", "solve() throws ValueError (too small)"),
        ("import os; os._exit(3)", "the process of solve() ended before solve() returned (exit code 3)"),
        ("print('N is', N)", "was never written"),
    ],
)
def test_what_solve_does_instead(body: str, says: str, problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    report = graded(problem, f"import triton\n\ndef solve(a, b, output, N):\n    {body}\n", tmp_path, cases=1)
    assert says in report.headline
    assert report.verdict is not Verdict.ACCEPTED
    assert ("N is" in report.printed) == ("print" in body)


def test_torch_on_the_device_is_refused_by_name(problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    pytest.importorskip("torch", reason="PyTorch is not installed (pip install torch)")
    text = "import torch\nimport triton\n\ndef solve(a, b, output, N):\n    output.copy_(a + b)\n"
    report = graded(problem, text, tmp_path)
    assert report.fault is not None and report.fault.fault is FaultClass.UNSUPPORTED_CALL
    assert report.line == 5
    assert "torch.add" in report.headline


def test_what_was_compiled_is_kept_for_the_same_text(problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    folder = tmp_path / "programs" / "python"
    graded(problem, TRITON, tmp_path)
    (kept,) = folder.iterdir()
    first = kept.read_bytes()
    assert graded(problem, TRITON, tmp_path).verdict is Verdict.ACCEPTED
    assert kept.read_bytes() == first
    kept.write_text("{")
    assert graded(problem, TRITON, tmp_path).verdict is Verdict.ACCEPTED
    graded(problem, TRITON + "\n", tmp_path)
    assert len(list(folder.iterdir())) == 2


def left_after(before: set[int], seconds: float = 60.0) -> set[int]:
    """The processes that were not there before. The kernel takes a moment to end a killed one."""
    until = time.monotonic() + seconds
    while (left := set(descendants(os.getpid())) - before) and time.monotonic() < until:
        time.sleep(0.02)
    return left


def test_no_process_outlives_its_planner(problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    language, sandbox = find_language(LanguageName.TRITON), Sandbox.find()

    def compiled() -> Program:
        return language.compile(problem, make_submission("mine.py", TRITON.encode()), tmp_path, None, sandbox)

    # The template that the processes are forked from stays.
    compiled()
    language.finish()
    before = set(descendants(os.getpid()))
    program = compiled()
    waits = set(descendants(os.getpid())) - before
    planner = language.planner(problem, program, lambda: EMULATED, sandbox, tmp_path)
    addresses = {name: 1 << 36 << number for number, name in enumerate(("a", "b", "output"))}
    assert planner.plan({"N": 5}, addresses, Shelf()).steps
    # The process that had imported the file is the one that planned. Among `waits` may be the one that recognised the
    # file: it is killed by then, but the kernel takes a moment to end it.
    planned = set(descendants(os.getpid())) - before
    assert planned and planned <= waits
    planner.close()
    assert not left_after(before)
    compiled()
    language.finish()
    assert not left_after(before)


REMEMBERS = TRITON.replace(
    "def solve(a, b, output, N):\n",
    """\
def solve(a, b, output, N):
    import pathlib, sys
    notes = pathlib.Path("notes")
    seen = notes.read_text() if notes.exists() else ""
    seen += getattr(sys, "notes", "")
    if seen:
        print("seen", seen)
    notes.write_text(f"{seen} {N}")
    sys.notes = f"{N}"
""",
)


def test_a_case_knows_of_no_other_where_modules_are_fresh(problem: Problem, tmp_path: Path) -> None:
    require(LanguageName.TRITON)
    assert "seen" in graded(problem, REMEMBERS, tmp_path).printed
    report = graded(problem, REMEMBERS, tmp_path / "other", fresh_modules=True, sizes=({"N": 3}, {"N": 5}))
    assert report.verdict is Verdict.ACCEPTED
    # The second run of a case, with other inputs of the same sizes, is the same case.
    assert "3 5" not in report.printed and "5 3" not in report.printed
    assert not (tmp_path / "other" / "programs" / "python").exists()
