"""Loading a problem's folder: what it gives, and that each mistake is named with its file and field."""

import pytest

from grader.core.errors import ProblemError
from grader.problem import find_problems, load_problem

GOOD = """
from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="Outer sums",
    difficulty="easy",
    tags=("sums",),
    kernel="rows_kernel",
    params=dict(a=array(f32, "M", "N"), b=array(f32, "N"), c=out(f32, "M"), M=size(1, 99), N=size(1, 99)),
    constants=dict(BLOCK=64),
    gates=contraction(terms="N"),
    benchmarks=[dict(M=64, N=64)],
)


@problem.reference
def reference(a, b):
    return a @ b


@problem.solve
def solve(launch, a, b, c, M, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(M, block), block=block, arguments=(a, b, c, M, N))


@problem.cost
def cost(M, N):
    return Cost(flops=2 * M * N, bytes=4 * (M * N + M + N))
"""
STARTER = "__global__ void rows_kernel(const float* a, const float* b, float* c, int M, int N) {}\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "problem.py").write_text(GOOD)
    (folder / "statement.md").write_text("# Rows\n")
    (folder / "starter.cu").write_text(STARTER)
    return folder


def test_a_good_folder_loads(folder):
    problem = load_problem(folder)
    assert problem.name == "rows"
    assert problem.folder == folder
    assert problem.statement == "# Rows\n"
    assert problem.starter == STARTER
    assert list(problem.inputs) == ["a", "b"]
    assert list(problem.outputs) == ["c"]
    assert list(problem.sizes) == ["M", "N"]
    assert problem.signature == "rows_kernel(const float* a, const float* b, float* c, int M, int N)"
    assert problem.c_parameters[0] == ("const float*", "a")


def test_loading_leaves_nothing_behind(folder):
    before = sorted(folder.iterdir())
    load_problem(folder)
    assert sorted(folder.iterdir()) == before


def test_an_earlier_root_hides_a_later_one(tmp_path, folder):
    hidden = tmp_path / "other" / "rows"
    hidden.mkdir(parents=True)
    (hidden / "problem.py").write_text(GOOD)
    (tmp_path / "other" / "no_problem").mkdir()
    missing = tmp_path / "missing"
    assert find_problems([missing, tmp_path, tmp_path / "other"]) == {"rows": folder}


