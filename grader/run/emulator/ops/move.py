"""`mov`, with its packing and unpacking of register groups, and parameter addresses."""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.native.ir import splat
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Group, Instruction, type_of
from grader.run.emulator.ptx.traits import Passing, Traits
from grader.run.emulator.ptx.types import PRED, TYPES
from grader.run.emulator.translate.emitter import Emitter


def move(e: Emitter, i: Instruction) -> None:
    kind = type_of(i)
    target, source = i.operands
    if isinstance(source, Group):
        _pack(e, i, source)
    elif isinstance(target, Group):
        _unpack(e, i, target)
    else:
        e.write(target, e.read(source, kind))


def _pack(e: Emitter, i: Instruction, source: Group) -> None:
    f = e.f
    kind = type_of(i)
    bits = kind.width // len(source.items)
    part = TYPES[f"b{bits}"]
    result = splat(kind.integer, 0)
    for index, item in enumerate(source.items):
        value = e.resize(e.read(item, part), kind.integer)
        result = f.op("or", result, f.op("shl", value, splat(kind.integer, bits * index)))
    e.write(i.operands[0], result)


def _unpack(e: Emitter, i: Instruction, target: Group) -> None:
    f = e.f
    kind = type_of(i)
    value = e.read(i.operands[1], kind)
    bits = kind.width // len(target.items)
    parts = []
    for index in range(len(target.items)):
        shifted = f.op("lshr", value, splat(kind.integer, bits * index)) if index else value
        parts.append(f.cast("trunc", shifted, f"i{bits}"))
    for item, part in zip(target.items, parts, strict=True):
        e.write(item, part)


def move_predicate(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.read(i.operands[1], PRED))


def _fold_copy(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    return sources[0]


_MOVES = Traits(pure=True, passing=Passing.WHOLE, fold=_fold_copy)

TABLE = {("mov", ""): Row(move, _MOVES), ("mov", "pred"): Row(move_predicate, _MOVES)}
