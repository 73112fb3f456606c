"""The built-in problems: what they declare, and that they load."""

from pathlib import Path

import numpy as np
import pytest

from grader.check.trivial import accepted_trivial_kernels
from grader.plan.harness import build_plan
from grader.plan.plan import Launch, Memset
from grader.problem import find_problems, load_problem

PROBLEMS = Path(__file__).parents[1] / "problems"
SIGNATURES = {
    "matmul": "matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K)",
    "reduce": "reduction_kernel(const float* input, float* output, int N)",
    "map": "map_kernel(const float* input, float* output, int N)",
    "zip": "zip_kernel(const float* a, const float* b, float* output, int N)",
    "transpose": "transpose_kernel(const float* input, float* output, int M, int N)",
    "dot_product": "dot_product_kernel(const float* a, const float* b, float* output, int N)",
    "gemv": "gemv_kernel(const float* A, const float* x, float* y, int M, int N)",
    "swiglu": "swiglu_kernel(const float* gate, const float* value, float* output, int N)",
    "convolution_1d": "convolution_kernel(const float* input, const float* weights, float* output, int N, int K)",
    "convolution_2d": "convolution_kernel(const float* input, const float* weights, float* output, "
    "int H, int W, int R, int S)",
    "batched_matmul": "batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K)",
    "prefix_sum": "prefix_sum_kernel(const float* input, float* output, int M, int N)",
}


@pytest.fixture(scope="module", params=sorted(SIGNATURES))
def problem(request):
    return load_problem(PROBLEMS / request.param)


def plan_of(problem, sizes, **constants):
    names = [*problem.inputs, *problem.outputs]
    addresses = {name: 4096 * (i + 1) for i, name in enumerate(names)}
    return build_plan(problem, {**problem.constants, **constants}, sizes, addresses).steps


def test_find_problems_finds_the_built_in_ones():
    assert set(SIGNATURES) <= set(find_problems([PROBLEMS]))


def test_kernel_signature(problem):
    assert problem.signature == SIGNATURES[problem.name]


def test_statement_and_starter_are_read(problem):
    assert problem.statement.strip()
    assert problem.kernel in problem.starter


def test_benchmarks_fit_a_large_gpu_and_are_worth_timing(problem):
    sizes = [problem.array_bytes(benchmark) for benchmark in problem.benchmarks]
    assert len(sizes) >= 3
    assert max(sizes) <= 1_000_000_000
    # More than most L2 caches hold.
    assert max(sizes) >= 50_000_000


def test_cost_counts_every_byte_once(problem):
    for benchmark in problem.benchmarks:
        assert problem.cost_of(benchmark).bytes == problem.array_bytes(benchmark)


@pytest.mark.parametrize("seed", range(3))
def test_no_trivial_kernel_is_accepted(problem, seed):
    assert accepted_trivial_kernels(problem, seed) == ()


def test_matmul_launch():
    problem = load_problem(PROBLEMS / "matmul")
    (launch,) = plan_of(problem, {"M": 33, "N": 5, "K": 100})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 1))
    (launch,) = plan_of(problem, {"M": 33, "N": 5, "K": 100}, TILE=32)
    assert (launch.block, launch.grid) == ((32, 32, 1), (4, 2, 1))


@pytest.mark.parametrize(("n", "grid"), [(1, 1), (256, 1), (257, 2), (1024 * 256 + 1, 1024)])
def test_reduce_clears_the_output_and_caps_the_grid(n, grid):
    clear, launch = plan_of(load_problem(PROBLEMS / "reduce"), {"N": n})
    assert isinstance(clear, Memset)
    assert (clear.value, clear.size) == (0, 4)
    assert isinstance(launch, Launch)
    assert (launch.block, launch.grid) == ((256, 1, 1), (grid, 1, 1))


@pytest.mark.parametrize("name", ["map", "zip"])
def test_elementwise_launch(name):
    (launch,) = plan_of(load_problem(PROBLEMS / name), {"N": 1000}, BLOCK=128)
    assert (launch.block, launch.grid) == ((128, 1, 1), (8, 1, 1))


def test_transpose_launch():
    (launch,) = plan_of(load_problem(PROBLEMS / "transpose"), {"M": 33, "N": 100}, TILE=32, ROWS=8)
    assert (launch.block, launch.grid) == ((32, 8, 1), (4, 2, 1))


def test_two_dimensional_launches():
    (launch,) = plan_of(load_problem(PROBLEMS / "convolution_2d"), {"H": 33, "W": 100, "R": 3, "S": 5})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 1))
    (launch,) = plan_of(load_problem(PROBLEMS / "batched_matmul"), {"BATCH": 9, "M": 33, "N": 5, "K": 100})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 9))