MISTAKES = {
    # (text, replacement, words of the message)
    "syntax": ("@problem.cost\n", "@problem.cost)\n", ["line 27", "not valid Python"]),
    "exception": ('title="Outer sums"', "title=TITLE", ["line 5", "NameError", "TITLE"]),
    "unknown field": ('title="Outer sums"', 'name="Outer sums"', ["line 4", "TypeError", "name"]),
    "not a problem": ("import Cost, Problem,", "import Cost,", ["NameError", "Problem"]),
    "title": ('"Outer sums"', '" "', ["title"]),
    "difficulty": ('"easy"', '"simple"', ["difficulty", "simple", "easy, medium, hard"]),
    "tags": ('("sums",)', "(1,)", ["tags"]),
    "kernel": ('"rows_kernel"', '"rows kernel"', ["kernel", "rows kernel", "identifier"]),
    "dimension": ('out(f32, "M")', 'out(f32, "Q")', ["params.c", "'Q'", "M, N"]),
    "no dimension": ('out(f32, "M")', "out(f32)", ["at least one dimension"]),
    "dimension type": ('out(f32, "M")', "out(f32, 0)", ["dimension 0"]),
    "array type": ('out(f32, "M")', 'out("f32", "M")', ["'f32'", "array(f32"]),
    "parameter": ("M=size(1, 99)", "M=99", ["params.M", "99", "size(low, high)"]),
    "parameter name": ("b=array", "launch=array", ["params", "'launch'"]),
    "no output": ('c=out(f32, "M")', 'c=array(f32, "M")', ["out(...)"]),
    "empty range": ("M=size(1, 99)", "M=size(9, 1)", ["size(9, 1)", "low <= high"]),
    "range type": ("M=size(1, 99)", "M=size(1, 9.5)", ["9.5", "whole numbers"]),
    "no edge size": ("M=size(1, 99)", "M=size(32, 32)", ["params.M", "no edge size", "widen"]),
    "budget": ("size(1, 99)", "size(9999, 10000)", ["params", "smallest sizes", "lower the ranges"]),
    "constant": ("dict(BLOCK=64)", "dict(BLOCK=0)", ["constants.BLOCK", "0"]),
    "constant name": ("dict(BLOCK=64)", '{"a b": 1}', ["constants", "a b"]),
    "gates": ('contraction(terms="N")', '"sum"', ["gates", "'sum'", "contraction"]),
    "terms": ('terms="N"', 'terms="Q"', ["gates", "'Q'", "M, N"]),
    "terms type": ('terms="N"', "terms=()", ["terms=()"]),
    "inputs of a sum": ('b=array(f32, "N")', 'b=array(f32, "N"), d=array(f32, "N")', ["gates", "2 input"]),
    "not linear": ("return a @ b", "return abs(a) @ b", ["gates", "not linear in a"]),
    "scaled sum": ("return a @ b", "return a @ b / 5", ["gates", "plain sums"]),
    "benchmark": ("dict(M=64, N=64)", "dict(M=64, N=640)", ["benchmarks[0]", "N=640", "1 to 99"]),
    "benchmark name": ("dict(M=64, N=64)", "dict(M=64)", ["benchmarks[0]", "N is missing"]),
    "reference parameter": ("def reference(a, b)", "def reference(a, z)", ["reference", "'z'", "N, a, b"]),
    "reference shape": ("return a @ b", "return a", ["reference", "c has shape (3, 5)", "(3,)"]),
    "reference output": ("return a @ b", 'return {"d": a @ b}', ["reference", "returned d", "outputs are c"]),
    "reference fails": ("return a @ b", "return b @ a", ["reference", "ValueError"]),
    "reference in place": ("return a @ b", "a *= 2\n    return a @ b", ["reference", "read-only"]),
    "no reference": ("@problem.reference", "", ["reference", "missing", "@problem.reference"]),
    "solve parameter": ("def solve(launch, a,", "def solve(launch, z, a,", ["solve", "'z'"]),
    "solve constant": (
        'launch.constant("BLOCK")',
        'launch.constant("B")',
        ["'B'", "BLOCK"],
    ),
    "solve arguments": ("arguments=(a, b, c, M, N)", "arguments=(a, b, c, M)", ["solve", "4 arguments"]),
    "solve argument kind": (
        "arguments=(a, b, c, M, N)",
        "arguments=(M, b, c, M, N)",
        ["solve", "argument a"],
    ),
    "solve fails": ("grid=ceil_div(M,", "grid=ceil_div(M / 0,", ["solve", "ZeroDivisionError"]),
    "solve geometry": ("block=block", "block=64 * block", ["solve", "1024"]),
    "cost parameter": ("def cost(M, N)", "def cost(M, a)", ["cost", "'a'", "M, N"]),
    "cost value": (
        "return Cost(flops=2 * M * N, bytes=4 * (M * N + M + N))",
        "return M * N",
        ["cost", "Cost("],
    ),
    "cost type": ("flops=2 * M * N", "flops=2.0 * M * N", ["cost", "flops"]),
}


TENSOR = """
import numpy as np

from grader.problem import Cost, Problem, array, below, choice, f32, i32, index, out, product, scaled, size

problem = Problem(
    title="Rows of a sparse matrix",
    difficulty="hard",
    kernel="rows_kernel",
    params=dict(
        offsets=array(i32, "M+1"),
        columns=array(i32, "NNZ", values=below("N")),
        x=array(f32, "N"),
        y=out(f32, "M"),
        M=product(1, 99, of="RANK"),
        N=size(1, 99),
        NNZ=size(1, 99),
        AXIS=index("RANK", 3),
        RANK=choice(1, 3),
    ),
    gates=scaled(terms="NNZ", families=("normal", "offset")),
)


@problem.structure
def structure(draw, M, NNZ):
    return dict(offsets=np.concatenate([[0], np.sort(draw.integers(0, NNZ, M - 1)), [NNZ]]))


@problem.reference
def reference(offsets, columns, x, M):
    return np.bincount(np.repeat(np.arange(M), np.diff(offsets)), weights=x[columns], minlength=M)


@problem.scale
def scale(offsets, columns, x, M):
    return reference(offsets, columns, abs(x), M)


@problem.solve
def solve(launch, **parameters):
    launch(grid=1, block=32, arguments=tuple(parameters.values()))


@problem.cost
def cost(M, NNZ):
    return Cost(flops=NNZ, bytes=0)
"""


def test_a_folder_with_structure_choices_and_scale_loads(folder):
    (folder / "problem.py").write_text(TENSOR)
    problem = load_problem(folder)
    assert list(problem.structured) == ["offsets"]
    assert list(problem.operands) == ["x"]
    assert [c_type for c_type, _ in problem.c_parameters] == ["const int*"] * 2 + ["const float*", "float*"] + [
        "int"
    ] * 5
    assert problem.inputs["offsets"].shape({"M": 4}) == (5,)


