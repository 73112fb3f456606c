"""`mov`, with its packing and unpacking of register groups, and parameter addresses."""

from __future__ import annotations

from grader.run.emulator.native.ir import splat
from grader.run.emulator.ops.common import type_of
from grader.run.emulator.ptx.syntax import Group, Instruction
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


TABLE = {("mov", ""): move, ("mov", "pred"): move_predicate}
