"""Runs single instructions of the emulator on arrays of operands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cases import Case
from ..emulated import on_emulator
from ..instructions.rows import dtype
from ..ptx_gen import Op, module

Array = NDArray[Any]


def bits(values: Any, kind: str) -> Array:
    """Bit patterns as an array of a PTX type's own NumPy type."""
    unsigned = np.dtype(dtype(kind)).str.replace("i", "u").replace("f", "u")
    return np.atleast_1d(np.array(values)).astype(unsigned).view(dtype(kind))


def apply(text: str, inputs: tuple[str, ...], output: str, *arrays: Array) -> Array:
    """What an instruction makes of the operands; `text` as in `ptx_gen.Op`, or an opcode alone."""
    if "{d}" not in text:
        text += " {d}, " + ", ".join(f"{{{letter}}}" for letter in "abce"[: len(inputs)])
    count = len(arrays[0])
    operands = {f"in{index}": np.ascontiguousarray(a) for index, a in enumerate(arrays)}
    results = {"out0": np.zeros(count, dtype(output))}
    grid = (-(-count // 256), 1, 1)
    case = Case("", "apply", grid, (256, 1, 1), {**operands, **results, "n": count})
    return on_emulator(module((Op(text, output),), inputs), case).arrays["out0"]
