"""Logic, shifts, bit fields, permutations and packed dot products."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ..exact import each
from .rows import Reference, Table, bits_of

ROWS = Table()
row = ROWS.row

for k in ("b16", "b32", "b64"):
    n = bits_of(k)
    row(f"and.{k}", (k, k), k, np.bitwise_and)
    row(f"or.{k}", (k, k), k, np.bitwise_or)
    row(f"xor.{k}", (k, k), k, np.bitwise_xor)
    row(f"not.{k}", (k,), k, np.invert)
    row(f"cnot.{k}", (k,), k, lambda a: a == 0)
    row(f"shl.{k}", (k, "u32"), k, each(lambda a, b, n=n: a << min(b, n)))
    row(f"mov.{k}", (k,), k, np.positive)
    if n > 16:
        row(f"popc.{k}", (k,), "u32", each(int.bit_count))
        row(f"clz.{k}", (k,), "u32", each(lambda a, n=n: n - a.bit_length()))
        row(f"brev.{k}", (k,), k, each(lambda a, n=n: int(format(a, f"0{n}b")[::-1], 2)))
        row(f"bfi.{k}", (k, k, "u32", "u32"), k, each(lambda a, b, c, d, n=n: inserted(a, b, c, d, n)),
            domain=lambda a, b, c, d: (c < 256) & (d < 256))  # fmt: skip
for name, logic in {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.items():
    row(f"{name}.pred", ("pred", "pred"), "pred", logic)
    row(f"setp.lt.{name}.s32", ("s32", "s32", "pred"), "pred", lambda a, b, p, logic=logic: logic(a < b, p))
    row(f"setp.lt.{name}.s32 %p1|{{d}}, {{a}}, {{b}}, !{{c}}", ("s32", "s32", "pred"), "pred",
        lambda a, b, p, logic=logic: logic(a >= b, p == 0))  # fmt: skip
row("not.pred", ("pred",), "pred", np.logical_not)


def inserted(a: int, b: int, pos: int, length: int, n: int) -> int:
    base = list(format(b, f"0{n}b")[::-1])
    field = format(a, f"0{n}b")[::-1]
    for i in range(min(length, n)):
        if pos + i < n:
            base[pos + i] = field[i]
    return int("".join(base)[::-1], 2)


def extracted(a: int, pos: int, length: int, kind: str) -> int:
    n = bits_of(kind)
    word = [(a >> i) & 1 for i in range(n)]
    fill = word[min(pos + length - 1, n - 1)] if kind[0] == "s" and length else 0
    return sum((word[pos + i] if i < length and pos + i < n else fill) << i for i in range(n))


def extended(a: int, length: int, kind: str) -> int:
    low = a & (1 << length) - 1
    return low - (1 << length) if kind == "s32" and length and low >> length - 1 else low


def found(a: int, kind: str) -> int:
    return (a if a >= 0 else ~a).bit_length() - 1


for k in ("u32", "s32", "u64", "s64"):
    n = bits_of(k)
    row(f"bfe.{k}", (k, "u32", "u32"), k, each(lambda a, b, c, k=k: extracted(a, b, c, k)),
        domain=lambda a, b, c: (b < 256) & (c < 256))  # fmt: skip
    row(f"bfind.{k}", (k,), "u32", each(lambda a, k=k: found(a, k)))
    row(f"bfind.shiftamt.{k}", (k,), "u32", each(lambda a, k=k, n=n: -1 if found(a, k) < 0 else n - 1 - found(a, k)))
for mode, amount in {"wrap": lambda c: c % 32, "clamp": lambda c: min(c, 32)}.items():
    row(f"shf.l.{mode}.b32", ("b32", "b32", "u32"), "b32",
        each(lambda a, b, c, amount=amount: ((b << 32 | a) << amount(c)) >> 32))  # fmt: skip
    row(
        f"shf.r.{mode}.b32",
        ("b32", "b32", "u32"),
        "b32",
        each(lambda a, b, c, amount=amount: (b << 32 | a) >> amount(c)),
    )
    row(f"bmsk.{mode}.b32", ("u32", "u32"), "b32",
        each(lambda a, b, amount=amount: ((1 << amount(b)) - 1) << amount(a)))  # fmt: skip
    for k in ("u32", "s32"):
        row(f"szext.{mode}.{k}", (k, "u32"), k,
            each(lambda a, b, k=k, amount=amount: extended(a, amount(b), k)))  # fmt: skip
for table in (0x80, 0xFE, 0x96, 0xE8, 0x1B, 0x00, 0xFF, 0xCA):

    def looked_up(a: int, b: int, c: int, table: int = table) -> int:
        masks = [(~a, ~b, ~c), (~a, ~b, c), (~a, b, ~c), (~a, b, c), (a, ~b, ~c), (a, ~b, c), (a, b, ~c), (a, b, c)]
        return sum(x & y & z for i, (x, y, z) in enumerate(masks) if table >> i & 1)

    row(f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table:#x}", ("b32",) * 3, "b32", each(looked_up))


def nth_bit(bits: int, base: int, offset: int) -> int:
    if base > 31:
        return -1
    if offset == 0:
        return base if bits >> base & 1 else -1
    step = 1 if offset > 0 else -1
    left = abs(offset)
    while 0 <= base < 32:
        left -= bits >> base & 1
        if left == 0:
            return base
        base += step
    return -1


row("fns.b32", ("b32", "u32", "s32"), "b32", each(nth_bit), domain=lambda a, b, c: (b < 32) & (c > -33) & (c < 33))


def permuted(selectors: Callable[[int], Sequence[int]]) -> Reference:
    def prmt(a: int, b: int, c: int) -> int:
        source = a.to_bytes(4, "little") + b.to_bytes(4, "little")
        chosen = [(255 * (source[s & 7] >> 7) if s & 8 else source[s & 7]) for s in selectors(c)]
        return int.from_bytes(bytes(chosen), "little")

    return each(prmt)


PERMUTES: dict[str, Callable[[int], Sequence[int]]] = {
    "prmt.b32": lambda c: [c >> 4 * i & 15 for i in range(4)],
    "prmt.b32.f4e": lambda c: [(c & 3) + i for i in range(4)],
    "prmt.b32.b4e": lambda c: [((c & 3) - i) % 8 for i in range(4)],
    "prmt.b32.rc8": lambda c: [c & 3] * 4,
    "prmt.b32.ecl": lambda c: [max(i, c & 3) for i in range(4)],
    "prmt.b32.ecr": lambda c: [min(i, c & 3) for i in range(4)],
    "prmt.b32.rc16": lambda c: [2 * (c & 1), 2 * (c & 1) + 1] * 2,
}
for opcode, selectors in PERMUTES.items():
    row(opcode, ("b32", "b32", "b32"), "b32", permuted(selectors))


def dotted(kinds: tuple[str, ...], a_size: int, skip: int) -> Reference:
    def dot(a: int, b: int, c: int) -> int:
        x = np.array([a], "u4").view(f"{'i' if kinds[0] == 's32' else 'u'}{a_size}")
        y = np.array([b], "u4").view("i1" if kinds[1] == "s32" else "u1")[skip:]
        return c + sum(p * q for p, q in zip(x.tolist(), y.tolist(), strict=False))

    return each(dot)


for kinds in itertools.product(("u32", "s32"), repeat=2):
    pair = ".".join(kinds)
    row(f"dp4a.{pair}", ("b32", "b32", "u32"), "u32", dotted(kinds, 1, 0))
    row(f"dp2a.lo.{pair}", ("b32", "b32", "u32"), "u32", dotted(kinds, 2, 0))
    row(f"dp2a.hi.{pair}", ("b32", "b32", "u32"), "u32", dotted(kinds, 2, 2))
