"""Whole kernels on the emulator and on the oracle: the same memory afterwards, and the same text printed."""

from __future__ import annotations

import numpy as np
import pytest

from .cases import CASES, Case
from .harness import assert_expected, kernel_ptx, on_emulator, on_oracle

RACY = {"aggregated_counter": [1]}
"""Elements whose value depends on which lanes the hardware keeps together: not compared."""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.kernel)
def test_kernel(case: Case, workers: int) -> None:
    ptx = kernel_ptx(case.file)
    got, want = on_emulator(ptx, case, workers), on_oracle(ptx, case)
    for name, array in want.arrays.items():
        mine = got.arrays[name]
        if case.kernel in RACY:
            mine, array = (np.delete(a, RACY[case.kernel]) for a in (mine, array))
        if case.tolerance:
            np.testing.assert_allclose(mine, array, rtol=case.tolerance, atol=case.tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(mine, array, err_msg=name)
    assert sorted(got.printed.splitlines()) == sorted(want.printed.splitlines())
    if case.expect:
        assert_expected(case, got.arrays)
