"""Arithmetic on bytes and halves of a register, against NumPy on arrays of those; the forms that are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grader.run.emulator.errors import UnsupportedPtx

from .apply import Array, apply

RNG = np.random.default_rng(6)
WORDS = [RNG.integers(0, 1 << 32, 256, dtype="u4") for _ in range(3)]
OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}


@pytest.mark.parametrize("modifier", ["", ".sat", ".add"])
@pytest.mark.parametrize("sign", ["u", "s"])
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", OPERATIONS)
def test_parts(name: str, count: int, sign: str, modifier: str) -> None:
    size = 4 // count
    kind = np.dtype(f"{'i' if sign == 's' else 'u'}{size}")
    a, b = (w.view(kind).astype("i4").reshape(-1, count) for w in WORDS[:2])
    parts = OPERATIONS[name](a, b)
    if modifier == ".sat":
        parts = np.clip(parts, np.iinfo(kind).min, np.iinfo(kind).max)
    wanted = parts.astype(kind).view("u4").ravel()
    if modifier == ".add":
        wanted = (parts.sum(axis=1) + WORDS[2].astype("i8")).astype("u4")
    opcode = f"{name}{count}.{sign}32.{sign}32.{sign}32{modifier}"
    np.testing.assert_array_equal(apply(opcode, ("b32",) * 3, "b32", *WORDS), wanted)


@pytest.mark.parametrize(
    "text",
    [
        "vadd.u32.u32.u32 {d}.h1, {a}, {b}, {c}",
        "vadd.s32.s32.s32.sat {d}.b0, {a}, {b}, {c}",
        "vadd.u32.u32.u32.sat {d}, {a}, {b}",
        "vadd.u32.u32.u32.min {d}, {a}, {b}, {c}",
        "vshl.u32.u32.u32.sat.clamp {d}, {a}, {b}",
        "vset.s32.u32.lt.min {d}, {a}, {b}, {c}",
        "vmad.u32.u32.u32.shr15 {d}, {a}.h0, {b}.h0, {c}",
        "vmad.s32.u32.s32.sat {d}, {a}, {b}, {c}",
    ],
)
def test_what_gpus_compute_otherwise_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedPtx, match=r"this form of v.*GPUs compute it otherwise"):
        apply(text, ("b32",) * 3, "b32", *WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "vadd.u32.u32.u32.add {d}.b0, {a}, {b}, {c}",
        "vmad.s32.s32.s32.po {d}, -{a}, {b}, {c}",
        "vadd2.u32.u32.u32.sat.add {d}, {a}, {b}, {c}",
        "add.u32 {d}, {a}.b0, {b}",
        "add.s32 {d}, -{a}, {b}",
    ],
)
def test_what_is_no_ptx_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedPtx):
        apply(text, ("b32",) * 3, "b32", *WORDS)
