"""Integer arithmetic and comparison, and carry chains."""

from __future__ import annotations

import operator

import numpy as np

from ..exact import each
from .rows import Table, bits_of, clamped

ROWS = Table()
row = ROWS.row


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
for k in INTEGERS:
    n = bits_of(k)
    row(f"add.{k}", (k, k), k, np.add)
    row(f"sub.{k}", (k, k), k, np.subtract)
    row(f"mul.lo.{k}", (k, k), k, np.multiply)
    row(f"mul.hi.{k}", (k, k), k, each(lambda a, b, n=n: a * b >> n))
    row(f"mad.lo.{k}", (k, k, k), k, lambda a, b, c: a * b + c)
    row(f"mad.hi.{k}", (k, k, k), k, each(lambda a, b, c, n=n: (a * b >> n) + c))
    row(f"min.{k}", (k, k), k, np.minimum)
    row(f"max.{k}", (k, k), k, np.maximum)
    row(f"sad.{k}", (k, k, k), k, each(lambda a, b, c: c + abs(a - b)))
    row(f"div.{k}", (k, k), k, each(lambda a, b: truncated(a, b) if b else 0), domain=lambda a, b: b != 0)
    row(f"rem.{k}", (k, k), k, each(lambda a, b: a - b * truncated(a, b) if b else 0), domain=lambda a, b: b != 0)
    if n < 64:
        wide = f"{k[0]}{2 * n}"
        row(f"mul.wide.{k}", (k, k), wide, each(operator.mul))
        row(f"mad.wide.{k}", (k, k, wide), wide, each(lambda a, b, c: a * b + c))
    if k[0] == "s":
        row(f"neg.{k}", (k,), k, np.negative)
        row(f"abs.{k}", (k,), k, each(abs))
    row(f"shr.{k}", (k, "u32"), k, each(lambda a, b, n=n: a >> min(b, n)))
    row(f"shr.{k} {{d}}, {{a}}, 3", (k,), k, lambda a: a >> 3)
    orders = {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }
    unsigned = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge} if k[0] == "u" else {}
    for name, order in {**orders, **unsigned}.items():
        row(f"setp.{name}.{k}", (k, k), "pred", order)
    row(f"set.lt.u32.{k}", (k, k), "u32", lambda a, b: np.where(a < b, 0xFFFF_FFFF, 0))
    row(f"selp.{k}", (k, k, "pred"), k, lambda a, b, p: np.where(p, a, b))
    row(f"slct.{k}.s32", (k, k, "s32"), k, lambda a, b, c: np.where(c >= 0, a, b))

for k in ("u32", "s32"):
    row(f"mul24.lo.{k}", (k, k), k, each(lambda a, b, k=k: short(a, k) * short(b, k)))
    row(f"mul24.hi.{k}", (k, k), k, each(lambda a, b, k=k: short(a, k) * short(b, k) >> 16))
    row(f"mad24.lo.{k}", (k, k, k), k, each(lambda a, b, c, k=k: short(a, k) * short(b, k) + c))
    row(f"set.gt.f32.{k}", (k, k), "f32", lambda a, b: (a > b).astype("f4"))
row("add.sat.s32", ("s32", "s32"), "s32", each(lambda a, b: clamped("s32", a + b)))
row("sub.sat.s32", ("s32", "s32"), "s32", each(lambda a, b: clamped("s32", a - b)))
row("mad.hi.sat.s32", ("s32",) * 3, "s32", each(lambda a, b, c: clamped("s32", (a * b >> 32) + c)))


def short(a: int, kind: str) -> int:
    a &= 0xFF_FFFF
    return a - (1 << 24) if kind == "s32" and a >> 23 else a


# Carry chains: 64-bit arithmetic in two halves, and the carry itself.

HALVES = "mov.b64 {%t0, %t1}, {a}; mov.b64 {%t2, %t3}, {b}; "
WHOLE = "; mov.b64 {d}, {%t0, %t1}"
PAIR = ("u64", "u64")
row(HALVES + "add.cc.u32 %t0, %t0, %t2; addc.u32 %t1, %t1, %t3" + WHOLE, PAIR, "u64", np.add)
row(HALVES + "sub.cc.u32 %t0, %t0, %t2; subc.u32 %t1, %t1, %t3" + WHOLE, PAIR, "u64", np.subtract)
row("add.cc.u64 %at, {a}, {b}; addc.u64 {d}, 0, 0", PAIR, "u64", each(lambda a, b: a + b >> 64))
row("sub.cc.u64 %at, {a}, {b}; subc.u64 {d}, 0, 0", PAIR, "u64", each(lambda a, b: -(a < b)))
row("add.cc.u64 %at, {a}, {b}; addc.cc.u64 %at, {a}, {b}; addc.u64 {d}, {a}, 0", PAIR, "u64",
    each(lambda a, b: a + (a + b + (a + b >> 64) >> 64)))  # fmt: skip
row("sub.cc.u64 %at, {a}, {b}; subc.cc.u64 %at, {a}, {b}; subc.u64 {d}, {a}, 0", PAIR, "u64",
    each(lambda a, b: a - (a - b - (a < b) < 0)))  # fmt: skip
row(HALVES + "mul.lo.u32 %i, %t0, %t2; mul.hi.u32 %n, %t0, %t2; mad.lo.cc.u32 %n, %t0, %t3, %n; "
    "madc.hi.u32 %t0, %t0, %t3, 0; mad.lo.u32 %t0, %t1, %t3, %t0; mad.lo.cc.u32 %n, %t1, %t2, %n; "
    "madc.hi.u32 %t0, %t1, %t2, %t0; mov.b64 {d}, {%i, %n}; mov.u32 %t1, %ctaid.x; mov.u32 %t2, %ntid.x; "
    "mov.u32 %t3, %tid.x; mad.lo.s32 %i, %t1, %t2, %t3", PAIR, "u64", np.multiply)  # fmt: skip
row("mad.lo.cc.u32 %t0, {a}, {b}, {c}; madc.hi.u32 {d}, {a}, {b}, {c}", ("u32",) * 3, "u32",
    each(lambda a, b, c: (a * b >> 32) + c + ((a * b & 0xFFFF_FFFF) + c >> 32)))  # fmt: skip
row("mad.lo.cc.u32 %t0, {a}, {b}, {c}; madc.lo.cc.u32 %t1, {a}, {c}, {b}; addc.u32 {d}, 0, 0", ("u32",) * 3, "u32",
    each(lambda a, b, c: (a * c & 0xFFFF_FFFF) + b + ((a * b & 0xFFFF_FFFF) + c >> 32) >> 32))  # fmt: skip
# The carry after a subtraction means that nothing was borrowed; additions and subtractions share it.
row("sub.cc.u32 %t0, {a}, {b}; addc.u32 {d}, 0, 0", ("u32", "u32"), "u32", np.greater_equal)
row("add.cc.u32 %t0, {a}, {b}; subc.u32 {d}, 0, 0", ("u32", "u32"), "u32", each(lambda a, b: (a + b >> 32) - 1))
