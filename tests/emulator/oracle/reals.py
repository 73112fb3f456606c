"""Floating-point instructions for one thread (PTX ISA, "Floating Point" and "Half Precision" instructions)."""

from __future__ import annotations

import math
from collections.abc import Callable

from . import floats
from .floats import FORMATS, Format, Value
from .words import PAIRS, Scalar, mask

ROUNDINGS = ("rn", "rz", "rm", "rp", "rna")


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


def property_test(mods: tuple[str, ...], kind: str) -> Scalar:
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
