"""Cases follow from the master seed; probes are aligned but for one size; limits grow with the work asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.errors import ProblemError
from grader.core.limits import Limits
from grader.problem import Cost, Problem, array, at, exact, f32, load_problem, out, size
from grader.problem.cases import (
    SLOWER,
    case_seed,
    draw_cases,
    draw_probes,
    format_numbers,
    limits_of,
    with_other_inputs,
)
from grader.problem.sizes import Budget
from grader.problem.trial import try_problem

PROBLEMS = Path(__file__).parents[1] / "problems"


@pytest.fixture(scope="module")
def matmul():
    return load_problem(PROBLEMS / "matmul")


@pytest.fixture(scope="module")
def reduce():
    return load_problem(PROBLEMS / "reduce")


def test_case_seeds_differ_by_master_and_by_number():
    seeds = {case_seed(master, number) for master in range(50) for number in range(50)}
    assert len(seeds) == 2500
    # Numbers that JSON readers in other languages keep exactly.
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_each_case_runs_with_other_inputs_as_well(matmul):
    for case in draw_cases(matmul, 9, 12, ()):
        other = with_other_inputs(matmul, case)
        assert other.sizes == case.sizes
        assert other.seed != case.seed
        assert {case.family, other.family} == {"exact", "normal"}


def test_given_sizes_come_with_each_family_and_seeds_of_their_own(matmul):
    given = [{"M": 1, "N": 2, "K": 3}, {"M": 4, "N": 5, "K": 6}]
    cases = draw_cases(matmul, 9, 12, given)
    assert [(format_numbers(case.sizes), case.family) for case in cases] == [
        ("M=1,N=2,K=3", "exact"),
        ("M=1,N=2,K=3", "normal"),
        ("M=4,N=5,K=6", "exact"),
        ("M=4,N=5,K=6", "normal"),
    ]
    assert len({case.seed for case in cases}) == 4


def test_probes_are_aligned_but_for_one_size(matmul):
    aligned, doubled, *off = draw_probes(matmul, {"TILE": 24})
    assert aligned == {"M": 96, "N": 96, "K": 96}
    assert doubled == {"M": 192, "N": 192, "K": 192}
    assert len(off) == 15
    for sizes in off:
        (changed,) = [value for value in sizes.values() if value != 96]
        assert changed % 24


def test_probes_of_a_vector_are_aligned_to_its_block(reduce):
    assert [sizes["N"] for sizes in draw_probes(reduce, {"BLOCK": 256})] == [256, 512, 257, 272, 260, 264, 258]


def test_probes_that_cost_too_much_or_are_out_of_range_are_left_out(matmul):
    assert draw_probes(matmul, {"TILE": 8191}) == []
    for sizes in draw_probes(matmul, {"TILE": 192}):
        assert Budget().allows(matmul, sizes)


def test_drawn_cases_have_the_default_limits_and_larger_ones_more(matmul):
    for case in draw_cases(matmul, 3, 30, ()):
        assert limits_of(matmul, case.sizes) == Limits()
    large = limits_of(matmul, {"M": 1024, "N": 1024, "K": 1024})
    # A naive kernel needs about ten warp instructions for 32 multiplications.
    assert large.instructions > 10 * 1024**3 / 32
    assert large.seconds > Limits().seconds


def saxpy_with(**given):
    problem = Problem(
        title="Zip",
        difficulty="easy",
        kernel="zip",
        params=dict(a=array(f32, "N"), c=out(f32, "N"), N=size(1, 100_000_000)),
        gates=exact(families=("normal", "spread")),
        **given,
    )
    problem.cost(lambda N: Cost(flops=N, bytes=8 * N))
    problem.reference(lambda a: a)
    problem.solve(lambda launch, a, c, N: launch(grid=1, block=1, arguments=(a, c, N)))
    return problem


@pytest.mark.parametrize("seed", range(5))
def test_what_is_always_tried_comes_beside_the_drawn_cases(seed):
    problem = saxpy_with(always=[at(N=5_000_000), at("spread", N=4099)])
    cases = draw_cases(problem, seed, 12, ())
    assert len(cases) == 14
    assert cases[-1].sizes == {"N": 5_000_000}
    assert [case.family for case in cases if case.sizes == {"N": 4099}] == ["spread"]
    assert [case.sizes["N"] for case in cases] == sorted(case.sizes["N"] for case in cases)
    assert len({case.seed for case in cases}) == 14
    drawn = draw_cases(saxpy_with(), seed, 12, ())
    assert all(case in cases for case in drawn)
    # Sizes given by hand stand alone.
    assert len(draw_cases(problem, seed, 12, [{"N": 7}])) == 2


def test_more_data_than_is_drawn_may_take_longer_in_proportion_and_more():
    problem = saxpy_with()
    assert limits_of(problem, {"N": 1_000_000}) == Limits()
    assert limits_of(problem, {"N": 5_250_000}).instructions == 5 * SLOWER * Limits().instructions


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (dict(N=4097), "is no case"),
        (at(M=4097), "has no size 'M'"),
        (at(N=0), "out of range"),
        (at("deep", N=4097), "no family of inputs 'deep'"),
        (at(N=50_000_000), "too many for each grading"),
    ],
)
def test_a_case_that_can_t_always_be_tried_is_named(case, words):
    with pytest.raises(ProblemError, match=words) as error:
        try_problem(saxpy_with(always=[at(N=4097), case]))
    assert error.value.message.startswith("always[1]")
