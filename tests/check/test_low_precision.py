"""Low precision is said where it explains the errors, and not where terms are left out, counted twice or scaled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import WrongKind
from grader.problem import load_problem
from grader.problem.inputs import families

from .problems import MATMUL, ROOT, case
from .simulated import TF32, matmul, products

SOFTMAX, LAYER_NORM, GELU = (load_problem(ROOT / name) for name in ("softmax", "layer_norm", "gelu"))

Made = Callable[..., Any]


def kind_of(problem: Any, family: str, got: Any, sizes: dict[str, int], inputs: Any) -> WrongKind | None:
    (output,) = problem.outputs
    kind: WrongKind | None = check_case(problem, sizes, family, inputs, {output: np.asarray(got, np.float32)})[1]
    return kind


def without(at: int, left: Any, right: Any) -> Any:
    return np.delete(left, at, axis=1), np.delete(right, at, axis=0)


def term(at: int, a: Any, b: Any) -> Any:
    return np.outer(a[:, at].astype(np.float64), b[at].astype(np.float64))


def half_sums(a: Any, b: Any, terms: int = 16) -> Any:
    """Sums of so many terms in fp16, and these in float32."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, a.shape[1], terms):
        part = np.zeros_like(total, np.float16)
        for products_of in np.moveaxis(products(a[:, k : k + terms], b[k : k + terms]), -1, 0):
            part = (part.astype(np.float64) + products_of).astype(np.float16)
        total = total + part
    return total


def in_float64(a: Any, b: Any) -> Any:
    return a.astype(np.float64) @ b.astype(np.float64)


WRONG_SUMS: dict[str, Made] = {
    "first term left out": lambda a, b: in_float64(*without(0, a, b)),
    "last term left out": lambda a, b: in_float64(*without(-1, a, b)),
    "a term twice": lambda a, b: in_float64(a, b) + term(5, a, b),
    "last tile left out": lambda a, b: in_float64(a[:, :-16], b[:-16]),
    "a factor of 1.001": lambda a, b: in_float64(a, b) * 1.001,
    "a factor of 0.999": lambda a, b: in_float64(a, b) * 0.999,
    "two columns swapped": lambda a, b: in_float64(a, b)[:, ::-1],
}
ROUGH_SUMS: dict[str, Made] = {
    "TF32 in A": lambda a, b: matmul(TF32(a), b),
    "fp16 sums of 16": half_sums,
    "fp16 sums of 64": lambda a, b: half_sums(a, b, 64),
}


@pytest.mark.parametrize("terms", [100, 700, 3000])
@pytest.mark.parametrize("name", WRONG_SUMS)
def test_sums_of_other_terms_are_wrong_values(name: str, terms: int) -> None:
    for family in families(MATMUL):
        sizes, inputs = case(MATMUL, family, seed=terms, M=9, N=terms, K=11)
        if family == "exact" and name in ("last term left out", "first term left out", "a term twice") and terms > 1024:
            # Most terms of these are zeros: nothing is wrong.
            continue
        got = WRONG_SUMS[name](inputs["A"], inputs["B"])
        assert kind_of(MATMUL, family, got, sizes, inputs) is WrongKind.WRONG_VALUE, family


@pytest.mark.parametrize("terms", [100, 700])
@pytest.mark.parametrize("name", ROUGH_SUMS)
def test_sums_of_rounded_terms_are_of_low_precision(name: str, terms: int) -> None:
    sizes, inputs = case(MATMUL, "normal", seed=terms, M=9, N=terms, K=11)
    got = ROUGH_SUMS[name](inputs["A"], inputs["B"])
    assert kind_of(MATMUL, "normal", got, sizes, inputs) is WrongKind.LOW_PRECISION


def softmax(x: Any, divisor: Made = lambda e: e.sum(axis=1, keepdims=True), exp: Made = np.exp) -> Any:
    e = exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return e / divisor(e)


def half(x: Any) -> Any:
    return x.astype(np.float16).astype(np.float64)


