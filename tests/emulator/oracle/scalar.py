"""What each PTX instruction computes for one thread: bit patterns in, bit patterns out.

Written from the PTX ISA's descriptions (sections "Integer Arithmetic" to "Data Movement and Conversion").
Instructions that touch memory, other threads or the program counter are in `machine.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from . import floats
from .floats import BF16, F16, F32, F64, FORMATS, Format, Value

Scalar = Callable[..., "int | tuple[int, ...]"]

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
ROUNDINGS = ("rn", "rz", "rm", "rp", "rna")
PAIRS = {"f16x2": F16, "bf16x2": BF16}


def width(kind: str) -> int:
    return 1 if kind == "pred" else 32 if kind in PAIRS else int(kind.lstrip("bfsu"))


def mask(n: int) -> int:
    return (1 << n) - 1


def integer(bits: int, kind: str) -> int:
    """The number that the low bits stand for in an integer type."""
    n = width(kind)
    bits &= mask(n)
    return bits - (1 << n) if kind[0] == "s" and bits >> (n - 1) else bits


def clamp(x: int, kind: str) -> int:
    n = width(kind)
    low, high = (-(1 << (n - 1)), mask(n - 1)) if kind[0] == "s" else (0, mask(n))
    return min(max(x, low), high)


# Integers


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


# Floats


def lanes_of(kind: str) -> tuple[Format, int]:
    return (PAIRS[kind], 2) if kind in PAIRS else (FORMATS[kind], 1)


def finish(bits: int, f: Format, mods: tuple[str, ...]) -> int:
    """.ftz, .sat and .relu, in that order."""
    if "ftz" in mods:
        bits = floats.flush(bits, f)
    v = floats.decode(bits, f)
    if "sat" in mods:
        if v.kind == "nan" or v.sign:
            return 0
        return min(bits, f.one)
    if "relu" in mods and v.kind != "nan" and v.sign:
        return 0
    return bits


def float_operation(kind: str, mods: tuple[str, ...], compute: Callable[..., int]) -> Scalar:
    """Applies `compute(values..., format)` to each half of a pair, or to the one number."""
    f, count = lanes_of(kind)

    def apply(*operands: int) -> int:
        result = 0
        for i in range(count):
            bits = [o >> f.bits * i & mask(f.bits) for o in operands]
            if "ftz" in mods:
                bits = [floats.flush(b, f) for b in bits]
            result |= finish(compute(*[floats.decode(b, f) for b in bits], f), f, mods) << f.bits * i
        return result

    return apply


def approximate(function: Callable[[float], float]) -> Callable[[Value, Format], int]:
    """The nearest value to the function's; the hardware's own error is a matter of the comparison."""

    def compute(a: Value, f: Format) -> int:
        if a.kind == "nan":
            return f.nan
        x = math.inf if a.kind == "inf" else floats.to_python(a._replace(sign=0))
        try:
            y = function(-x if a.sign else x)
        except ValueError:
            return f.nan
        except OverflowError:
            y = math.inf
        return f.nan if math.isnan(y) else floats.encode(floats.from_python(y), f)

    return compute


def log2(x: float) -> float:
    return -math.inf if x == 0 else math.log2(x)


def reciprocal_root(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)


def exp2(x: float) -> float:
    return 0.0 if x < -2000 else math.inf if x > 2000 else math.pow(2.0, x)


FUNCTIONS = {
    "sin": math.sin,
    "cos": math.cos,
    "lg2": log2,
    "ex2": exp2,
    "tanh": math.tanh,
    "rsqrt": reciprocal_root,
}


def extreme(base: str, mods: tuple[str, ...]) -> Callable[..., int]:
    def pick(a: Value, b: Value, f: Format) -> int:
        if "nan" in (a.kind, b.kind):
            if "NaN" in mods or a.kind == b.kind:
                return f.nan
            return floats.encode(b if a.kind == "nan" else a, f)
        order = floats.compare(a, b) or b.sign - a.sign
        chosen = a if (order < 0) == (base == "min") else b
        if "xorsign" in mods:
            magnitudes = a._replace(sign=0), b._replace(sign=0)
            larger = floats.compare(*magnitudes) == 1
            chosen = magnitudes[0 if larger == (base == "max") else 1]._replace(sign=a.sign ^ b.sign)
        return floats.encode(chosen, f)

    return pick


def arithmetic(base: str, mods: tuple[str, ...], kind: str) -> Scalar | None:
    mode = next((m for m in mods if m in ROUNDINGS), "rn")
    encode, decode = floats.encode, floats.decode
    rules: dict[str, Callable[..., int]] = {
        "add": lambda a, b, f: encode(floats.add(a, b, mode), f, mode),
        "sub": lambda a, b, f: encode(floats.add(a, floats.negate(b), mode), f, mode),
        "mul": lambda a, b, f: encode(floats.multiply(a, b), f, mode),
        "fma": lambda a, b, c, f: encode(floats.fma(a, b, c, mode), f, mode),
        "mad": lambda a, b, c, f: encode(floats.fma(a, b, c, mode), f, mode),
        "div": lambda a, b, f: floats.divide(a, b, f, mode),
        "rcp": lambda a, f: floats.divide(decode(f.one, f), a, f, mode),
        "sqrt": lambda a, f: floats.square_root(a, f, mode),
        "abs": lambda a, f: encode(a._replace(sign=0), f),
        "neg": lambda a, f: encode(floats.negate(a), f),
        "min": extreme("min", mods),
        "max": extreme("max", mods),
    }
    if base in FUNCTIONS:
        return float_operation(kind, mods, approximate(FUNCTIONS[base]))
    return float_operation(kind, mods, rules[base]) if base in rules else None


def test_property(mods: tuple[str, ...], kind: str) -> Scalar:
    f = FORMATS[kind]

    def test(bits: int) -> int:
        v = floats.decode(bits, f)
        normal = v.kind == "finite" and v.m.bit_length() == f.precision
        answers = {
            "finite": v.kind == "finite",
            "infinite": v.kind == "inf",
            "number": v.kind != "nan",
            "notanumber": v.kind == "nan",
            "normal": normal or v.is_zero,
            "subnormal": v.kind == "finite" and not normal and v.m != 0,
        }
        return int(answers[mods[0]])

    return test


# Comparison


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
        return finish(floats.encode(v, to_float, mode), to_float, mods if to_float is F32 else tuple(set(mods) - {"ftz"}))

    return cvt


# The table


@lru_cache(maxsize=None)
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
        "lop3": lambda: lookup,
        "shl": lambda: shift(base, kind),
        "shr": lambda: shift(base, kind),
        "shf": lambda: funnel(mods),
        "dp4a": lambda: dot_product(base, mods),
        "dp2a": lambda: dot_product(base, mods),
        "vabsdiff4": lambda: lambda a, b, c: (
            sum(abs((a >> i & 255) - (b >> i & 255)) << i for i in (0, 8, 16, 24)) & mask(32)
        ),
        "testp": lambda: test_property(mods, kind),
        "copysign": lambda: lambda a, b: a & FORMATS[kind].sign_bit | b & FORMATS[kind].nan,
        "setp": lambda: set_predicate(mods),
        "set": lambda: set_value(mods),
        "selp": lambda: lambda a, b, c: (a if c else b) & mask(n),
        "slct": lambda: select_by_sign(kind),
        "cvt": lambda: convert(mods),
        "mov": lambda: lambda a: a & mask(n),
    }
    return rules[base]()


__all__ = ["F64", "integer", "mask", "semantics", "width"]
