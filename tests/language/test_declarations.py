"""Scalars, flags, computed sizes and expressions in a declaration: drawn, checked, and named in mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.core.errors import ProblemError, UsageError
from grader.core.plan import Launch
from grader.plan.planner import arguments_of
from grader.problem import Problem, load_problem
from grader.problem.cases import draw_cases, draw_probes, format_numbers
from grader.problem.harness import build_plan
from grader.problem.inputs import families
from grader.problem.room import without_room
from grader.problem.sizes import check_sizes, draw_sizes

POOLING = Path(__file__).parent / "set" / "max_pooling"
EXAMPLE = Path(__file__).parents[2] / "templates" / "problem"


def loaded(tmp_path: Path, *changes: tuple[str, str], source: Path = POOLING) -> Problem:
    folder = tmp_path / "changed"
    folder.mkdir(exist_ok=True)
    for file in ("problem.py", "statement.md", "starter.cu"):
        text = (source / file).read_text()
        for old, new in changes if file == "problem.py" else ():
            assert old in text
            text = text.replace(old, new)
        (folder / file).write_text(text)
    return load_problem(folder)


@pytest.mark.parametrize("seed", range(20))
def test_no_drawn_case_has_an_array_without_elements(seed: int) -> None:
    problem = load_problem(POOLING)
    cases = draw_sizes(problem, seed, 16)
    assert all(without_room(problem, sizes) is None for sizes in cases)
    # Both values of the flag, windows longer than one, and strides.
    assert {sizes["partial"] for sizes in cases} == {0, 1}
    assert max(sizes["K"] for sizes in cases) > 1 and max(sizes["S"] for sizes in cases) > 1
    assert all(without_room(problem, sizes) is None for sizes in draw_probes(problem, problem.constants))


def test_sizes_by_hand_that_leave_an_array_empty_are_refused() -> None:
    problem = load_problem(POOLING)
    sizes = {"M": 2, "W": 5, "K": 9, "S": 1, "partial": 0}
    with pytest.raises(UsageError, match="output has no element with these sizes"):
        check_sizes(problem, sizes)
    check_sizes(problem, {**sizes, "W": 9})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('array(f32, "M", "W")', 'array(f32, "M", "W % 2")', "params.input: dimension: 'W % 2'"),
        ('array(f32, "M", "W")', 'array(f32, "M", "W + X")', "params.input: dimension names 'X', no size"),
        ("// S + 1", "// X + 1", "params.OUT names 'X', no size"),
        ("// S + 1", "// S - 1", "dimension (W - K + partial * (S - 1)) // S - 1 is -1 with the smallest sizes"),
        ('computed("(W', 'computed("(OUT', "params.OUT names 'OUT', no size"),
        ("partial=flag()", "partial=bool", "params.partial"),
        ("partial=flag()", "partial=flag(), a=scalar(f32, 2, 2)", "the first less than the second"),
        ("partial=flag()", "partial=flag(), a=scalar(f32, 0, 1e39)", "numbers of the type"),
        ("partial=flag()", "partial=flag(), a=scalar(i32, 0, 1.5)", "numbers of the type"),
        ("partial=flag()", "partial=flag(), a=scalar(f16, 0, 1)", "its type is one of f32, f64, i32, i64, u32"),
    ],
)
def test_mistakes_are_named_with_their_field(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as raised:
        loaded(tmp_path, (old, new), ("f32, flag", "f16, f32, flag, scalar"))
    assert said in raised.value.message and str(tmp_path) in raised.value.message


X = 'x=array(f32, "N")'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # Values that the type does not hold.
        (X, 'x=array(i8, "N", values=integers(0, 300))', "i8 holds those from -128 to 127"),
        (X, 'x=array(u8, "N", values=integers(-5, 5))', "u8 holds those from 0 to 255"),
        (X, 'x=array(i32, "N", values=uniform(0.25, 0.75))', "i32 holds whole numbers only"),
        (X, 'x=array(f16, "N", values=uniform(0, 1e9))', "f16 holds those from -65504.0"),
        (X, 'x=array(e4m3, "N", values=uniform(0, 1e4))', "e4m3 holds those from -448.0"),
        (X, 'x=array(f32, "N", values=uniform(0, float("inf")))', "values from 0 to inf"),
        (X, 'x=array(i32, "N", values=below("N - 1"))', "values from 0 to -1 with {'N': 1}"),
        (X, 'x=array(i32, "N", values=integers("N", 50))', "values from 100000000 to 50"),
        # Results that nothing can be compared with.
        ("a * x + y", "a * x + y + 1j", "is of type complex128; real numbers are needed"),
        ("a * x + y", "(a * x + y).astype(str)", "real numbers are needed"),
        ("a * x + y", "a * x + y + np.random.rand()", "differs between two calls with the same inputs"),
        ("a * x + y", "(a * x + y) * np.nan", "is NaN with normal inputs"),
        ('result=out(f32, "N")', 'result=out(u8, "N")', "u8 holds 0 to 255"),
        # Magnitudes that would let everything pass, or nothing.
        ("elementwise()", 'scaled("N")', "scale: it is missing"),
        ("elementwise()", 'scaled("N")  # x * np.inf', "finite and 0 or more"),
        ("elementwise()", 'scaled("N")  # -abs(x)', "finite and 0 or more"),
        ("BLOCK", "N", "constants: N is a parameter too"),
    ],
)
def test_what_is_declared_has_to_be_possible(old: str, new: str, said: str, tmp_path: Path) -> None:
    new, _, scale = new.partition("  # ")
    head = "import numpy as np\n\nfrom grader.problem import e4m3, f16, i8, i32, u8, below, integers, scaled, uniform, "
    changes = [(old, new), ("from grader.problem import ", head)]
    if scale:
        changes.append(("@problem.cost", f"@problem.scale\ndef scale(x):\n    return {scale}\n\n\n@problem.cost"))
    with pytest.raises(ProblemError) as raised:
        loaded(tmp_path, *changes, source=EXAMPLE)
    assert said in raised.value.message


def test_a_scalar_follows_from_the_seed_and_reaches_kernel_and_solve(tmp_path: Path) -> None:
    problem = loaded(tmp_path, ("example_kernel", "example_kernel"), source=EXAMPLE)
    cases = draw_cases(problem, 7, 12, given=())
    numbers = [case.numbers(problem) for case in cases]
    assert numbers == [case.numbers(problem) for case in draw_cases(problem, 7, 12, given=())]
    drawn = [one["a"] for one in numbers]
    assert len(set(drawn)) > 6 and all(-4 <= a <= 4 and a == np.float32(a) for a in drawn)
    special = [one["a"] for case, one in zip(cases, numbers, strict=True) if case.family == families(problem)[2]]
    assert set(special) <= {-4.0, 4.0, 0.0, 1.0, -1.0}
    addresses = {"x": 4096, "y": 8192, "result": 12288}
    (launch,) = build_plan(problem, problem.constants, numbers[0], addresses).steps
    assert isinstance(launch, Launch)
    assert launch.arguments[1] == np.float32(drawn[0]).tobytes()
    (argument,) = (one for one in arguments_of(problem, numbers[0], addresses) if one.name == "a")
    assert (argument.kind, argument.bits) == ("float32", int(np.float32(drawn[0]).view(np.uint32)))
    assert format_numbers({"N": 3, "a": 0.1}) == "N=3,a=0.1"


@pytest.mark.parametrize(
    ("declared", "c_type", "kind"),
    [("f64, -1, 1", "double", "float64"), ("i32, -3, 3", "int", "int64"), ("u32, 0, 9", "unsigned int", "int64")],
)
def test_scalars_of_every_type(declared: str, c_type: str, kind: str, tmp_path: Path) -> None:
    changes = ("scalar(f32, -4, 4)", f"scalar({declared})"), ("import Cost", "import f64, i32, u32, Cost")
    problem = loaded(tmp_path, *changes, source=EXAMPLE)
    assert (c_type, "a") in problem.c_parameters
    values = [case.numbers(problem)["a"] for case in draw_cases(problem, 3, 24, given=())]
    low, high = problem.scalars["a"].low, problem.scalars["a"].high
    assert low == min(values) and high == max(values)
    assert problem.argument("a", {"N": 1, "a": low})[0] == kind
    if declared.startswith("i32"):
        assert problem.argument("a", {"N": 1, "a": -3})[1] == 2**64 - 3