TENSOR_MISTAKES = {
    "dimension of a sum": ('"M+1"', '"Q+1"', ["params.offsets", "'Q'"]),
    "values": ('values=below("N")', "values=9", ["values=9", 'below("N")']),
    "values name": ('values=below("N")', 'values=below("Q")', ["params.columns", "'Q'"]),
    "index": ('index("RANK", 3)', 'index("N", 3)', ["params.AXIS", "choice that ends at 3"]),
    "index end": ('index("RANK", 3)', 'index("RANK", 4)', ["params.AXIS", "choice that ends at 4"]),
    "product": ('of="RANK"', 'of="N"', ["params.M", "'N'", "choice"]),
    "families": ('"offset")', '"exact")', ["families", "normal, wide, offset"]),
    "no structure": ("@problem.structure", "", ["structure", "missing", "@problem.structure"]),
    "structure names": ("dict(offsets=", "dict(starts=", ["structure", "offsets"]),
    "structure shape": ("[0], np.sort", "[0, 0], np.sort", ["structure", "offsets has shape (5,)", "(4,)"]),
    "structure fails": ("draw.integers(0, NNZ, M - 1)", "draw.reals()", ["structure", "AttributeError"]),
    "no scale": ("@problem.scale", "", ["scale", "missing", "@problem.scale"]),
    "scale shape": ("return reference(offsets, columns, abs(x), M)", "return x", ["scale", "y has shape (5,)", "(3,)"]),
}


@pytest.mark.parametrize("mistake", TENSOR_MISTAKES)
def test_a_mistake_in_a_structure_is_named_with_file_and_field(folder, mistake):
    old, new, words = TENSOR_MISTAKES[mistake]
    assert old in TENSOR
    (folder / "problem.py").write_text(TENSOR.replace(old, new))
    with pytest.raises(ProblemError) as caught:
        load_problem(folder)
    message = caught.value.message
    assert message.startswith(str(folder / "problem.py"))
    for word in words:
        assert word in message


def test_a_sum_of_inputs_that_are_no_floats(folder):
    text = GOOD.replace('b=array(f32, "N")', 'b=array(i8, "N")').replace("f32, out", "f32, i8, out")
    (folder / "problem.py").write_text(text)
    with pytest.raises(ProblemError, match=r"contraction needs 2 input array\(s\) of floats, params has 1"):
        load_problem(folder)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_file_and_field(folder, mistake):
    old, new, words = MISTAKES[mistake]
    assert old in GOOD
    (folder / "problem.py").write_text(GOOD.replace(old, new))
    with pytest.raises(ProblemError) as caught:
        load_problem(folder)
    message = caught.value.message
    assert message.startswith(str(folder / "problem.py"))
    assert message.count(str(folder)) == 1
    for word in words:
        assert word in message


def test_a_problem_py_that_defines_no_problem(folder):
    (folder / "problem.py").write_text("x = 1\n")
    with pytest.raises(ProblemError, match=r"problem\.py: problem: it has to define one"):
        load_problem(folder)


def test_two_outputs_need_a_dict(folder):
    text = GOOD.replace('c=out(f32, "M"),', 'c=out(f32, "M"), d=out(f32, "M"),')
    (folder / "problem.py").write_text(text)
    with pytest.raises(ProblemError, match="return a dict with the arrays c, d"):
        load_problem(folder)


@pytest.mark.parametrize("name", ["problem.py", "statement.md", "starter.cu"])
@pytest.mark.parametrize(("damage", "words"), [("missing", "missing"), ("empty", "empty"), ("binary", "not UTF-8")])
def test_a_missing_empty_or_binary_file(folder, name, damage, words):
    file = folder / name
    file.unlink()
    if damage != "missing":
        file.write_bytes(b"" if damage == "empty" else b"abc\xff\xfe")
    with pytest.raises(ProblemError) as caught:
        load_problem(folder)
    assert str(file) in caught.value.message
    assert words in caught.value.message


def test_a_directory_in_place_of_a_file(folder):
    (folder / "statement.md").unlink()
    (folder / "statement.md").mkdir()
    with pytest.raises(ProblemError, match=r"statement\.md: can't be read"):
        load_problem(folder)


def test_a_starter_without_the_kernel(folder):
    (folder / "starter.cu").write_text("__global__ void other_rows_kernel_2() {}\n")
    with pytest.raises(ProblemError, match=r"starter\.cu: it has no kernel named rows_kernel"):
        load_problem(folder)


def test_a_missing_folder(tmp_path):
    with pytest.raises(ProblemError, match="no such problem folder"):
        load_problem(tmp_path / "nothing")


def test_a_folder_name_that_no_command_could_take(folder):
    with pytest.raises(ProblemError, match="lower-case"):
        load_problem(folder.rename(folder.parent / "My Rows"))
