"""Floating-point arithmetic and comparison, in all widths and rounding modes."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ..exact import NAN, REALS, Array, arithmetic, each, flushed
from .rows import MODES, Reference, Table, bitwise, dtype, flat

ROWS = Table()
row = ROWS.row


def real(base: str, kind: str, *suffixes: str) -> None:
    count = {"fma": 3, "rcp": 1, "sqrt": 1}.get(base, 2)
    opcode = ".".join((base, *suffixes, kind))
    row(opcode, (kind,) * count, kind, bitwise(arithmetic(base, kind, suffixes), kind))


for k in ("f32", "f64"):
    for base, mode in itertools.product(("add", "sub", "mul", "fma", "div", "rcp", "sqrt"), MODES):
        real(base, k, mode)
    row(f"add.{k}", (k, k), k, np.add)
    row(f"sub.{k}", (k, k), k, np.subtract)
    row(f"mul.{k}", (k, k), k, np.multiply)
for base, mode in itertools.product(("add", "mul", "fma"), MODES):
    real(base, "f32", mode, "ftz")
    real(base, "f32", mode, "sat")
    real(base, "f32", mode, "ftz", "sat")
for base in ("div", "rcp", "sqrt"):
    real(base, "f32", "rn", "ftz")
    real(base, "f32", "rm", "ftz")
for base in ("add", "sub", "mul", "fma"):
    for suffixes in ((), ("ftz",), ("sat",)):
        real(base, "f16", *(("rn",) if base == "fma" or suffixes == () else ()), *suffixes)
real("fma", "f16", "rn", "relu")
real("fma", "bf16", "rn")
real("fma", "bf16", "rn", "relu")


def paired(kind: str, reference: Reference) -> Reference:
    """A reference for one half, on both halves of 32-bit operands."""

    def apply(*arrays: Array) -> Array:
        halves = [a.view("u2") for a in arrays]
        return reference(*halves).astype("u2").view("u4")

    return apply


for base in ("add", "sub", "mul"):
    row(f"{base}.f16x2", ("f16x2", "f16x2"), "f16x2", paired("f16", arithmetic(base, "f16", ("rn",))))
for base in ("f16", "bf16"):
    row(f"fma.rn.{base}x2", (f"{base}x2",) * 3, f"{base}x2", paired(base, arithmetic("fma", base, ("rn",))))


def smaller(kind: str, base: str, suffixes: tuple[str, ...]) -> Reference:
    r = REALS[kind]

    def one(a: int, b: int) -> int:
        if "ftz" in suffixes:
            a, b = flushed(r, a), flushed(r, b)
        x, y = r.value(a), r.value(b)
        if math.isnan(x) or math.isnan(y):
            return (
                NAN[kind]
                if "NaN" in suffixes or (math.isnan(x + 0 * 1) and math.isnan(y))
                else b
                if math.isnan(x)
                else a
            )
        if x == y:
            return (a | b) if base == "min" else (a & b)
        return a if (x < y) == (base == "min") else b

    return each(one)


for k in ("f32", "f64", "f16", "bf16"):
    for base in ("min", "max"):
        for suffixes in {"f32": ((), ("ftz",), ("NaN",)), "f64": ((),)}.get(k, ((), ("NaN",))):
            row(".".join((base, *suffixes, k)), (k, k), k, bitwise(smaller(k, base, suffixes), k))
    row(f"abs.{k}", (k,), k, bitwise(lambda a, r=REALS[k]: a & a.dtype.type(r.sign - 1), k))
    row(f"neg.{k}", (k,), k, bitwise(lambda a, r=REALS[k]: a ^ a.dtype.type(r.sign), k))
for base in ("min", "max"):
    row(f"{base}.f16x2", ("f16x2", "f16x2"), "f16x2", paired("f16", smaller("f16", base, ())))
    row(f"{base}.bf16x2", ("bf16x2", "bf16x2"), "bf16x2", paired("bf16", smaller("bf16", base, ())))
row("abs.ftz.f32", ("f32",), "f32", bitwise(each(lambda a: flushed(REALS["f32"], a) & 0x7FFF_FFFF), "f32"))
row("neg.ftz.f32", ("f32",), "f32", bitwise(each(lambda a: flushed(REALS["f32"], a) ^ 0x8000_0000), "f32"))


def ordered(name: str) -> Reference:
    relation = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }

    def compare(a: Array, b: Array) -> Array:
        unordered = np.isnan(a) | np.isnan(b)
        if name in ("num", "nan"):
            return unordered == (name == "nan")
        if name.endswith("u"):
            return relation[name[:-1]](a, b) | unordered
        return relation[name](a, b) & ~unordered

    return compare


def as_mask(compare: Reference) -> Reference:
    return lambda a, b: np.where(compare(a, b), 0xFFFF_FFFF, 0)


def of_flat(compare: Reference) -> Reference:
    return lambda a, b: compare(flat(a), flat(b))


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
for k, name in itertools.product(("f32", "f64", "f16"), COMPARISONS):
    row(f"setp.{name}.{k}", (k, k), "pred", ordered(name))
    row(f"set.{name}.u32.{k}", (k, k), "u32", as_mask(ordered(name)))
for name in ("eq", "lt", "geu"):
    row(f"setp.{name}.ftz.f32", ("f32", "f32"), "pred", of_flat(ordered(name)))
row("set.lt.f32.f32", ("f32", "f32"), "f32", lambda a, b: (a < b).astype("f4"))
row("set.lt.f16.f16", ("f16", "f16"), "f16", lambda a, b: (a < b).astype("f2"))
row("set.gt.u32.f16x2", ("f16x2", "f16x2"), "b32",
    lambda a, b: np.where(a.view("f2") > b.view("f2"), 0xFFFF, 0).astype("u2").view("u4"))  # fmt: skip


for k in ("f32", "f64"):
    row(f"copysign.{k}", (k, k), k, lambda a, b: np.copysign(b, a))
    tiny = np.finfo(dtype(k)).tiny
    tests: dict[str, Reference] = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda a: ~np.isnan(a),
        "notanumber": np.isnan,
        "normal": lambda a, t=tiny: np.isfinite(a) & ((np.abs(a) >= t) | (a == 0)),
        "subnormal": lambda a, t=tiny: (a != 0) & (np.abs(a) < t),
    }
    for name, test in tests.items():
        row(f"testp.{name}.{k}", (k,), "pred", test)
    row(f"selp.{k}", (k, k, "pred"), k, lambda a, b, p: np.where(p, a, b))
row("slct.s32.f32", ("s32", "s32", "f32"), "s32", lambda a, b, c: np.where(c >= 0, a, b))
