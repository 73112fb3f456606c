"""Integer instructions for one thread (PTX ISA, "Integer Arithmetic", "Logic and Shift", "prmt")."""

from __future__ import annotations

from collections.abc import Callable

from .words import Scalar, clamp, integer, mask, width


def quotient(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


INTEGER_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "min": min,
    "max": max,
    "div": quotient,
    "rem": lambda a, b: a - b * quotient(a, b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def product(base: str, mods: tuple[str, ...], kind: str) -> Scalar:
    """mul, mad, mul24, mad24 and their carries: which half of the product is kept, and what is added to it."""
    n = width(kind)
    short = "24" in base

    def operand(bits: int) -> int:
        x = integer(bits, kind)
        if not short:
            return x
        x &= mask(24)
        return x - (1 << 24) if kind[0] == "s" and x >> 23 else x

    def multiply(a: int, b: int) -> int:
        p = operand(a) * operand(b)
        if "wide" in mods:
            return p
        if "hi" in mods:
            return p >> (16 if short else n)
        return p & mask(n)

    if base.startswith("mul"):
        return lambda a, b: multiply(a, b) & mask(64 if "wide" in mods and n == 32 else 32 if "wide" in mods else n)
    wide = 2 * n if "wide" in mods else n
    sum_kind = f"{kind[0]}{wide}"
    if "cc" in mods or base == "madc":

        def with_carry(a: int, b: int, c: int, carry: int) -> tuple[int, int]:
            total = (multiply(a, b) & mask(n)) + (c & mask(n)) + (carry if base == "madc" else 0)
            return total & mask(n), total >> n

        return with_carry

    def add(a: int, b: int, c: int) -> int:
        if "sat" in mods:
            return clamp(integer(multiply(a, b), kind) + integer(c, kind), kind) & mask(n)
        return (multiply(a, b) + integer(c, sum_kind)) & mask(wide)

    return add


def carry(base: str, kind: str) -> Scalar:
    n = width(kind)

    def add(a: int, b: int, cf: int) -> tuple[int, int]:
        total = (a & mask(n)) + (b & mask(n)) + (cf if base == "addc" else 0)
        return total & mask(n), total >> n

    def subtract(a: int, b: int, cf: int) -> tuple[int, int]:
        # The carry out of a + ~b + 1, so it is set where nothing is borrowed; the compiler's 128-bit division
        # reads it with addc after a subtraction.
        total = (a & mask(n)) + (~b & mask(n)) + (cf if base == "subc" else 1)
        return total & mask(n), total >> n

    return add if base.startswith("add") else subtract


def count_leading(bits: int, n: int) -> int:
    return n - (bits & mask(n)).bit_length()


def find_bit(a: int, kind: str, shift_amount: bool) -> int:
    n = width(kind)
    x = integer(a, kind)
    top = (~x if x < 0 else x).bit_length() - 1
    return mask(32) if top < 0 else n - 1 - top if shift_amount else top


def find_nth_set(bits: int, base: int, offset: int) -> int:
    base, offset = base & mask(32), integer(offset, "s32")
    if offset == 0:
        return base if base < 32 and bits >> base & 1 else mask(32)
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [p for p in places if bits >> p & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else mask(32)


def extract_bits(a: int, b: int, c: int, kind: str) -> int:
    n, pos, length = width(kind), b & 255, c & 255
    a &= mask(n)
    sign = a >> min(pos + length - 1, n - 1) & 1 if kind[0] == "s" and length else 0
    return sum((a >> (pos + i) & 1 if i < length and pos + i < n else sign) << i for i in range(n))


def insert_bits(a: int, b: int, c: int, d: int, n: int) -> int:
    pos, length = c & 255, d & 255
    field = mask(min(length, max(n - pos, 0))) << pos
    return ((b & ~field) | (a << pos & field)) & mask(n)


def lookup(a: int, b: int, c: int, table: int) -> int:
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))


def shift(base: str, kind: str) -> Scalar:
    n = width(kind)
    if base == "shl":
        return lambda a, b: (a << min(b & mask(32), n)) & mask(n)
    return lambda a, b: (integer(a, kind) >> min(b & mask(32), n)) & mask(n)


def funnel(mods: tuple[str, ...]) -> Scalar:
    def shf(a: int, b: int, c: int) -> int:
        n = c & 31 if "wrap" in mods else min(c & mask(32), 32)
        both = (b & mask(32)) << 32 | (a & mask(32))
        return (both << n >> 32 if "l" in mods else both >> n) & mask(32)

    return shf


def permute(mods: tuple[str, ...]) -> Scalar:
    mode = next((m for m in mods if m != "b32"), "")

    def selectors(c: int) -> list[int]:
        s = c & 3
        table = {
            "f4e": [s, s + 1, s + 2, s + 3],
            "b4e": [s, (s - 1) & 7, (s - 2) & 7, (s - 3) & 7],
            "rc8": [s] * 4,
            "ecl": [max(i, s) for i in range(4)],
            "ecr": [min(i, s) for i in range(4)],
            "rc16": [2 * (s & 1), 2 * (s & 1) + 1] * 2,
        }
        return table[mode] if mode else [c >> (4 * i) & 15 for i in range(4)]

    def prmt(a: int, b: int, c: int) -> int:
        source = (b & mask(32)) << 32 | (a & mask(32))
        result = 0
        for i, s in enumerate(selectors(c)):
            byte = source >> 8 * (s & 7) & 255
            if s & 8:
                byte = 255 if byte >> 7 else 0
            result |= byte << 8 * i
        return result

    return prmt


def dot_product(base: str, mods: tuple[str, ...]) -> Scalar:
    a_kind, b_kind = mods[-2], mods[-1]
    high = 2 if "hi" in mods else 0

    def dot(a: int, b: int, c: int) -> int:
        if base == "dp4a":
            pairs = [(a >> 8 * i, b >> 8 * i, 8) for i in range(4)]
        else:
            pairs = [(a >> 16 * i, b >> 8 * (i + high), 16) for i in range(2)]
        total = sum(integer(x, f"{a_kind[0]}{n}") * integer(y, f"{b_kind[0]}8") for x, y, n in pairs)
        return (c + total) & mask(32)

    return dot
