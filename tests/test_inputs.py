"""Inputs of cases: the same bits everywhere, different where they must be, exact where a gate needs it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.errors import UsageError
from grader.problem import load_problem
from grader.problem.definition import Problem
from grader.problem.gates import contraction, exact, scaled
from grader.problem.inputs import CHUNK, families, make_inputs
from grader.problem.parameters import array, bf16, e4m3, f16, f32, i8, i32, out, size, u8
from grader.problem.values import below, uniform

PROBLEMS = Path(__file__).parents[1] / "problems"
BUILT_IN = {name: load_problem(PROBLEMS / name) for name in ("matmul", "reduce", "map", "zip")}
GRID = 2.0**-11
"""What exact inputs are multiples of."""


def sizes_of(problem, value):
    return dict.fromkeys(problem.sizes, value)


@pytest.fixture(params=sorted(BUILT_IN))
def problem(request):
    return BUILT_IN[request.param]


# The first bits of a stream are part of what a seed means: recorded seeds must go on giving the same case.
RECORDED = {
    ("matmul", "exact"): {
        "A": [0xBF800000, 0x3F800000, 0xBF800000],
        "B": [0xBFBDD000, 0xBF93D000, 0x3F8E9000],
    },
    ("matmul", "normal"): {
        "A": [0x3CB77322, 0x3F35EF5A, 0xBD7C99AF],
        "B": [0x3E4D1206, 0x3FB135E5, 0x3E8FF2CB],
    },
    ("reduce", "exact"): {"input": [0xBFCBB000, 0x3FE93000, 0xBFF35000]},
    ("map", "wide"): {"input": [0x429A2344, 0x4281DF27, 0x41697155]},
    ("map", "special"): {"input": [0xBEC99DD6, 0x3F000000, 0x403A0F41]},
    ("zip", "spread"): {"a": [0x39B9F33C, 0x46A82A9C, 0x3BA5D0E4], "b": [0x4422F169, 0xC33D8181, 0x44743262]},
}


@pytest.mark.parametrize(("name", "family"), RECORDED)
def test_a_seed_means_the_same_bits_for_ever(name, family):
    inputs = make_inputs(BUILT_IN[name], sizes_of(BUILT_IN[name], 3), family, 42)
    bits = {array: values.ravel()[:3].view(np.uint32).tolist() for array, values in inputs.items()}
    assert bits == RECORDED[name, family]


def test_arrays_have_the_declared_type_and_shape():
    inputs = make_inputs(BUILT_IN["matmul"], {"M": 2, "N": 3, "K": 5}, "normal", 1)
    assert {name: values.shape for name, values in inputs.items()} == {"A": (2, 3), "B": (3, 5)}
    assert all(values.dtype == np.float32 and values.flags.c_contiguous for values in inputs.values())


def test_families_belong_to_the_gates():
    assert {name: families(problem) for name, problem in BUILT_IN.items()} == {
        "matmul": ("exact", "normal"),
        "reduce": ("exact", "normal"),
        "map": ("normal", "wide", "special", "overflow"),
        "zip": ("normal", "spread", "special", "constant"),
    }


def test_an_unknown_family_is_named(problem):
    with pytest.raises(UsageError, match=r"'cauchy'.*normal"):
        make_inputs(problem, sizes_of(problem, 3), "cauchy", 1)


def test_the_same_seed_gives_the_same_inputs_and_another_gives_others(problem):
    sizes = sizes_of(problem, 37)
    for family in families(problem):
        first, again = (make_inputs(problem, sizes, family, 5) for _ in range(2))
        other = make_inputs(problem, sizes, family, 6)
        for name in problem.inputs:
            assert first[name].tobytes() == again[name].tobytes()
            assert first[name].tobytes() != other[name].tobytes()


def test_two_arrays_of_a_case_are_independent():
    inputs = make_inputs(BUILT_IN["zip"], {"N": 20000}, "normal", 5)
    assert abs(np.corrcoef(inputs["a"], inputs["b"])[0, 1]) < 0.03


def test_values_are_finite_and_only_exact_operations_get_the_largest(problem):
    largest = 0.0
    for family in families(problem):
        for values in make_inputs(problem, sizes_of(problem, 300), family, 8).values():
            assert np.isfinite(values).all()
            largest = max(largest, np.abs(values).max())
    assert (largest > np.finfo(np.float32).max / 2) == (problem.gates.kind == "exact")


@pytest.mark.parametrize(("name", "sigma"), [("matmul", 1), ("reduce", 1), ("map", 3), ("zip", 1)])
def test_normal_values(name, sigma):
    problem = BUILT_IN[name]
    for values in make_inputs(problem, sizes_of(problem, 600), "normal", 9).values():
        assert abs(values.mean()) < 0.2 * sigma
        assert values.std() == pytest.approx(sigma, rel=0.1)
        assert np.unique(values).size > 0.9 * values.size
        # All 24 bits of the significand are in use: fewer would round to themselves in a shorter format.
        odd = values.view(np.uint32) & 1
        assert 0.3 < odd.mean() < 0.7


def test_exponentials_of_half_of_the_values_overflow():
    values = make_inputs(BUILT_IN["map"], {"N": 2000}, "overflow", 9)["input"]
    above = values > 88.8
    assert 0.4 < above.mean() < 0.6
    assert np.abs(values[~above]).max() <= 9 and values.max() <= 120


def test_wide_values_reach_both_saturated_ends():
    values = make_inputs(BUILT_IN["map"], {"N": 2000}, "wide", 9)["input"]
    assert values.min() < -70
    assert values.max() > 70
    assert np.abs(values).max() <= 80


def exact_problem(family):
    return Problem(
        title="Places of floats",
        difficulty="easy",
        kernel="places",
        params=dict(input=array(f32, "N"), out=out(i32, "N"), N=size(1, 100_000)),
        gates=exact(families=(family,)),
    )


def test_half_of_nonfinite_values_are_from_a_table_with_nan_and_infinities():
    values = make_inputs(exact_problem("nonfinite"), {"N": 4000}, "nonfinite", 9)["input"]
    for share in (np.isnan(values), values == np.inf, values == -np.inf, values == 0):
        assert 0.01 < share.mean() < 0.2
    assert 0.4 < (np.abs(values) < 10).mean() < 0.7


def test_halves_of_rows_are_ties_for_one_order_of_operations_alone():
    values = make_inputs(load_problem(PROBLEMS / "quantize_int8"), {"M": 64, "N": 200}, "halves", 9)["input"]
    largest = abs(values).max(axis=1, keepdims=True)
    plain = (largest == 127)[:, 0]
    assert 16 < plain.sum() < 48
    by_inverse = np.rint(values * (np.float32(127) / largest))
    by_scale = np.rint(values / (largest / np.float32(127)))
    differ = (by_inverse != by_scale).any(axis=1)
    assert not differ[plain].any()
    assert differ.sum() > 16


def test_halves_have_ties_and_both_ends():
    values = make_inputs(exact_problem("halves"), {"N": 4000}, "halves", 9)["input"]
    assert (values * 2 == np.rint(values * 2)).all()
    assert 0.4 < (values != np.rint(values)).mean() < 0.5
    for end in (-127, 127):
        assert 0.04 < (values == end).mean() < 0.08
    assert np.abs(values).max() == 127


def test_special_values_are_there():
    values = make_inputs(BUILT_IN["map"], {"N": 2000}, "special", 9)["input"]
    zero = values == 0
    assert (zero & np.signbit(values)).any()
    assert (zero & ~np.signbit(values)).any()
    assert (~zero & (np.abs(values) < 2.0**-126)).any()
    assert ((np.abs(values) > 0.1) & (np.abs(values) < 9)).any()


def test_spread_operands_overlap_fully_partly_and_not_at_all():
    inputs = make_inputs(BUILT_IN["zip"], {"N": 2000}, "spread", 9)
    gap = np.abs(np.frexp(inputs["a"])[1] - np.frexp(inputs["b"])[1])
    assert (gap == 0).any()
    assert ((gap > 0) & (gap < 24)).any()
    assert (gap > 25).any()


def in_any_order(terms, seed):
    """One float32 sum of the terms, in a random order and grouping."""
    rng = np.random.default_rng(seed)
    parts = list(rng.permutation(terms).astype(np.float32))
    while len(parts) > 1:
        i = int(rng.integers(len(parts) - 1))
        parts[i : i + 2] = [np.float32(parts[i] + parts[i + 1])]
    return float(parts[0])


@settings(max_examples=40, deadline=None)
@given(terms=st.integers(1, 300), seed=st.integers(0, 2**64), order=st.integers(0, 2**32))
def test_exact_sums_are_exact_in_any_order(terms, seed, order):
    x = make_inputs(BUILT_IN["reduce"], {"N": terms}, "exact", seed)["input"]
    assert in_any_order(x, order) == x.astype(np.float64).sum()
    both = make_inputs(BUILT_IN["matmul"], {"M": 1, "N": terms, "K": 1}, "exact", seed)
    products = both["A"][0].astype(np.float64) * both["B"][:, 0]
    assert in_any_order(products, order) == products.sum()


@pytest.mark.parametrize("terms", [1, 1000, 1024, 1025, 2000, 2001, 5000, 300_000])
@pytest.mark.parametrize("seed", range(4))
def test_exact_sums_stay_below_two_to_the_24_steps(terms, seed):
    """The theorem behind G0: multiples of the grid whose magnitudes sum to less than 2^24 steps."""
    x = make_inputs(BUILT_IN["reduce"], {"N": terms}, "exact", seed)["input"].astype(np.float64)
    both = make_inputs(BUILT_IN["matmul"], {"M": 2, "N": terms, "K": 2}, "exact", seed)
    products = np.abs(both["A"]).astype(np.float64) @ np.abs(both["B"]).astype(np.float64)
    assert np.array_equal(x / GRID, np.rint(x / GRID))
    assert np.abs(x).sum() / GRID < 2**23
    assert products.max() / GRID < 2**22
    # The ends of a long sum are what a wrong bound leaves out.
    assert x[0] != 0
    assert x[-1] != 0
    for name, axis in (("A", 1), ("B", 0)):
        assert np.take(both[name], 0, axis).all()
        assert np.take(both[name], -1, axis).all()
    assert np.count_nonzero(x) >= min(terms, 1000)


def test_exact_values_need_one_bit_more_than_half_precision_has():
    x = make_inputs(BUILT_IN["reduce"], {"N": 2000}, "exact", 3)["input"]
    with np.errstate(over="ignore"):
        assert (x.astype(np.float16).astype(np.float32) != x).all()


def test_either_array_of_a_contraction_can_be_the_odd_one():
    ones = set()
    for seed in range(20):
        inputs = make_inputs(BUILT_IN["matmul"], sizes_of(BUILT_IN["matmul"], 8), "exact", seed)
        (name,) = (name for name, values in inputs.items() if (np.abs(values) == 1).all())
        ones.add(name)
    assert ones == {"A", "B"}


def test_long_arrays_continue_over_chunks():
    x = make_inputs(BUILT_IN["reduce"], {"N": 2 * CHUNK + 5}, "normal", 3)["input"]
    short = make_inputs(BUILT_IN["reduce"], {"N": CHUNK + 1}, "normal", 3)["input"]
    assert np.array_equal(x[: CHUNK + 1], short)
    pieces = (x[:1000], x[CHUNK : CHUNK + 1000], x[2 * CHUNK - 1000 : 2 * CHUNK])
    assert all(not np.array_equal(a, b) for a, b in pairwise(pieces))


SEVERAL = Problem(
    title="Several types",
    difficulty="easy",
    kernel="several",
    params=dict(
        halves=array(f16, "N"),
        more=array(f16, "N"),
        bytes=array(u8, "N"),
        signed=array(i8, "N"),
        near=array(f32, "N", values=uniform(2.0, 3.0)),
        places=array(i32, "N", values=below("N")),
        order=array(i32, "N+1"),
        rising=array(f32, "N", structured=True),
        out=out(f16, 1),
        N=size(1, 100_000),
    ),
    gates=contraction(terms="N"),
)
SEVERAL.structure(lambda draw, N: {"order": draw.order(N + 1), "rising": np.cumsum(draw.integers(1, 9, N)) / 4})


@pytest.mark.parametrize("family", ["exact", "normal"])
def test_inputs_of_every_type(family):
    made = make_inputs(SEVERAL, {"N": 3000}, family, 5)
    assert {name: values.dtype.name for name, values in made.items()} == {
        "halves": "float16",
        "more": "float16",
        "bytes": "uint8",
        "signed": "int8",
        "near": "float32",
        "places": "int32",
        "order": "int32",
        "rising": "float32",
    }
    assert set(made["bytes"].tolist()) == set(range(256))
    assert set(made["signed"].tolist()) == set(range(-128, 128))
    assert made["near"].min() >= 2.0
    assert made["near"].max() <= 3.0
    assert 0 <= made["places"].min() < 10
    assert 2990 < made["places"].max() < 3000
    assert sorted(made["order"].tolist()) == list(range(3001))
    assert np.diff(made["rising"]).min() == 0.25
    again, other = (make_inputs(SEVERAL, {"N": 3000}, family, seed) for seed in (5, 6))
    for name, values in made.items():
        assert values.tobytes() == again[name].tobytes()
        assert values.tobytes() != other[name].tobytes()


@pytest.mark.parametrize("terms", [1, 1000, 1025, 50_000])
def test_exact_halves_have_exact_sums(terms):
    made = make_inputs(SEVERAL, {"N": terms}, "exact", 3)
    products = made["halves"].astype(np.float64) * made["more"].astype(np.float64)
    steps = products / 2.0**-10
    assert np.array_equal(steps, np.rint(steps))
    assert np.abs(steps).sum() < 2**23
    (odd,) = (name for name in ("halves", "more") if (np.abs(made[name]) > 1).any())
    # All of a half's eleven bits are in use.
    assert (made[odd].view(np.uint16) & 1).all()


def test_offset_values_are_large_beside_their_deviation():
    problem = Problem(
        title="Norm",
        difficulty="easy",
        kernel="norm",
        params=dict(x=array(f32, "N"), y=out(f32, "N"), N=size(1, 5000)),
        gates=scaled(terms="N", families=("normal", "wide", "offset")),
    )
    assert families(problem) == ("normal", "wide", "offset")
    values = make_inputs(problem, {"N": 4000}, "offset", 2)["x"].astype(np.float64)
    assert values.mean() == pytest.approx(4096, abs=0.1)
    assert values.std() == pytest.approx(1, rel=0.1)
    wide = make_inputs(problem, {"N": 4000}, "wide", 2)["x"]
    # exp() of the largest ones overflows.
    assert 100 < wide.max() <= 120


def rows_problem(gates):
    return Problem(
        title="Rows",
        difficulty="easy",
        kernel="rows",
        params=dict(x=array(f32, "M", "N"), weight=array(f32, "N"), out=out(f32, "M"), M=size(1, 999), N=size(1, 999)),
        gates=gates,
    )


ROWS = {"M": 40, "N": 70}


@pytest.mark.parametrize(
    "gates", [exact(families=("constant", "negative")), scaled("N", ("constant", "negative"))], ids=["exact", "scaled"]
)
def test_rows_of_one_number_and_rows_far_below_zero(gates):
    constant = make_inputs(rows_problem(gates), ROWS, "constant", 3)
    assert (constant["x"] == constant["x"][:, :1]).all()
    assert 3 < np.unique(constant["x"]).size < 40
    assert (constant["x"] == 0).any()
    # What all rows share is no row.
    assert np.unique(constant["weight"]).size > 60
    below = make_inputs(rows_problem(gates), ROWS, "negative", 3)["x"]
    assert np.isfinite(below).all()
    assert below.max() < (-1e30 if gates.kind == "exact" else -1.6e4)
    assert below.min() > -np.inf if gates.kind == "exact" else below.min() > -1e9


@pytest.mark.parametrize("seed", range(5))
def test_of_three_rows_one_lies_beside_the_lowest_float_and_one_is_nothing_else(seed):
    lowest = np.finfo(np.float32).min
    made = make_inputs(rows_problem(exact(families=("negative",))), {"M": 3, "N": 70}, "negative", seed)["x"]
    assert made[0].max() > -1e34
    assert made[1].max() < -3e38 and np.unique(made[1]).size > 60
    assert (made[2] == lowest).all()


@pytest.mark.parametrize("terms", [1, 2, 3, 1000])
@pytest.mark.parametrize("family", ["lowest", "highest"])
def test_values_at_an_end_have_finite_sums(family, terms):
    made = make_inputs(rows_problem(scaled(terms, (family,))), ROWS, family, 3)["x"] * (-1 if family == "lowest" else 1)
    assert made.min() > 1.5e38 / terms and made.max() * terms <= np.finfo(np.float32).max
    assert terms > 1 or made.min() > 3e38
    assert terms > 1 or (made[2::3] == np.finfo(np.float32).max).all()


@pytest.mark.parametrize("family", ["normal", "spread", "special", "lowest", "highest"])
@pytest.mark.parametrize("seed", range(5))
def test_few_indices_have_the_first_and_the_last(family, seed):
    problem = Problem(
        title="Places",
        difficulty="easy",
        kernel="places",
        params=dict(x=array(i32, "N", values=below("V")), out=out(i32, "N"), N=size(1, 99), V=size(1, 9999)),
        gates=exact(families=("normal", "spread", "special", "lowest", "highest")),
    )
    made = [make_inputs(problem, {"N": count, "V": 5000}, family, seed)["x"] for count in (1, 2, 3, 99)]
    assert all(x.max() == 4999 and x.min() >= 0 for x in made)
    # Two ends may be drawn for the same place.
    assert family == "highest" or made[3].min() == 0


def test_opposed_arrays_have_products_below_zero():
    made = make_inputs(rows_problem(scaled("N", ("opposed",))), ROWS, "opposed", 3)
    assert made["x"].min() >= 0.0
    assert made["weight"].max() <= 0.0
    assert made["x"].max() > 100


def test_zeros_of_both_signs_have_nothing_above_them():
    made = make_inputs(rows_problem(exact(families=("zeros",))), ROWS, "zeros", 3)["x"]
    assert made.max() == 0.0 and made.min() < -1.0
    zeros = np.signbit(made[made == 0.0])
    assert 0.4 < zeros.mean() < 0.6 and 0.4 < zeros.size / made.size < 0.6


def test_small_values_have_squares_near_an_epsilon():
    made = make_inputs(rows_problem(scaled("N", ("small",))), ROWS, "small", 3)["x"].astype(np.float64)
    assert 1e-6 < (made**2).mean() < 1e-5


@pytest.mark.parametrize("gates", [exact(families=("peak",)), scaled("N", ("peak",))], ids=["exact", "scaled"])
def test_a_peak_is_the_first_of_its_row_the_last_or_any(gates):
    made = make_inputs(rows_problem(gates), ROWS, "peak", 3)["x"]
    places = made.argmax(axis=1)
    assert ((made > 100).sum(axis=1) == 1).all()
    assert ((places > 0) & (places < 69)).any()
    # Any three rows in a sequence have both ends.
    assert all({0, 69} <= set(places[row : row + 3].tolist()) for row in range(38))


@pytest.mark.parametrize("seed", range(5))
def test_a_comb_has_its_teeth_where_one_thread_finds_them_and_side_by_side(seed):
    problem = rows_problem(exact(families=("comb",)))
    made = make_inputs(problem, {"M": 4, "N": 999}, "comb", seed)["x"] > 100
    first, second = np.flatnonzero(made[0]), np.flatnonzero(made[1])
    assert (made[::2] == made[0]).all() and (made[1::2] == made[1]).all()
    assert first.size >= 7 and np.unique(first % 32).size == 1
    assert 1 <= second.size <= 32 and (np.diff(second) == 1).all()
    # Short rows have one, too.
    assert (make_inputs(problem, {"M": 1, "N": 1}, "comb", seed)["x"] > 100).all()
    short = np.flatnonzero(make_inputs(problem, {"M": 1, "N": 30}, "comb", seed)["x"][0] > 100)
    assert short.size == 1 and short[0] % 4 == 0


@pytest.mark.parametrize("seed", range(5))
def test_teeth_are_as_far_apart_as_they_can_be_in_every_fourth_row(seed):
    made = make_inputs(load_problem(PROBLEMS / "top_k"), {"M": 5, "N": 33_000, "K": 32}, "comb", seed)["input"] > 100
    for row in (0, 4):
        places = np.flatnonzero(made[row])
        assert places.size == 32 and (np.diff(places) == 1024).all()


@pytest.mark.parametrize("dtype", [f16, bf16, e4m3])
def test_peaks_and_combs_of_other_formats(dtype):
    problem = rows_problem(exact(families=("peak", "comb")))
    problem.params["x"] = array(dtype, "M", "N")
    for family in ("peak", "comb"):
        made = problem.params["x"].numbers(make_inputs(problem, ROWS, family, 3)["x"])
        assert 150 < made.max() < 250 and (made < 10).mean() > 0.5