@pytest.mark.parametrize(
    ("name", "sizes", "grid"),
    [
        ("dot_product", {"N": 1_000_000}, 1024),
        ("gemv", {"M": 9, "N": 5}, 2),
        ("swiglu", {"N": 257}, 2),
        ("convolution_1d", {"N": 257, "K": 9}, 2),
        ("prefix_sum", {"M": 9, "N": 5000}, 9),
    ],
)
def test_launch_in_rows_of_threads(name, sizes, grid):
    launch = plan_of(load_problem(PROBLEMS / name), sizes)[-1]
    assert (launch.block, launch.grid) == ((256, 1, 1), (grid, 1, 1))


@pytest.mark.parametrize(
    ("name", "inputs", "sizes", "expected"),
    [
        ("transpose", {"input": [[1, 2, 3], [4, 5, 6]]}, {"M": 2, "N": 3}, [[1, 4], [2, 5], [3, 6]]),
        ("dot_product", {"a": [1, 2, 3, 4], "b": [10, 0, -1, 2]}, {"N": 4}, [15]),
        ("gemv", {"A": [[1, 2, 3], [4, 5, 6]], "x": [1, 0, 1]}, {"M": 2, "N": 3}, [4, 10]),
        (
            "convolution_1d",
            {"input": [1, 2, 3, 4, 5], "weights": [1, 10, 100]},
            {"N": 5, "K": 3},
            [210, 321, 432, 543, 54],
        ),
        ("convolution_1d", {"input": [1, 2, 3], "weights": [1, 10]}, {"N": 3, "K": 2}, [10, 21, 32]),
        ("convolution_1d", {"input": [3], "weights": [1, 10, 100, 1000, 10000]}, {"N": 1, "K": 5}, [300]),
        (
            "convolution_2d",
            {"input": [[1, 2, 3], [4, 5, 6]], "weights": [[0, 1, 0], [1, 1, 1], [0, 1, 0]]},
            {"H": 2, "W": 3, "R": 3, "S": 3},
            [[7, 11, 11], [10, 17, 14]],
        ),
        (
            "convolution_2d",
            {"input": [[1, 2, 3]], "weights": [[1, 10], [100, 1000]]},
            {"H": 1, "W": 3, "R": 2, "S": 2},
            [[1000, 2100, 3200]],
        ),
        (
            "batched_matmul",
            {"A": [[[1, 2]], [[3, 4]]], "B": [[[1, 0], [0, 1]], [[1, 1], [1, 0]]]},
            {"BATCH": 2, "M": 1, "N": 2, "K": 2},
            [[[1, 2]], [[7, 3]]],
        ),
        (
            "prefix_sum",
            {"input": [[3, 1, 4, 1, 5], [1, 1, 1, 1, 1]]},
            {"M": 2, "N": 5},
            [[3, 4, 8, 9, 14], [1, 2, 3, 4, 5]],
        ),
    ],
)
def test_examples_of_the_statements(name, inputs, sizes, expected):
    problem = load_problem(PROBLEMS / name)
    arrays = {array: np.array(values, np.float64) for array, values in inputs.items()}
    (got,) = problem.expected(arrays, sizes).values()
    assert got.tolist() == expected


def test_the_example_of_swiglu():
    inputs = {"gate": np.array([-2.0, 0.0, 1.0, 3.0]), "value": np.array([1.0, 5.0, 2.0, -1.0])}
    output = load_problem(PROBLEMS / "swiglu").expected(inputs, {"N": 4})["output"]
    assert output == pytest.approx([-0.2384, 0.0, 1.4621, -2.8577], abs=5e-5)


def test_references():
    x = np.array([0.0, 1.0, -2.0])
    logistic = load_problem(PROBLEMS / "map").expected({"input": x}, {"N": 3})["output"]
    assert logistic == pytest.approx([0.5, 0.7310585786300049, 0.11920292202211755], rel=1e-15)
    assert load_problem(PROBLEMS / "zip").expected({"a": x, "b": x}, {"N": 3})["output"].tolist() == [
        0,
        2,
        -4,
    ]
    assert load_problem(PROBLEMS / "reduce").expected({"input": x}, {"N": 3})["output"].tolist() == [-1]
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    product = load_problem(PROBLEMS / "matmul").expected({"A": a, "B": b}, {"M": 2, "N": 3, "K": 4})["C"]
    assert product.tolist() == [[20, 23, 26, 29], [56, 68, 80, 92]]
