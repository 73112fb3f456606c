"""Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions").

Also those "Integer Arithmetic Instructions" that count, find, extract or move bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.run.emulator.native.ir import IrFunction, V, splat
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Pair, type_of
from grader.run.emulator.ptx.traits import PURE, Derive, Fold, Passing, Traits
from grader.run.emulator.ptx.types import B32, PRED, TYPES
from grader.run.emulator.translate.emitter import Emitter

B8X4_SELECTORS = {
    "f4e": [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)],
    "b4e": [(0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)],
    "rc8": [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)],
    "ecl": [(0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)],
    "ecr": [(0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)],
    "rc16": [(0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)],
}


def _logic(opcode: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        kind = type_of(i)
        a, b = (e.read(o, kind) for o in i.operands[1:3])
        e.write(i.operands[0], e.f.op(opcode, a, b))

    return emit


def complement(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.f.invert(e.read(i.operands[1], type_of(i))))


def logical_not(e: Emitter, i: Instruction) -> None:
    a = e.read(i.operands[1], type_of(i))
    zero = e.f.compare("icmp eq", a, splat(a.t, 0))
    e.write(i.operands[0], e.f.cast("zext", zero, a.t))


def table_logic(e: Emitter, i: Instruction) -> None:
    """lop3: bit n of the table is the result for the combination n of the bits of a, b and c."""
    f = e.f
    bool_op = next((m for m in i.modifiers if m in ("or", "and")), None)
    a, b, c = (e.read(o, B32) for o in i.operands[1:4])
    table = i.operands[4]
    assert isinstance(table, Immediate)
    result = splat("i32", 0)
    for row in range(8):
        if table.value >> row & 1:
            terms = [x if row >> (2 - place) & 1 else f.invert(x) for place, x in enumerate((a, b, c))]
            result = f.op("or", result, f.op("and", f.op("and", terms[0], terms[1]), terms[2]))
    target = i.operands[0]
    if bool_op is not None and isinstance(target, Pair):
        nonzero = f.compare("icmp ne", result, splat("i32", 0))
        e.write(target.second, f.op(bool_op, nonzero, e.read(i.operands[5], PRED)))
        target = target.first
    e.write(target, result)


def _shift_amount(e: Emitter, i: Instruction, t: str, bits: int) -> tuple[V, V]:
    """Returns (the amount as type t, whether it is below the width): PTX clamps shifts at the width."""
    amount = e.read(i.operands[2], B32)
    fits = e.f.compare("icmp ult", amount, splat("i32", bits))
    return e.resize(e.f.select(fits, amount, splat("i32", 0)), t), fits


def shift_left(e: Emitter, i: Instruction) -> None:
    kind = type_of(i)
    a = e.read(i.operands[1], kind)
    amount, fits = _shift_amount(e, i, a.t, kind.bits)
    e.write(i.operands[0], e.f.select(fits, e.f.op("shl", a, amount), splat(a.t, 0)))


def shift_right(e: Emitter, i: Instruction) -> None:
    f, kind = e.f, type_of(i)
    a = e.read(i.operands[1], kind)
    amount, fits = _shift_amount(e, i, a.t, kind.bits)
    if kind.is_signed:
        clamped = f.select(fits, amount, splat(a.t, kind.bits - 1))
        e.write(i.operands[0], f.op("ashr", a, clamped))
    else:
        e.write(i.operands[0], f.select(fits, f.op("lshr", a, amount), splat(a.t, 0)))


def funnel_shift(e: Emitter, i: Instruction) -> None:
    """shf: shifts the pair (b high, a low); .wrap takes the amount modulo 32, .clamp limits it to 32."""
    f = e.f
    low, high, amount = (e.read(o, B32) for o in i.operands[1:4])
    pair = f.op("or", f.cast("zext", low, "i64"), f.op("shl", f.cast("zext", high, "i64"), splat("i64", 32)))
    if "wrap" in i.modifiers:
        count = f.op("and", amount, splat("i32", 31))
    else:
        count = f.map("llvm.umin", amount, splat("i32", 32))
    wide = f.cast("zext", count, "i64")
    if "l" in i.modifiers:
        result = f.op("lshr", f.op("shl", pair, wide), splat("i64", 32))
    else:
        result = f.op("lshr", pair, wide)
    e.write(i.operands[0], f.cast("trunc", result, "i32"))


def population_count(e: Emitter, i: Instruction) -> None:
    a = e.read(i.operands[1], type_of(i))
    e.write(i.operands[0], e.resize(e.f.map("llvm.ctpop", a), "i32"))


def leading_zeros(e: Emitter, i: Instruction) -> None:
    a = e.read(i.operands[1], type_of(i))
    e.write(i.operands[0], e.resize(e.f.map("llvm.ctlz", a, tail=["i1 false"]), "i32"))


def reverse(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.f.map("llvm.bitreverse", e.read(i.operands[1], type_of(i))))


def find_bit(e: Emitter, i: Instruction) -> None:
    """bfind: the highest bit that differs from the sign, all ones if there is none; .shiftamt counts from the top."""
    f, kind = e.f, type_of(i)
    a = e.read(i.operands[1], kind)
    if kind.is_signed:
        a = f.op("xor", a, f.op("ashr", a, splat(a.t, kind.bits - 1)))
    zeros = e.resize(f.map("llvm.ctlz", a, tail=["i1 false"]), "i32")
    found = zeros if "shiftamt" in i.modifiers else f.op("sub", splat("i32", kind.bits - 1), zeros)
    none = f.compare("icmp eq", a, splat(a.t, 0))
    e.write(i.operands[0], f.select(none, splat("i32", -1), found))


def extract(e: Emitter, i: Instruction) -> None:
    """bfe: `length` bits from `position`, zero- or sign-extended; beyond the top counts as the sign bit."""
    f, kind = e.f, type_of(i)
    a = e.read(i.operands[1], kind)
    position, length = (e.resize(f.op("and", e.read(o, B32), splat("i32", 0xFF)), a.t) for o in i.operands[2:4])
    bits = splat(a.t, kind.bits)
    top = splat(a.t, kind.bits - 1)
    inside = f.compare("icmp ult", position, bits)
    shift = f.map("llvm.umin", position, top)
    opcode = "ashr" if kind.is_signed else "lshr"
    shifted = f.op(opcode, a, shift)
    if not kind.is_signed:
        shifted = f.select(inside, shifted, splat(a.t, 0))
    else:
        shifted = f.select(inside, shifted, f.op("ashr", a, top))
    unused = f.op("sub", bits, f.map("llvm.umin", length, bits))
    safe = f.map("llvm.umin", unused, top)
    field = f.op(opcode, f.op("shl", shifted, safe), safe)
    empty = f.compare("icmp eq", length, splat(a.t, 0))
    e.write(i.operands[0], f.select(empty, splat(a.t, 0), field))


def insert(e: Emitter, i: Instruction) -> None:
    """bfi: puts the low `length` bits of a into b at `position`."""
    f, kind = e.f, type_of(i)
    a, b = (e.read(o, kind) for o in i.operands[1:3])
    position, length = (e.resize(f.op("and", e.read(o, B32), splat("i32", 0xFF)), a.t) for o in i.operands[3:5])
    bits = splat(a.t, kind.bits)
    top = splat(a.t, kind.bits - 1)
    all_bits = splat(a.t, -1)
    short = f.compare("icmp ult", length, bits)
    ones = f.op("sub", f.op("shl", splat(a.t, 1), f.map("llvm.umin", length, top)), splat(a.t, 1))
    ones = f.select(short, ones, all_bits)
    inside = f.compare("icmp ult", position, bits)
    shift = f.map("llvm.umin", position, top)
    field = f.select(inside, f.op("shl", ones, shift), splat(a.t, 0))
    moved = f.op("and", f.op("shl", a, shift), field)
    e.write(i.operands[0], f.op("or", f.op("and", b, f.invert(field)), moved))


def field_mask(e: Emitter, i: Instruction) -> None:
    """bmsk: `b` ones from bit `a`; .wrap takes both modulo 32, .clamp limits them to 32."""
    f = e.f
    a, b = (e.read(o, B32) for o in i.operands[1:3])
    if "wrap" in i.modifiers:
        a, b = (f.op("and", v, splat("i32", 31)) for v in (a, b))
    else:
        a, b = (f.map("llvm.umin", v, splat("i32", 32)) for v in (a, b))
    one = splat("i64", 1)
    ones = f.op("sub", f.op("shl", one, f.cast("zext", b, "i64")), one)
    e.write(i.operands[0], f.cast("trunc", f.op("shl", ones, f.cast("zext", a, "i64")), "i32"))


def extend_field(e: Emitter, i: Instruction) -> None:
    """szext: sign- or zero-extends the low `b` bits of a; .wrap takes b modulo 32, .clamp all of a from 32 on."""
    f, kind = e.f, type_of(i)
    a, b = e.read(i.operands[1], kind), e.read(i.operands[2], B32)
    low = f.op("and", b, splat("i32", 31))
    empty = f.compare("icmp eq", low, splat("i32", 0))
    unused = f.op("and", f.op("sub", splat("i32", 32), low), splat("i32", 31))
    field = f.op("ashr" if kind.is_signed else "lshr", f.op("shl", a, unused), unused)
    result = f.select(empty, splat("i32", 0), field)
    if "wrap" not in i.modifiers:
        result = f.select(f.compare("icmp uge", b, splat("i32", 32)), a, result)
    e.write(i.operands[0], result)


def permute(e: Emitter, i: Instruction) -> None:
    """prmt: chooses four bytes from the eight of (b, a); bit 3 of a selector replicates the byte's sign instead."""
    f = e.f
    a, b, selector = (e.read(o, B32) for o in i.operands[1:4])
    pair = f.op("or", f.cast("zext", a, "i64"), f.op("shl", f.cast("zext", b, "i64"), splat("i64", 32)))
    mode = next((m for m in i.modifiers if m in B8X4_SELECTORS), None)
    result = splat("i32", 0)
    for byte in range(4):
        if mode is None:
            nibble = f.op("and", f.op("lshr", selector, splat("i32", 4 * byte)), splat("i32", 15))
            which = f.op("and", nibble, splat("i32", 7))
        else:
            which = splat("i32", 0)
            low = f.op("and", selector, splat("i32", 3))
            for row, choice in enumerate(B8X4_SELECTORS[mode]):
                here = f.compare("icmp eq", low, splat("i32", row))
                which = f.select(here, splat("i32", choice[byte]), which)
            nibble = which
        shift = f.cast("zext", f.op("mul", which, splat("i32", 8)), "i64")
        value = f.cast("trunc", f.op("and", f.op("lshr", pair, shift), splat("i64", 255)), "i32")
        if mode is None:
            sign = f.op("sub", splat("i32", 0), f.op("lshr", value, splat("i32", 7)))
            spread = f.compare("icmp ne", f.op("and", nibble, splat("i32", 8)), splat("i32", 0))
            value = f.select(spread, f.op("and", sign, splat("i32", 255)), value)
        result = f.op("or", result, f.op("shl", value, splat("i32", 8 * byte)))
    e.write(i.operands[0], result)


