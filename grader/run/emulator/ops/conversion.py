"""`cvt`: conversions between all types (PTX ISA, "cvt")."""

from __future__ import annotations

from grader.run.emulator.ops.common import types_of
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.translate.emitter import Emitter


def convert(e: Emitter, i: Instruction) -> None:
    target, source = types_of(i)
    if target.is_float or source.is_float:
        raise e.unsupported()
    value = e.read(i.operands[1], source)
    e.write(i.operands[0], e.resize(value, target.integer, source.is_signed))


TABLE = {("cvt", ""): convert}
