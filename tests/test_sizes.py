"""Sizes of cases: the draw hits edges, stays in ranges and budget, and repeats with its seed."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.core.errors import UsageError
from grader.problem import load_problem
from grader.problem.choices import DIVIDING
from grader.problem.definition import Cost, Problem
from grader.problem.gates import contraction, elementwise
from grader.problem.parameters import array, choice, f32, index, out, product, size
from grader.problem.reach import Reach, reach_of
from grader.problem.sizes import Budget, check_sizes, draw_sizes, fit_together, off_sixteen

PROBLEMS = Path(__file__).parents[1] / "problems"
BUILT_IN = {name: load_problem(PROBLEMS / name) for name in ("matmul", "reduce", "map", "zip")}
SEEDS = range(40)


def product_problem(m, n, k):
    """A matrix product with these ranges."""
    problem = Problem(
        title="Product",
        difficulty="easy",
        kernel="product",
        params=dict(
            A=array(f32, "M", "N"),
            B=array(f32, "N", "K"),
            C=out(f32, "M", "K"),
            M=size(*m),
            N=size(*n),
            K=size(*k),
        ),
        gates=contraction(terms="N"),
    )

    @problem.cost
    def cost(M, N, K):
        return Cost(flops=2 * M * N * K, bytes=0)

    return problem


@pytest.fixture(params=sorted(BUILT_IN))
def problem(request):
    return BUILT_IN[request.param]


def test_the_draw_repeats_with_its_seed_and_changes_with_it(problem):
    assert draw_sizes(problem, 7, 12) == draw_sizes(problem, 7, 12)
    assert len({str(draw_sizes(problem, seed, 12)) for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 12, 40])
def test_a_draw_has_the_count_asked_for_small_to_large(problem, count):
    drawn = draw_sizes(problem, 3, count)
    assert len(drawn) == count
    volumes = [problem.array_bytes(sizes) for sizes in drawn]
    assert volumes == sorted(volumes)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_default_draw_hits_the_edges(problem, seed):
    drawn = draw_sizes(problem, seed, 12)
    dimensions = len(problem.sizes)
    assert sum(map(off_sixteen, drawn)) >= 6
    assert dict.fromkeys(problem.sizes, 1) in drawn
    assert any(all(v % 16 == 0 for v in sizes.values()) for sizes in drawn)
    assert any(len(set(sizes.values())) == 1 and max(sizes.values()) > 1 for sizes in drawn)
    assert any(any((v % 16 == 1 and v > 1) or v % 16 == 15 for v in sizes.values()) for sizes in drawn)
    assert len({tuple(sizes.values()) for sizes in drawn}) == 12
    if dimensions > 1:
        assert sum(len(set(sizes.values())) == dimensions for sizes in drawn) >= 5
        # Each dimension in turn comes to the end of its range while the others are few.
        assert set(problem.sizes) <= {max(s, key=s.get) for s in drawn if sorted(s.values())[-2] <= 3}
        assert all(max(s[name] for s in drawn) >= problem.sizes[name].high - 1 for name in problem.sizes)
    else:
        # Past the most threads that the reduction's launch has, so that a missing grid-stride loop shows.
        assert drawn[-1]["N"] > 1024 * 256
        assert drawn[-1]["N"] % 16


@pytest.mark.parametrize("seed", SEEDS)
def test_a_loop_goes_far_and_rows_that_have_blocks_of_their_own_do_not(seed):
    softmax = load_problem(PROBLEMS / "softmax")
    drawn = draw_sizes(softmax, seed, 12, reach=reach_of(softmax, None))
    # Beyond what 16 bits count.
    assert any(sizes["M"] == 3 and sizes["N"] > 2**17 for sizes in drawn)
    assert not any(sizes["N"] <= 3 and sizes["M"] > 6000 for sizes in drawn)


@pytest.mark.parametrize("seed", SEEDS[:5])
@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("embedding", ("T", "V", "D")),
        ("paged_attention", ("D", "T")),
        ("beam_step", ("B", "V")),
        ("grouped_matmul", ("T", "G", "K", "N")),
    ],
)
def test_each_size_comes_to_the_end_of_its_range_where_that_is_cheap(name, ends, seed):
    """A table of 65,536 words, or of 1,024 keys, is too small for some case of each grading."""
    problem = load_problem(PROBLEMS / name)
    drawn = draw_sizes(problem, seed, 12, reach=reach_of(problem, problem.constants))
    for end in ends:
        assert max(sizes[end] for sizes in drawn) >= problem.sizes[end].high - 1


@pytest.mark.parametrize("seed", SEEDS)
def test_vectors_pass_a_million_where_two_levels_of_1024_end(seed):
    scan = load_problem(PROBLEMS / "exclusive_scan")
    assert max(sizes["N"] for sizes in draw_sizes(scan, seed, 12)) > 1024 * 1024


def test_the_largest_case_comes_near_the_budget(problem):
    for seed in SEEDS:
        largest = draw_sizes(problem, seed, 12)[-1]
        used = max(problem.cost_of(largest).flops / Budget().flops, problem.array_bytes(largest) / Budget().bytes)
        assert 0.5 < used <= 1.0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "constants", "units"),
    [
        ("matmul", {"TILE": 24}, {"M": 24, "N": 24, "K": 24}),
        ("map", {"BLOCK": 96}, {"N": 96}),
        ("reduce", {"BLOCK": 128}, {"N": 128}),
        # What solve() launches is unknown: multiples of these are multiples of all usual ones.
        ("matmul", None, {"M": 64, "N": 64, "K": 64}),
        ("reduce", None, {"N": 1024}),
    ],
)
def test_each_size_gets_a_multiple_of_the_block_one_more_and_one_less(name, constants, units, seed):
    drawn = draw_sizes(BUILT_IN[name], seed, 12, reach=reach_of(BUILT_IN[name], constants))
    for size_name, unit in units.items():
        rests = {sizes[size_name] % unit for sizes in drawn if sizes[size_name] >= unit - 1}
        assert {0, 1, unit - 1} <= rests


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("constants", "threads"), [({"BLOCK": 256}, 262_144), ({"BLOCK": 1024}, 1 << 20)])
def test_a_grid_that_may_be_too_small_is_filled_and_passed_by_one(constants, threads, seed):
    drawn = draw_sizes(BUILT_IN["reduce"], seed, 12, reach=reach_of(BUILT_IN["reduce"], constants))
    assert {threads, threads + 1} <= {sizes["N"] for sizes in drawn}


def test_what_a_block_covers_is_found_by_the_harness():
    found = {name: load_problem(PROBLEMS / name) for name in ("gemv", "softmax", "breadth_first_search", "map")}
    reach = {name: reach_of(problem, problem.constants) for name, problem in found.items()}
    # A warp for each row, eight in a block; the columns are a loop's. Rows of a softmax have a block each.
    assert reach["gemv"] == {"M": Reach(8), "N": Reach(256)}
    assert reach["softmax"] == {"M": Reach(1), "N": Reach(256)}
    assert reach["breadth_first_search"] == {"V": Reach(1024)}
    assert reach["map"] == {"N": Reach(256)}
    assert reach_of(found["map"], {"BLOCK": 2048}) == {}


@settings(max_examples=60, deadline=None)
@example(ranges=[(1, 14), (173, 0), (192, 1)], seed=0, count=1, flops=996480)
@given(
    ranges=st.lists(
        st.tuples(st.integers(1, 300), st.integers(0, 8000)).filter(lambda r: r[1] > 0 or r[0] % 16),
        min_size=3,
        max_size=3,
    ),
    seed=st.integers(0, 2**63),
    count=st.integers(1, 30),
    flops=st.integers(1, 10**7),
)
def test_any_ranges_and_budget(ranges, seed, count, flops):
    problem = product_problem(*((low, low + extra) for low, extra in ranges))
    budget = Budget(flops=flops, bytes=4_000_000)
    drawn = draw_sizes(problem, seed, count, budget)
    assert len(drawn) == count
    assert sum(map(off_sixteen, drawn)) >= count / 2
    least = {name: s.low for name, s in problem.sizes.items()}
    for sizes in drawn:
        check_sizes(problem, sizes)
        # Beyond the budget only what is smallest, moved off a multiple of 16.
        assert budget.allows(problem, sizes) or all(sizes[n] - least[n] <= 1 for n in sizes)


def test_check_sizes_accepts_what_is_in_range():
    for sizes in ({"M": 1, "N": 1, "K": 1}, {"M": 8192, "N": 17, "K": 8192}):
        check_sizes(BUILT_IN["matmul"], sizes)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"M": 1, "N": 1}, "size K is missing"),
        ({"M": 1, "N": 1, "K": 1, "L": 1}, "no size 'L'; it has M, N, K"),
        ({"M": 0, "N": 1, "K": 1}, "M=0 is out of range; it goes from 1 to 8192"),
        ({"M": 1, "N": 8193, "K": 1}, "N=8193 is out of range"),
        ({"M": 1, "N": -3, "K": 1}, "N=-3 is out of range"),
        ({"M": 1, "N": 1.5, "K": 1}, "size N is 1.5; a whole number"),
        ({"M": 1, "N": True, "K": 1}, "size N is True; a whole number"),
        ({"M": 1, "N": "2", "K": 1}, "size N is '2'; a whole number"),
    ],
)
def test_check_sizes_names_the_size_and_what_was_expected(sizes, words):
    with pytest.raises(UsageError) as caught:
        check_sizes(BUILT_IN["matmul"], sizes)
    assert words in caught.value.message
    assert "--case M=17,N=17,K=17" in caught.value.hint


def tensor_problem(less=0):
    """A tensor of up to four dimensions, one of which is chosen, and a function by number."""
    problem = Problem(
        title="Tensor",
        difficulty="easy",
        kernel="tensor",
        params=dict(
            x=array(f32, "COUNT"),
            y=out(f32, "COUNT"),
            COUNT=product(1, 1_000_000, of="RANK", less=less),
            LENGTH=size(1, 500),
            AXIS=index("RANK", 4),
            RANK=choice(1, 4),
            FUNCTION=choice(0, 2),
        ),
        gates=elementwise(),
    )
    problem.cost(lambda COUNT, LENGTH: Cost(flops=COUNT * LENGTH, bytes=0))
    return problem


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_are_dealt_evenly_whatever_the_sizes(seed):
    drawn = draw_sizes(tensor_problem(), seed, 12)
    # A draw that repeats sizes is made again, and takes a card each time.
    for name, values in (("RANK", range(1, 5)), ("FUNCTION", range(3))):
        seen = Counter(sizes[name] for sizes in drawn)
        assert set(seen) == set(values)
        assert max(seen.values()) <= min(seen.values()) + 2
    for sizes in drawn:
        check_sizes(tensor_problem(), sizes)
        assert list(sizes) == ["COUNT", "LENGTH", "AXIS", "RANK", "FUNCTION"]
    assert drawn == draw_sizes(tensor_problem(), seed, 12)


def test_choices_don_t_count_as_aligned_sizes():
    for seed in SEEDS:
        drawn = draw_sizes(tensor_problem(), seed, 12)
        assert sum(off_sixteen({n: sizes[n] for n in ("COUNT", "LENGTH")}) for sizes in drawn) >= 6


def test_an_index_takes_every_value_below_its_choice():
    seen = {(sizes["RANK"], sizes["AXIS"]) for seed in SEEDS for sizes in draw_sizes(tensor_problem(), seed, 12)}
    assert seen == {(rank, axis) for rank in range(1, 5) for axis in range(rank)}


def small_factors(number):
    return [divisor for divisor in DIVIDING if number % divisor == 0]


def test_products_have_factors_and_others_are_often_prime():
    drawn = [sizes for seed in SEEDS for sizes in draw_sizes(tensor_problem(), seed, 12)]
    whole = [sizes["COUNT"] for sizes in drawn if sizes["RANK"] > 1 and sizes["COUNT"] > 16]
    assert len(whole) > 100
    assert all(map(small_factors, whole))
    assert not all(map(small_factors, (sizes["LENGTH"] for sizes in drawn)))


def test_a_product_of_no_lengths_is_one():
    drawn = [sizes for seed in SEEDS for sizes in draw_sizes(tensor_problem(less=1), seed, 12)]
    assert {sizes["COUNT"] for sizes in drawn if sizes["RANK"] == 1} == {1}
    assert max(sizes["COUNT"] for sizes in drawn) > 1000


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"AXIS": 2}, "size AXIS=2 has to be less than RANK"),
        ({"RANK": 1, "AXIS": 0}, "size COUNT=6 has to be 1 where RANK is 1"),
        ({"FUNCTION": 3}, "size FUNCTION=3 is out of range; it goes from 0 to 2"),
    ],
)
def test_sizes_that_don_t_fit_together_are_named(changes, words):
    problem = tensor_problem(less=1)
    sizes = {"COUNT": 6, "LENGTH": 2, "AXIS": 1, "RANK": 2, "FUNCTION": 0}
    assert fit_together(problem, sizes)
    assert not fit_together(problem, {**sizes, **changes})
    with pytest.raises(UsageError, match=words):
        check_sizes(problem, {**sizes, **changes})
