"""Whole kernels on the emulator and on the oracle: the same memory afterwards, and the same text printed."""

from __future__ import annotations

import pytest

from .cases import CASES, Case
from .emulated import on_emulator
from .harness import assert_expected, assert_same, kernel_ptx, on_oracle


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.kernel)
def test_kernel(case: Case, workers: int) -> None:
    ptx = kernel_ptx(case.file)
    got, want = on_emulator(ptx, case, workers), on_oracle(ptx, case)
    assert_same(case, got, want)
    assert sorted(got.printed.splitlines()) == sorted(want.printed.splitlines())
    if case.expect:
        assert_expected(case, got.arrays)
