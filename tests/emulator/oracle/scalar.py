"""What each PTX instruction computes for one thread: bit patterns in, bit patterns out.

Written from the PTX ISA's descriptions. Instructions that touch memory, other threads or the program counter
are elsewhere; here are comparison, conversion, and the table of all opcodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from . import floats, video
from .floats import BF16, F16, F32, FORMATS, Value
from .integers import (
    INTEGER_BINARY,
    carry,
    count_leading,
    dot_product,
    extract_bits,
    find_bit,
    find_nth_set,
    funnel,
    insert_bits,
    lookup,
    permute,
    product,
    shift,
)
from .reals import ROUNDINGS, arithmetic, finish, property_test
from .words import PAIRS, Scalar, clamp, integer, mask, width

COMPARISONS: dict[str, Callable[[int], bool]] = {
    "eq": lambda c: c == 0, "ne": lambda c: c != 0, "lt": lambda c: c < 0, "le": lambda c: c <= 0,
    "gt": lambda c: c > 0, "ge": lambda c: c >= 0, "lo": lambda c: c < 0, "ls": lambda c: c <= 0,
    "hi": lambda c: c > 0, "hs": lambda c: c >= 0,
}  # fmt: skip
BOOLEANS: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def comparison(mods: tuple[str, ...], kind: str) -> Callable[[int, int], int]:
    name = mods[0]
    if kind in FORMATS:
        f = FORMATS[kind]

        def compare_floats(a: int, b: int) -> int:
            if "ftz" in mods:
                a, b = floats.flush(a & mask(f.bits), f), floats.flush(b & mask(f.bits), f)
            order = floats.compare(floats.decode(a, f), floats.decode(b, f))
            if name in ("num", "nan"):
                return int((order is None) == (name == "nan"))
            if order is None:
                return int(name.endswith("u"))
            return int(COMPARISONS[name.removesuffix("u")](order))

        return compare_floats
    test = COMPARISONS[name]
    return lambda a, b: int(test(integer(a, kind) - integer(b, kind)))


def set_predicate(mods: tuple[str, ...]) -> Scalar:
    kind = mods[-1]
    combine = next((BOOLEANS[m] for m in mods if m in BOOLEANS), None)
    compare = comparison(mods, {"f16x2": "f16", "bf16x2": "bf16"}.get(kind, kind))

    def setp(a: int, b: int, c: int = 0) -> tuple[int, int]:
        first = compare(a, b)
        second = compare(a >> 16, b >> 16) if kind in PAIRS else 1 - first
        return (combine(first, c), combine(second, c)) if combine else (first, second)

    return setp


def set_value(mods: tuple[str, ...]) -> Scalar:
    to, kind = mods[-2], mods[-1]
    pair = kind in PAIRS
    setp = set_predicate(mods)
    f = {"f16x2": F16, "bf16x2": BF16}.get(to) or FORMATS.get(to)
    true = f.one if f else mask(16 if pair else width(to))

    def set_(a: int, b: int, c: int = 0) -> int:
        first, second = setp(a, b, c)  # type: ignore[misc]
        return (true if first else 0) | ((true if second else 0) << 16 if pair else 0)

    return set_


def select_by_sign(kind: str) -> Scalar:
    def slct(a: int, b: int, c: int) -> int:
        if kind == "s32":
            return a if integer(c, "s32") >= 0 else b
        return a if floats.compare(floats.decode(c, F32), floats.decode(0, F32)) in (0, 1) else b

    return slct


# Fields of bits, as the PTX ISA's own description has them


def bit_mask(mods: tuple[str, ...]) -> Scalar:
    def bmsk(position: int, size: int) -> int:
        beyond = "clamp" in mods and (position >= 32 or size >= 32)
        first = 0 if "clamp" in mods and position >= 32 else -1 << (position & 31)
        end = (position & 31) + (size & 31)
        behind = 0 if beyond or end >= 32 else -1 << end
        return first & ~behind & mask(32)

    return bmsk


def extend(mods: tuple[str, ...]) -> Scalar:
    def szext(bits: int, size: int) -> int:
        if "clamp" in mods and size >= 32:
            return bits & mask(32)
        size &= 31
        negative = mods[-1] == "s32" and size > 0 and bits >> size - 1 & 1
        above = -1 << size
        return (bits & ~above | (above if negative else 0)) & mask(32)

    return szext


# Conversion


def convert(mods: tuple[str, ...]) -> Scalar:
    to, source = mods[-2], mods[-1]
    mode = next((m for m in mods if m in ROUNDINGS), "rn")
    whole = next((m[:-1] for m in mods if m in ("rni", "rzi", "rmi", "rpi")), "")
    if to in PAIRS:
        half = convert((*mods[:-2], PAIRS[to].name, source))
        return lambda a, b: half(a) << 16 | half(b)  # type: ignore[operator]
    to_float, from_float = FORMATS.get(to), FORMATS.get(source)

    def cvt(bits: int) -> int:
        if from_float is None:
            x = integer(bits, source)
            if to_float:
                return finish(floats.encode(floats.from_integer(x), to_float, mode), to_float, mods)
            # A narrow result is sign-extended to whatever register receives it.
            return integer(clamp(x, to) if "sat" in mods else x, to) & mask(64)
        bits &= mask(from_float.bits)
        if "ftz" in mods and from_float is F32:
            bits = floats.flush(bits, from_float)
        v = floats.decode(bits, from_float)
        if to_float is None:
            n = width(to)
            if v.kind == "nan":
                return 1 << (n - 1) if n == 64 or source == "f64" else 0
            x = (-(1 << 200) if v.sign else 1 << 200) if v.kind == "inf" else floats.to_integer(v, whole)
            return clamp(x, to) & mask(64)
        if whole and v.kind == "finite":
            v = Value("finite", v.sign, abs(floats.to_integer(v, whole)), 0)
        return finish(
            floats.encode(v, to_float, mode), to_float, mods if to_float is F32 else tuple(set(mods) - {"ftz"})
        )

    return cvt


# The table


@cache
def semantics(opcode: str) -> Scalar:
    """The function of one thread's operand bits; with `.cc` or a carry-in it also takes and gives the carry.

    Raises `KeyError` for an opcode that the yardstick does not know.
    """
    base, *rest = opcode.split(".")
    mods = tuple(rest)
    kind = mods[-1] if mods else ""
    if base in ("mul", "mad", "madc", "mul24", "mad24") and kind[0] in "us":
        return product(base, mods, kind)
    if base == "prmt":
        return permute(mods)
    if base in video.NAMES:
        return video.video(opcode)
    if base in ("addc", "subc") or (base in ("add", "sub") and "cc" in mods):
        return carry(base, kind)
    if kind in FORMATS or kind in PAIRS:
        rule = arithmetic(base, mods, kind)
        if rule:
            return rule
    n = width(kind) if kind[:1] in ("b", "f", "s", "u") or kind == "pred" else 0
    if base in INTEGER_BINARY:
        operation = INTEGER_BINARY[base]
        if "sat" in mods:
            return lambda a, b: clamp(operation(integer(a, kind), integer(b, kind)), kind) & mask(n)
        return lambda a, b: operation(integer(a, kind), integer(b, kind)) & mask(n)
    rules: dict[str, Callable[[], Scalar]] = {
        "abs": lambda: lambda a: abs(integer(a, kind)) & mask(n),
        "neg": lambda: lambda a: -a & mask(n),
        "not": lambda: lambda a: ~a & mask(n),
        "cnot": lambda: lambda a: int(a & mask(n) == 0),
        "sad": lambda: lambda a, b, c: (c + abs(integer(a, kind) - integer(b, kind))) & mask(n),
        "popc": lambda: lambda a: (a & mask(n)).bit_count(),
        "clz": lambda: lambda a: count_leading(a, n),
        "bfind": lambda: lambda a: find_bit(a, kind, "shiftamt" in mods),
        "fns": lambda: find_nth_set,
        "brev": lambda: lambda a: int(f"{a & mask(n):0{n}b}"[::-1], 2),
        "bfe": lambda: lambda a, b, c: extract_bits(a, b, c, kind),
        "bfi": lambda: lambda a, b, c, d: insert_bits(a, b, c, d, n),
        "bmsk": lambda: bit_mask(mods),
        "szext": lambda: extend(mods),
        "lop3": lambda: lookup,
        "shl": lambda: shift(base, kind),
        "shr": lambda: shift(base, kind),
        "shf": lambda: funnel(mods),
        "dp4a": lambda: dot_product(base, mods),
        "dp2a": lambda: dot_product(base, mods),
        "testp": lambda: property_test(mods, kind),
        "copysign": lambda: lambda a, b: a & FORMATS[kind].sign_bit | b & FORMATS[kind].nan,
        "setp": lambda: set_predicate(mods),
        "set": lambda: set_value(mods),
        "selp": lambda: lambda a, b, c: (a if c else b) & mask(n),
        "slct": lambda: select_by_sign(kind),
        "cvt": lambda: convert(mods),
        "mov": lambda: lambda a: a & mask(n),
    }
    return rules[base]()
