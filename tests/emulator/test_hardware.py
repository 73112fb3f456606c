"""The instruction table and the oracle against a real GPU: the yardstick of the yardstick."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from .cases import CASES, Case
from .harness import Outcome, assert_same, family_case, family_ptx, kernel_ptx, on_oracle, scalar_bytes
from .instructions import FAMILIES, Family
from .instructions.rows import mismatches
from .operands import corner_cases, random_bits, typed


def gpu_present() -> bool:
    import cupy

    try:
        return bool(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")]


@cache
def loaded(ptx: str) -> Any:
    from cupy.cuda import function

    module = function.Module()
    module.load(ptx.encode())
    return module


def on_gpu(ptx: str, case: Case) -> Outcome:
    import cupy

    buffers = {k: cupy.asarray(v) for k, v in case.arguments.items() if isinstance(v, np.ndarray)}
    # An array of one element is passed by value, whatever its type.
    arguments = [
        np.uint64(buffers[k].data.ptr) if k in buffers else np.frombuffer(scalar_bytes(v), f"V{len(scalar_bytes(v))}")
        for k, v in case.arguments.items()
    ]
    loaded(ptx).get_function(case.kernel)(case.grid, case.block, arguments, shared_mem=case.shared_bytes)
    cupy.cuda.runtime.deviceSynchronize()
    return Outcome({k: cupy.asnumpy(v) for k, v in buffers.items()}, "")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_instructions(family: Family) -> None:
    operands = typed(corner_cases(family.inputs) + random_bits(family.inputs, 7, 400), family.inputs)
    arrays = on_gpu(family_ptx(family), family_case(family, operands)).arrays
    wrong = [text for i, row in enumerate(family.rows) for text in mismatches(row, operands, arrays[f"out{i}"])]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.kernel)
def test_kernels(case: Case) -> None:
    ptx = kernel_ptx(case.file)
    assert_same(case, on_gpu(ptx, case), on_oracle(ptx, case))
