"""Matrix products that tensor cores add, by a model of them: truncating sums are right, inputs of few bits are not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from grader.check import check_case
from grader.check.compare import compare
from grader.check.formats import FP16, keep_bits
from grader.check.tolerance import UNIT, bounds
from grader.core.verdict import Verdict, WrongKind
from grader.problem import load_problem
from grader.problem.inputs import HOST

from .problems import MATMUL, REDUCE, ROOT, case

FILE = Path(__file__).parents[2] / "benchmarks" / "precision_table.py"
TERMS = (64, 640, 2490, 8192)

TF32, TF32_TRUNCATED = keep_bits(10, nearest=True), keep_bits(10, nearest=False)


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("precision_table", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["precision_table"] = module
    spec.loader.exec_module(module)
    return module


table = _load()
HOPPER, AMPERE = {"tf32": (8, 2), "half": (16, 2)}, {"tf32": (4, 1), "half": (8, 1)}

Product = Callable[[Any, Any], Any]
TRUNCATING: dict[str, Product] = {
    "3xTF32 on Hopper": lambda a, b: table.split_product(a, b, 10, 1, *HOPPER["tf32"]),
    "3xTF32 on Ampere": lambda a, b: table.split_product(a, b, 10, 1, *AMPERE["tf32"]),
    "bf16x9 on Hopper": lambda a, b: table.split_product(a, b, 7, 4, *HOPPER["half"]),
    "bf16x9 on Ampere": lambda a, b: table.split_product(a, b, 7, 4, *AMPERE["half"]),
    "truncated additions": lambda a, b: table.in_turn(a, b, table.towards_zero),
}
FEW_BITS: dict[str, Product] = {
    "TF32": lambda a, b: table.tensor_core([(TF32(a), TF32(b))], *HOPPER["tf32"]),
    "TF32 truncated": lambda a, b: table.tensor_core([(TF32_TRUNCATED(a), TF32_TRUNCATED(b))], *HOPPER["tf32"]),
    "fp16": lambda a, b: table.tensor_core([(FP16.round(a), FP16.round(b))], *HOPPER["half"]),
    "bf16": lambda a, b: table.split_product(a, b, 7, 0, *HOPPER["half"]),
    "TF32 in A alone": lambda a, b: table.tensor_core([(TF32(a), x) for x in table.parts(b, 10, 2)], *HOPPER["tf32"]),
}


@lru_cache
def sixty_four(terms: int, family: str = "normal") -> tuple[dict[str, int], Any]:
    made: tuple[dict[str, int], Any] = case(MATMUL, family, seed=5, M=8, N=terms, K=8)
    return made


def verdict_of(product: Product, sizes: dict[str, int], family: str, inputs: Any) -> tuple[Verdict, Any]:
    got = product(inputs["A"], inputs["B"])
    return check_case(MATMUL, sizes, family, inputs, {"C": got})[:2]


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("name", TRUNCATING)
def test_sums_that_truncate_are_right_at_all_sizes(name: str, terms: int) -> None:
    sizes, inputs = sixty_four(terms)
    assert verdict_of(TRUNCATING[name], sizes, "normal", inputs)[0] is Verdict.ACCEPTED


@pytest.mark.parametrize("name", TRUNCATING)
def test_truncation_leaves_exact_sums_alone(name: str) -> None:
    for terms in (64, 1030):
        sizes, inputs = sixty_four(terms, "exact")
        assert verdict_of(TRUNCATING[name], sizes, "exact", inputs)[0] is Verdict.ACCEPTED


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("name", FEW_BITS)
def test_inputs_of_few_bits_are_refused_at_all_sizes(name: str, terms: int) -> None:
    sizes, inputs = sixty_four(terms)
    assert verdict_of(FEW_BITS[name], sizes, "normal", inputs)[1] is WrongKind.LOW_PRECISION


@pytest.mark.parametrize("name", ["3xTF32 on Ampere", "bf16x9 on Ampere"])
def test_a_lone_element_may_be_truncated_too(name: str) -> None:
    for seed in range(5):
        sizes, inputs = case(MATMUL, "normal", seed=seed, M=1, N=2490, K=1)
        assert verdict_of(TRUNCATING[name], sizes, "normal", inputs)[0] is Verdict.ACCEPTED


def test_inputs_of_one_sign_may_be_truncated() -> None:
    sizes, inputs = sixty_four(2490)
    inputs = {name: np.abs(values) for name, values in inputs.items()}
    assert verdict_of(TRUNCATING["3xTF32 on Hopper"], sizes, "normal", inputs)[0] is Verdict.ACCEPTED
    assert verdict_of(FEW_BITS["TF32 truncated"], sizes, "normal", inputs)[0] is Verdict.WRONG_ANSWER


def wrong(share: float, terms: int, scatter: float = 0.0) -> int:
    """How many elements are wrong whose results grow by this many u of themselves, with a scatter of so many u Q."""
    sizes, inputs = case(MATMUL, "normal", M=40, N=terms, K=40)
    bound = bounds(MATMUL, sizes, "normal", inputs)["C"]
    assert bound.truncation is not None
    noise = np.random.default_rng(3).standard_normal(bound.reference.shape) * scatter * bound.truncation.spread
    got = (bound.reference * (1 + share * UNIT) + noise * UNIT).astype(np.float32)
    return compare(bound, got, np.zeros(got.shape, bool)).count


def test_only_what_truncation_explains_is_taken_out() -> None:
    assert not wrong(-150, 512)
    # Away from zero, more than one truncation for each term, and with more scatter than comes of this share.
    assert wrong(150, 512)
    assert wrong(-600, 512)
    assert not wrong(-150, 512, scatter=100)
    assert wrong(-150, 512, scatter=300)
    assert wrong(0, 512, scatter=100)


@pytest.mark.parametrize("factor", [1 - 1e-3, 1 + 1e-3, 1 - 1e-4, 1 + 1e-5])
def test_a_wrong_factor_is_no_truncation(factor: float) -> None:
    assert wrong((factor - 1) / UNIT, 640)


def test_elements_that_are_far_off_leave_the_others_right() -> None:
    sizes, inputs = sixty_four(2490)
    got = TRUNCATING["3xTF32 on Ampere"](inputs["A"], inputs["B"])
    got[2, 3] += 50
    got[5, 5] = np.nan
    bound = bounds(MATMUL, sizes, "normal", inputs)["C"]
    found = compare(bound, got, np.zeros(got.shape, bool))
    assert np.argwhere(found.wrong).tolist() == [[2, 3], [5, 5]]


def test_sums_of_one_array_have_to_be_rounded() -> None:
    sizes, inputs = case(REDUCE, "normal", N=1000)
    assert bounds(REDUCE, sizes, "normal", inputs)["output"].truncation is None


def test_the_table_is_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(a: Any, b: Any) -> Any:
        raise RuntimeError("no such instruction")

    rows = [row for row in table.ROWS if row.name in ("fp32, in turn", "bf16 inputs")]
    rows.append(table.Row("broken", "none", True, fails))
    assert table.run(table.simulated, HOST, [64, 128], 16, rows) == 2
    printed = capsys.readouterr()
    assert "| product | N = 64 | N = 128 |" in printed.out and printed.out.count("| broken | failed | failed |") == 3
    over = {line.split(" | ")[0]: line for line in printed.out.split("\n\n")[1].splitlines()[2:]}
    assert float(over["| fp32, in turn"].split(" | ")[1]) < 1
    assert float(over["| bf16 inputs"].split(" | ")[1]) > 100
    assert "broken, N = 64: RuntimeError: no such instruction" in printed.err


BYTES = load_problem(ROOT / "matmul_fp8")
FP8 = (32, -10)
"""Terms of a step and bits kept of fp8 products: 13 behind the exponent of the largest."""


def fp8_verdict(family: str, seed: int, terms: int, added_up_after: int) -> Verdict:
    """Of a kernel on a tensor core that adds its sums to floats of its own after so many terms."""
    sizes, inputs = case(BYTES, family, seed=seed, M=48, N=terms, K=56)
    a, b = (BYTES.operands[name].numbers(inputs[name]).astype(np.float32) for name in "AB")
    pieces = [slice(first, first + added_up_after) for first in range(0, terms, added_up_after)]
    sums = sum(table.tensor_core([(a[:, piece], b[:, piece].T)], *FP8) for piece in pieces)
    scaled = sums * inputs["scale_a"][:, None] * inputs["scale_b"]
    return check_case(BYTES, sizes, family, inputs, {"C": BYTES.outputs["C"].rounded(scaled.astype(np.float64))})[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", ["normal", "wide", "peak", "opposed", "constant"])
def test_fp8_products_may_lose_what_tensor_cores_do(family: str, seed: int) -> None:
    # Where one product is far above the others, few terms lose the most beside their sum.
    assert {fp8_verdict(family, seed, terms, 128) for terms in (33, 135, 1000)} == {Verdict.ACCEPTED}


def test_fp8_products_of_one_sum_of_the_tensor_core_lose_too_much() -> None:
    assert fp8_verdict("opposed", 1, 1000, 1000) is Verdict.WRONG_ANSWER