def find_nth_set(e: Emitter, i: Instruction) -> None:
    """fns: the position of the n-th set bit of `mask` from `base`, upwards for n > 0, downwards for n < 0."""
    f = e.f
    mask, base = (e.read(o, B32) for o in i.operands[1:3])
    count = e.read(i.operands[3], TYPES["s32"])
    found = splat("i32", -1)
    bit_at_base = f.op("and", f.op("lshr", mask, f.op("and", base, splat("i32", 31))), splat("i32", 1))
    at_zero = f.op(
        "and",
        f.compare("icmp eq", count, splat("i32", 0)),
        f.compare("icmp ne", bit_at_base, splat("i32", 0)),
    )
    found = f.select(at_zero, base, found)
    for upward in (True, False):
        left = f.map("llvm.abs", count, tail=["i1 false"])
        wanted = f.compare("icmp sgt" if upward else "icmp slt", count, splat("i32", 0))
        for position in range(32) if upward else range(31, -1, -1):
            here = splat("i32", position)
            after = f.compare("icmp uge" if upward else "icmp ule", here, base)
            is_set = f.compare("icmp ne", f.op("and", mask, splat("i32", 1 << position)), splat("i32", 0))
            counts = f.op("and", f.op("and", after, is_set), wanted)
            left = f.op("sub", left, f.cast("zext", counts, "i32"))
            hit = f.op("and", counts, f.compare("icmp eq", left, splat("i32", 0)))
            found = f.select(hit, here, found)
    e.write(i.operands[0], found)


