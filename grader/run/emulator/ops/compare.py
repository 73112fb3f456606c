"""Comparison and selection: `setp`, `set`, `selp`, `slct` (PTX ISA, "Comparison and Selection Instructions")."""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.native.ir import IrFunction, V, splat
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.halves import half_lanes
from grader.run.emulator.ptx.syntax import Instruction, Operand, Pair, Register, Symbol, type_of, types_of
from grader.run.emulator.ptx.traits import PURE, Passing, Traits
from grader.run.emulator.ptx.types import PRED, TYPES, PtxType
from grader.run.emulator.translate.emitter import Emitter

_SIGNED = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_UNSIGNED = {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge",
             "lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}  # fmt: skip
_ORDERED = {"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "num": "ord", "nan": "uno",
            "equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge"}  # fmt: skip
_COMBINE = ("and", "or", "xor")


def compare_values(e: Emitter, operation: str, a: V, b: V, kind: PtxType) -> V:
    """Compares integers, or floats given as LLVM float vectors; `operation` is PTX's, such as "lt"."""
    if kind.is_float:
        return e.f.compare(f"fcmp {_ORDERED[operation]}", a, b)
    table = _SIGNED if kind.is_signed else _UNSIGNED
    return e.f.compare(f"icmp {table[operation]}", a, b)


def _read(e: Emitter, operand: Operand, kind: PtxType, flush: bool) -> list[V]:
    """Returns the values to compare: one, or two for a packed type."""
    if kind.is_float and kind.bits == 16:
        return half_lanes(e, operand, kind, flush)
    if kind.is_float:
        value = e.read_float(operand, kind)
        return [flush_subnormals(e, value) if flush else value]
    return [e.read(operand, kind)]


def flush_subnormals(e: Emitter, value: V) -> V:
    """Replaces subnormal f32 values by zeros of their sign."""
    f = e.f
    bits = f.bitcast(value, "i32")
    exponent = f.op("and", bits, splat("i32", 0x7F800000))
    small = f.compare("icmp eq", exponent, splat("i32", 0))
    sign = f.op("and", bits, splat("i32", 0x80000000))
    return f.bitcast(f.select(small, sign, bits), "float")


def _conditions(e: Emitter, i: Instruction, a: Operand, b: Operand, kind: PtxType) -> list[V]:
    operation = next(m for m in i.modifiers if m in _ORDERED or m in _UNSIGNED)
    flush = "ftz" in i.modifiers
    pairs = zip(_read(e, a, kind, flush), _read(e, b, kind, flush), strict=True)
    return [compare_values(e, operation, x, y, kind) for x, y in pairs]


def _combined(e: Emitter, i: Instruction, condition: V) -> V:
    combine = next((m for m in i.modifiers if m in _COMBINE), None)
    if combine is None:
        return condition
    return e.f.op(combine, condition, e.read(i.operands[3], PRED))


def set_predicate(e: Emitter, i: Instruction) -> None:
    """setp: compares, combines with a predicate, and writes one predicate or a pair."""
    kind = type_of(i)
    conditions = _conditions(e, i, i.operands[1], i.operands[2], kind)
    target = i.operands[0]
    if kind.packed > 1:
        assert isinstance(target, Pair)
        for destination, condition in zip((target.first, target.second), conditions, strict=True):
            e.write(destination, _combined(e, i, condition))
        return
    condition = conditions[0]
    if isinstance(target, Pair):
        other = _combined(e, i, e.f.invert(condition))
        e.write(target.first, _combined(e, i, condition))
        if not (isinstance(target.second, Symbol) and target.second.name == "_"):
            e.write(target.second, other)
    else:
        e.write(target, _combined(e, i, condition))


def set_value(e: Emitter, i: Instruction) -> None:
    """set: writes all ones, or 1.0 for a float type, where the comparison holds, else 0."""
    f = e.f
    target, source = types_of(i)
    conditions = [_combined(e, i, c) for c in _conditions(e, i, i.operands[1], i.operands[2], source)]
    if target.width == 32 and len(conditions) == 2:
        ones = {"f16x2": 0x3C00, "bf16x2": 0x3F80}.get(target.name, 0xFFFF)
        low = f.select(conditions[0], splat("i32", ones), splat("i32", 0))
        high = f.select(conditions[1], splat("i32", ones << 16), splat("i32", 0))
        e.write(i.operands[0], f.op("or", low, high))
        return
    true = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}.get(target.name, -1)
    t = target.integer
    e.write(i.operands[0], f.select(conditions[0], splat(t, true), splat(t, 0)))


def select(e: Emitter, i: Instruction) -> None:
    kind = type_of(i)
    a, b = (e.read(o, kind) for o in i.operands[1:3])
    e.write(i.operands[0], e.f.select(e.read(i.operands[3], PRED), a, b))


def select_by_sign(e: Emitter, i: Instruction) -> None:
    """slct: chooses a where c is at least 0, else b."""
    f = e.f
    kind, test = types_of(i)
    a, b = (e.read(o, kind) for o in i.operands[1:3])
    if test.is_float:
        c = e.read_float(i.operands[3], test)
        c = flush_subnormals(e, c) if "ftz" in i.modifiers else c
        condition = f.compare("fcmp oge", c, f.bitcast(splat("i32", 0), "float"))
    else:
        condition = f.compare("icmp sge", e.read(i.operands[3], TYPES["s32"]), splat("i32", 0))
    e.write(i.operands[0], f.select(condition, a, b))


def _fold_comparison(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    """Folds an integer comparison for equality that is not combined with a predicate."""
    if None in sources or len(sources) != 2 or modifiers[0] not in ("eq", "ne") or modifiers[1][0] not in "sub":
        return None
    return int((sources[0] == sources[1]) == (modifiers[0] == "eq"))


def _fold_selection(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    a, b, condition = sources
    return None if condition is None else (a if condition else b)


def _derive_comparison(f: IrFunction, i: Instruction, sources: Sequence[V]) -> V | None:
    kind = type_of(i)
    operation = next((m for m in i.modifiers if m in _UNSIGNED), None)
    if kind.is_float or operation is None or len(sources) != 2 or not isinstance(i.operands[0], Register):
        return None
    return f.compare(f"icmp {(_SIGNED if kind.is_signed else _UNSIGNED)[operation]}", *sources)


TABLE = {
    ("setp", ""): Row(set_predicate, Traits(pure=True, fold=_fold_comparison, derive=_derive_comparison)),
    ("set", ""): Row(set_value, PURE),
    ("selp", ""): Row(select, Traits(pure=True, passing=Passing.CHOSEN, fold=_fold_selection)),
    ("slct", ""): Row(select_by_sign, PURE),
}
