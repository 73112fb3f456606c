"""Carry chains: wide integers in words, predicated links, and chains that leave their basic block."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import UnsupportedPtx

from .apply import Array, apply

RNG = np.random.default_rng(4)
EDGES = [0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 2**64 - 2**32, 0x0123456789ABCDEF]


def words(count: int = 200) -> Array:
    values = RNG.integers(0, 1 << 64, count, dtype="u8", endpoint=False)
    values[: len(EDGES)] = RNG.permutation(np.array(EDGES, "u8"))
    return values


def numbers(*arrays: Array) -> zip[tuple[int, ...]]:
    return zip(*(a.tolist() for a in arrays), strict=True)


def test_the_high_word_of_a_wide_sum() -> None:
    a, b, c, d = words(), words(), words(), words()
    got = apply("add.cc.u64 {d}, {a}, {b}; addc.u64 {d}, {c}, {e}", ("u64",) * 4, "u64", a, b, c, d)
    assert got.tolist() == [((z << 64 | x) + (w << 64 | y) >> 64) % 2**64 for x, y, z, w in numbers(a, b, c, d)]


def test_the_high_word_of_a_wide_difference() -> None:
    a, b, c, d = words(), words(), words(), words()
    got = apply("sub.cc.s64 {d}, {a}, {b}; subc.s64 {d}, {c}, {e}", ("u64",) * 4, "u64", a, b, c, d)
    assert got.tolist() == [((z << 64 | x) - (w << 64 | y) >> 64) % 2**64 for x, y, z, w in numbers(a, b, c, d)]


@pytest.mark.parametrize("kind", ["u64", "s64"])
def test_multiply_and_add_to_two_words(kind: str) -> None:
    a, b, c = (v.view("i8" if kind == "s64" else "u8") for v in (words(), words(), words()))
    text = f"mad.lo.cc.{kind} {{d}}, {{a}}, {{b}}, {{c}}; madc.hi.{kind} {{d}}, {{a}}, {{b}}, {{c}}"
    got = apply(text, (kind,) * 3, "u64", a, b, c)
    mask = 2**64 - 1
    wanted = [((x * y >> 64) + z + ((x * y & mask) + (z & mask) >> 64)) & mask for x, y, z in numbers(a, b, c)]
    assert got.tolist() == wanted


def test_a_link_that_some_threads_skip() -> None:
    """They keep the carry that was there."""
    a = np.array([0, 1, 2**32 - 1, 2**32 - 1], "u4")
    p = np.array([0, 1, 0, 1], "u4")
    text = "mov.b32 %t0, 0; add.cc.u32 %t1, {a}, 1; @{b} add.cc.u32 %t1, %t0, {a}; addc.u32 {d}, 0, 0"
    got = apply(text, ("u32", "pred"), "u32", a, p)
    assert got.tolist() == [0, 0, 1, 0]


def test_a_carry_from_another_block_is_refused() -> None:
    text = "add.cc.u32 %t0, {a}, {b}; bra $next; $next: addc.u32 {d}, 0, 0"
    one = np.ones(1, "u4")
    with pytest.raises(UnsupportedPtx, match="carry"):
        apply(text, ("u32", "u32"), "u32", one, one)
