"""Random divergent control flow: emulator and oracle against each thread's path computed in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .cases import Case
from .emulated import on_emulator
from .harness import compile_ptx, on_oracle
from .random_programs import (
    VARIABLES,
    c_source,
    structured,
    structured_result,
    tangled,
    tangled_ptx,
    tangled_result,
)

THREADS = 70
"""Two whole warps and a part of a third."""

few = settings(
    max_examples=30,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def starts(seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 50, (THREADS, VARIABLES)).astype("u4")


def check(ptx: str, start: np.ndarray[Any, Any], expected: list[int]) -> None:
    case = Case("", "run", (2, 1, 1), (THREADS // 2, 1, 1), {"in": start, "out": np.zeros(THREADS, "u4")})
    np.testing.assert_array_equal(on_oracle(ptx, case).arrays["out"], expected, err_msg="the oracle is wrong")
    np.testing.assert_array_equal(on_emulator(ptx, case).arrays["out"], expected)


@few
@given(program=structured, seed=st.integers(0, 99))
def test_structured_programs(program: Any, seed: int) -> None:
    start = starts(seed)
    check(compile_ptx(c_source(program)), start, [structured_result(program, row) for row in start.tolist()])


@few
@given(program=tangled(), seed=st.integers(0, 99))
def test_tangled_programs(program: Any, seed: int) -> None:
    start = starts(seed)
    check(tangled_ptx(program), start, [tangled_result(program, row) for row in start.tolist()])
