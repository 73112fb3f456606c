"""The fast functions: their errors over whole ranges, their special values, and angles reduced as GPUs do it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .apply import Array, apply

RNG = np.random.default_rng(8)
Function = Callable[[Array], Array]


def uniform(low: float, high: float) -> Array:
    return RNG.uniform(low, high, 50_000).astype("f4")


def any_magnitude() -> Array:
    """Normal and subnormal numbers of both signs."""
    values = RNG.integers(0, 1 << 32, 50_000, dtype="u4").view("f4")
    return values[np.isfinite(values)]


def single(opcode: str, values: Array) -> Array:
    return apply(opcode, ("f32",), "f32", values)


def error_in_ulp(opcode: str, function: Function, values: Array) -> float:
    with np.errstate(all="ignore"):
        exact = function(values.astype("f8"))
        ulp = np.spacing(np.abs(exact).astype("f4")).astype("f8")
        errors = np.abs(single(opcode, values) - exact) / ulp
    return float(np.max(errors[np.isfinite(exact) & (np.abs(exact) < 3.4e38)]))


@pytest.mark.parametrize(
    ("opcode", "function", "values", "ulp"),
    [
        ("ex2.approx.f32", np.exp2, uniform(-150, 128), 1.5),
        ("ex2.approx.f32", np.exp2, uniform(-1, 1), 1.5),
        ("lg2.approx.f32", np.log2, np.abs(any_magnitude()), 3.2),
        ("lg2.approx.f32", np.log2, uniform(0.98, 1.02), 3.2),
        ("tanh.approx.f32", np.tanh, uniform(-10, 10), 2050.0),
        ("tanh.approx.f32", np.tanh, any_magnitude(), 2050.0),
        ("rsqrt.approx.f32", lambda a: 1 / np.sqrt(a), np.abs(any_magnitude()), 1.6),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_relative_error(opcode: str, function: Function, values: Array, ulp: float) -> None:
    assert error_in_ulp(opcode, function, values) < ulp


def test_tanh_is_as_coarse_as_on_a_gpu() -> None:
    assert error_in_ulp("tanh.approx.f32", np.tanh, uniform(-2, 2)) > 1000


@pytest.mark.parametrize(("opcode", "function"), [("sin.approx.f32", np.sin), ("cos.approx.f32", np.cos)])
def test_absolute_error_of_circular_functions(opcode: str, function: Function) -> None:
    values = uniform(-np.pi, np.pi)
    assert np.max(np.abs(single(opcode, values) - function(values.astype("f8")))) < 2.0**-20.5


@pytest.mark.parametrize(
    ("opcode", "angle", "on_gpu"),
    [
        ("sin.approx.f32", 50.74238967895508, 0.4590275),
        ("sin.approx.f32", 66440.8046875, 0.67609257),
        ("cos.approx.f32", 66440.8046875, -0.73681647),
        ("sin.approx.f32", 117762.984375, -0.35989493),
        ("cos.approx.f32", 100335.53125, 0.78834647),
    ],
)
def test_large_angles_lose_what_they_lose_on_a_gpu(opcode: str, angle: float, on_gpu: float) -> None:
    """The results of an H200."""
    got = single(opcode, np.array([angle], "f4"))[0]
    assert abs(got - on_gpu) < 5e-7
    exact = (np.sin if "sin" in opcode else np.cos)(angle)
    assert abs(got - exact) > 5e-6


INF, NAN, SUBNORMAL = np.inf, np.nan, 1e-40
SPECIAL = [-INF, -1.0, -SUBNORMAL, -0.0, 0.0, SUBNORMAL, INF, NAN]


@pytest.mark.parametrize(
    ("opcode", "wanted"),
    [
        ("ex2.approx.f32", [0.0, 0.5, 1.0, 1.0, 1.0, 1.0, INF, NAN]),
        ("lg2.approx.ftz.f32", [NAN, NAN, -INF, -INF, -INF, -INF, INF, NAN]),
        ("rsqrt.approx.ftz.f32", [NAN, NAN, -INF, -INF, INF, INF, 0.0, NAN]),
        ("cos.approx.f32", [NAN, 0.5403023, 1.0, 1.0, 1.0, 1.0, NAN, NAN]),
        ("sin.approx.f32", [NAN, -0.84147096, -SUBNORMAL, -0.0, 0.0, SUBNORMAL, NAN, NAN]),
        ("sin.approx.ftz.f32", [NAN, -0.84147096, -0.0, -0.0, 0.0, 0.0, NAN, NAN]),
        ("tanh.approx.f32", [-1.0, -0.76147461, -SUBNORMAL, -0.0, 0.0, SUBNORMAL, 1.0, NAN]),
    ],
)
def test_special_values(opcode: str, wanted: list[float]) -> None:
    got = single(opcode, np.array(SPECIAL, "f4"))
    np.testing.assert_allclose(got, np.array(wanted, "f4"), rtol=5e-7, atol=0)
    signs = np.signbit(got) == np.signbit(np.array(wanted, "f4"))
    assert signs[~np.isnan(got)].all()


def test_results_below_the_normal_numbers() -> None:
    given = np.array([-127.0, -149.0, -151.0, 128.0], "f4")
    assert single("ex2.approx.f32", given).view("u4").tolist() == [1 << 22, 1, 0, 0x7F800000]
    assert single("ex2.approx.ftz.f32", given).view("u4").tolist() == [0, 0, 0, 0x7F800000]


@pytest.mark.parametrize(("name", "function"), [("ex2", np.exp2), ("tanh", np.tanh)])
def test_half_precision_forms_cut_the_result(name: str, function: Function) -> None:
    """All f16, in both halves of a pair; a little slack, for f32 results just beside an f16."""
    everything = np.arange(1 << 16, dtype="u2").view("f2")
    got = apply(f"{name}.approx.f16", ("f16",), "f16", everything)
    with np.errstate(all="ignore"):
        exact = function(everything.astype("f8"))
        exact = np.where(np.abs(exact) >= 65536, np.inf, exact)
        size, result = np.abs(exact), np.abs(got.astype("f8"))
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(got[~finite], exact[~finite].astype("f2"))
    unit = np.spacing(np.abs(got[finite])).astype("f8")
    assert (result[finite] <= size[finite] * (1 + 1e-6)).all()
    assert (size[finite] - result[finite] <= unit * 1.001).all()
    pairs = everything.view("u2") | everything[::-1].view("u2").astype("u4") << 16
    both = apply(f"{name}.approx.f16x2", ("f16x2",), "f16x2", pairs).view("f2").reshape(-1, 2)
    np.testing.assert_array_equal(both, np.stack([got, got[::-1]], axis=1))


def test_brain_float_forms() -> None:
    given = np.array([0x3F80, 0xC000, 0x7F80, 0x0001], "u2")
    got = apply("ex2.approx.ftz.bf16", ("bf16",), "bf16", given)
    assert [hex(v) for v in got] == ["0x4000", "0x3e80", "0x7f80", "0x3f80"]
    assert hex(apply("tanh.approx.bf16", ("bf16",), "bf16", given)[0]) == "0x3f42"


@pytest.mark.parametrize("opcode", ["div.approx.f32", "div.full.f32"])
def test_fast_divisions_are_near_the_quotient_and_often_not_it(opcode: str) -> None:
    """Within 2 ulp, as PTX says. A kernel that has to round a quotient once is not right with them."""
    a, b = uniform(-9, 9), uniform(1, 9)
    exact = a.astype("f8") / b
    got = apply(opcode, ("f32", "f32"), "f32", a, b)
    errors = np.abs(got - exact) / np.spacing(np.abs(exact).astype("f4"))
    assert errors.max() <= 2
    assert 0.1 < np.mean(got != exact.astype("f4")) < 0.5
    whole = np.arange(1, 50, dtype="f4")
    np.testing.assert_array_equal(apply(opcode, ("f32", "f32"), "f32", 8 * whole, np.full(49, 4, "f4")), 2 * whole)


def test_the_reciprocal_of_a_huge_divisor_is_zero_for_the_faster_division() -> None:
    a = np.array([1e38, -1e38, np.inf, 1e38, 1e38, 1.0], "f4")
    b = np.array([3e38, 3e38, 3e38, 8e37, np.inf, 0.0], "f4")
    got = apply("div.approx.f32", ("f32", "f32"), "f32", a, b)
    np.testing.assert_allclose(got, [0.0, -0.0, np.nan, 1.25, 0.0, np.inf], rtol=1e-6)
    full = apply("div.full.f32", ("f32", "f32"), "f32", a, b)
    np.testing.assert_allclose(full, [1 / 3, -1 / 3, np.inf, 1.25, 0.0, np.inf], rtol=1e-6)


@pytest.mark.parametrize(("opcode", "function"), [("rcp", np.reciprocal), ("rsqrt", lambda a: 1 / np.sqrt(a))])
def test_gross_approximations_of_doubles_have_an_upper_half_only(opcode: str, function: Function) -> None:
    values = RNG.uniform(1, 9, 1000)
    got = apply(f"{opcode}.approx.ftz.f64", ("f64",), "f64", values)
    assert not np.any(got.view("u8") & np.uint64(2**32 - 1))
    np.testing.assert_allclose(got, function(values), rtol=2.0**-18)
