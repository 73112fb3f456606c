"""Compiles kernels for the tests, builds launches, and runs them on the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.compile.toolkit import find_toolkit

from . import oracle, ptx_gen
from .cases import Case
from .instructions import Family
from .instructions.rows import dtype

KERNELS = Path(__file__).parent / "kernels"
Arrays = dict[str, NDArray[Any]]


@cache
def compile_ptx(source: str, name: str = "test.cu") -> str:
    """PTX of CUDA C++ by NVRTC, with line information."""
    from cupy.cuda import nvrtc

    options = ["-arch=compute_89", "-lineinfo", "--device-int128", *(f"-I{i}" for i in find_toolkit().includes)]
    program = nvrtc.createProgram(source, name, (), ())
    try:
        nvrtc.compileProgram(program, options)
    except nvrtc.NVRTCError as error:
        raise AssertionError(nvrtc.getProgramLog(program)) from error
    text = nvrtc.getPTX(program)
    return str(text.decode() if isinstance(text, bytes) else text)


@cache
def kernel_ptx(file: str) -> str:
    text = (KERNELS / file).read_text()
    return text if file.endswith(".ptx") else compile_ptx(text, file)


def scalar_bytes(value: Any) -> bytes:
    return np.int32(value).tobytes() if isinstance(value, int) else np.asarray(value).tobytes()


@dataclass(frozen=True)
class Outcome:
    arrays: Arrays
    printed: str


def on_oracle(ptx: str, case: Case) -> Outcome:
    memory = oracle.Memory()
    arguments = [
        memory.place(k, v).to_bytes(8, "little") if isinstance(v, np.ndarray) else scalar_bytes(v)
        for k, v in case.arguments.items()
    ]
    printed = oracle.run(ptx, case.kernel, case.grid, case.block, arguments, memory, case.shared_bytes)
    return Outcome({k: memory.read(k).copy() for k, v in case.arguments.items() if isinstance(v, np.ndarray)}, printed)


@cache
def family_ptx(family: Family) -> str:
    return ptx_gen.module(tuple(row.op for row in family.rows), family.inputs)


def family_case(family: Family, operands: list[NDArray[Any]]) -> Case:
    """One launch for all rows of the family; the results are `out0`, `out1` and so on."""
    count = len(operands[0])
    outputs = {f"out{i}": np.zeros(count, dtype(row.output)) for i, row in enumerate(family.rows)}
    inputs = {f"in{i}": a for i, a in enumerate(operands)}
    return Case("", "apply", (-(-count // 64), 1, 1), (64, 1, 1), {**inputs, **outputs, "n": count})


def assert_expected(case: Case, after: Arrays) -> None:
    """The buffers hold what NumPy computes from the buffers as they were."""
    assert case.expect
    for name, wanted in case.expect({k: v for k, v in case.arguments.items() if isinstance(v, np.ndarray)}).items():
        np.testing.assert_allclose(after[name], wanted, rtol=case.tolerance, atol=case.tolerance, err_msg=name)


UNDEFINED = {"aggregated_counter": [1]}
"""Elements whose value depends on which lanes stay together: not compared."""


def assert_same(case: Case, got: Outcome, want: Outcome) -> None:
    """The same buffers, bit by bit but for NaN, or within the case's tolerance."""
    for name, array in want.arrays.items():
        mine, other = (np.delete(a, UNDEFINED.get(case.kernel, [])) for a in (got.arrays[name], array))
        if case.tolerance:
            np.testing.assert_allclose(mine, other, rtol=case.tolerance, atol=case.tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(mine, other, err_msg=name)
