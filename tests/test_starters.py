"""Starters in both forms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.compile.parse import parse
from grader.compile.starters import kernel_starter, solve_starter
from grader.core.errors import ProblemError
from grader.core.verdict import Form
from grader.problem import load_problem

PROBLEMS = sorted(folder.parent for folder in (Path(__file__).parents[1] / "problems").glob("*/problem.py"))


@dataclass
class Starting:
    """As much of a Problem as has a starter."""

    starter: str
    name: str = "rows"
    folder: Path = Path("rows")


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: folder.name)
def test_every_problem_starts_in_both_forms(folder: Path) -> None:
    problem = load_problem(folder)
    whole, alone = parse(solve_starter(problem)), parse(kernel_starter(problem))
    assert (whole.form, alone.form) == (Form.SOLVE, Form.KERNEL)
    solve = next(f for f in whole.functions if f.name == "solve")
    declared = [" ".join(pair) for pair in problem.c_parameters]
    assert list(solve.parameters) == declared
    assert [f.signature for f in whole.kernels] == [f.signature for f in alone.kernels]
    assert {macro.name for macro in alone.macros} == set(problem.constants)


def test_solve_goes_with_the_comment_above_it_and_nothing_else() -> None:
    kernel, behind = "// é\n__global__ void k() {}\n\n", "int behind;\n"
    text = kernel + '// one\n// two\nextern "C" void solve() {\n    k<<<1, 1>>>();\n}\n\n' + behind
    assert kernel_starter(Starting(text)) == kernel + behind


def test_a_starter_that_is_a_kernel_alone() -> None:
    text = "__global__ void k() {}\n"
    assert kernel_starter(Starting(text)) == text
    with pytest.raises(ProblemError, match=r"rows/starter\.cu has no solve\(\)") as raised:
        solve_starter(Starting(text))
    assert "--form kernel" in raised.value.hint
