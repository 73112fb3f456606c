"""The four built-in problems: what they declare, and that they load."""

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