def _folded(compute: Callable[[int, int], int]) -> Fold:
    def fold(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
        a, b = sources
        return None if a is None or b is None else compute(a, b)

    return fold


def _fold_and(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    return 0 if 0 in sources else _folded(operator.and_)(modifiers, sources)


def _fold_not(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    (a,) = sources
    return 1 - a if a is not None and "pred" in modifiers else None


def _derived(opcode: str) -> Derive:
    return lambda f, i, sources: f.op(opcode, *sources)


def _derive_shift(left: bool) -> Derive:
    def derive(f: IrFunction, i: Instruction, sources: Sequence[V]) -> V | None:
        by = i.operands[2]
        if not (isinstance(by, Immediate) and 0 <= by.value < type_of(i).width):
            return None
        return f.op("shl" if left else "ashr" if type_of(i).is_signed else "lshr", *sources)

    return derive


_OF_BITS = Traits(pure=True, silent=True)
"""Code that writes a bit field reads the whole word first, so a source without a value is not yet a use."""

TABLE = {
    ("and", ""): Row(
        _logic("and"),
        Traits(pure=True, silent=True, passing=Passing.MASKED, fold=_fold_and, derive=_derived("and")),
    ),
    ("or", ""): Row(_logic("or"), Traits(pure=True, silent=True, fold=_folded(operator.or_), derive=_derived("or"))),
    ("xor", ""): Row(
        _logic("xor"), Traits(pure=True, silent=True, sums=True, fold=_folded(operator.xor), derive=_derived("xor"))
    ),
    ("not", ""): Row(complement, Traits(pure=True, silent=True, fold=_fold_not, derive=lambda f, i, s: f.invert(*s))),
    ("cnot", "int"): Row(logical_not, PURE),
    ("lop3", "int"): Row(table_logic, _OF_BITS),
    ("shl", "int"): Row(shift_left, replace(_OF_BITS, derive=_derive_shift(left=True))),
    ("shr", "int"): Row(shift_right, replace(_OF_BITS, derive=_derive_shift(left=False))),
    ("shf", "int"): Row(funnel_shift, _OF_BITS),
    ("popc", "int"): Row(population_count, PURE),
    ("clz", "int"): Row(leading_zeros, PURE),
    ("brev", "int"): Row(reverse, PURE),
    ("bfind", "int"): Row(find_bit, PURE),
    ("bfe", "int"): Row(extract, _OF_BITS),
    ("bfi", "int"): Row(insert, _OF_BITS),
    ("bmsk", "int"): Row(field_mask, PURE),
    ("szext", "int"): Row(extend_field, _OF_BITS),
    ("prmt", "int"): Row(permute, _OF_BITS),
    ("fns", "int"): Row(find_nth_set, PURE),
}