WRONG_SOFTMAX: dict[str, Made] = {
    "an element left out": lambda x: softmax(x, lambda e: e[:, :-1].sum(axis=1, keepdims=True)),
    "an element twice": lambda x: softmax(x, lambda e: e.sum(axis=1, keepdims=True) + e[:, :1]),
    "a factor of 1.001": lambda x: softmax(x) * 1.001,
    "a divisor that is off": lambda x: softmax(x, lambda e: e.sum(axis=1, keepdims=True) + 0.5),
}


@pytest.mark.parametrize("length", [200, 2000])
@pytest.mark.parametrize("name", WRONG_SOFTMAX)
def test_a_divisor_of_other_elements_is_a_wrong_value(name: str, length: int) -> None:
    sizes, inputs = case(SOFTMAX, "normal", M=7, N=length)
    got = WRONG_SOFTMAX[name](inputs["input"])
    assert kind_of(SOFTMAX, "normal", got, sizes, inputs) is WrongKind.WRONG_VALUE


@pytest.mark.parametrize("changed", [0.0, 2.0], ids=["left out", "twice"])
def test_an_element_far_beyond_the_others_is_a_wrong_value(changed: float) -> None:
    """One of a thousand is taken for another number; the others of its row are off by little."""
    sizes, inputs = case(SOFTMAX, "constant", seed=1, M=3, N=3000)
    x = inputs["input"].copy()
    x[:, 1500] = 1.0 + changed * x[:, 1500]
    assert kind_of(SOFTMAX, "constant", softmax(x), sizes, inputs) is WrongKind.WRONG_VALUE


@pytest.mark.parametrize(
    "rough", [lambda x: softmax(half(x)), lambda x: softmax(x, exp=lambda y: half(np.exp(y)))], ids=["inputs", "exp"]
)
def test_half_precision_in_a_softmax_is_of_low_precision(rough: Made) -> None:
    sizes, inputs = case(SOFTMAX, "normal", M=7, N=200)
    assert kind_of(SOFTMAX, "normal", rough(inputs["input"]), sizes, inputs) is WrongKind.LOW_PRECISION


def layer_norm(input: Any, weight: Any, bias: Any, less: int = 0, rounded: Made = lambda x: x) -> Any:
    x = input.astype(np.float64)
    middle = rounded(x - x.mean(axis=1, keepdims=True))
    deviation = np.sqrt((middle**2).sum(axis=1, keepdims=True) / (x.shape[1] - less) + 1e-5)
    return middle / deviation * weight + bias


@pytest.mark.parametrize("length", [100, 400])
def test_a_variance_that_divides_by_one_less_is_a_wrong_value(length: int) -> None:
    sizes, inputs = case(LAYER_NORM, "normal", M=7, N=length)
    assert kind_of(LAYER_NORM, "normal", layer_norm(**inputs), sizes, inputs) is None
    got = layer_norm(**inputs, less=1)
    assert kind_of(LAYER_NORM, "normal", got, sizes, inputs) is WrongKind.WRONG_VALUE
    rough = layer_norm(**inputs, rounded=half)
    assert kind_of(LAYER_NORM, "normal", rough, sizes, inputs) is WrongKind.LOW_PRECISION


def test_coarse_intrinsics_are_of_low_precision_and_a_wrong_factor_is_not() -> None:
    sizes, inputs = case(GELU, "normal", N=2000)
    x = inputs["input"].astype(np.float64)
    power = np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    # As ex2.approx.f16: off by up to 2^-10 of itself, up and down as its argument goes.
    rough = x / (1 + power * (1 + 2.0**-10.5 * np.sin(150 * x)))
    assert kind_of(GELU, "normal", rough, sizes, inputs) is WrongKind.LOW_PRECISION
    assert kind_of(GELU, "normal", x / (1 + power) * 1.001, sizes, inputs) is WrongKind.WRONG_VALUE


def test_what_tensor_cores_round_half_away_is_named() -> None:
    for family in ("exact", "normal"):
        sizes, inputs = case(MATMUL, family, M=20, N=40, K=30)
        bits = [((inputs[name].view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32) for name in "AB"]
        (output,) = MATMUL.outputs
        message = check_case(MATMUL, sizes, family, inputs, {output: matmul(*bits)})[2]
        assert "TF32" in message and "inputs (2^-11)" in message
