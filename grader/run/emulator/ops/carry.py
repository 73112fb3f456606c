"""Extended-precision integers: add, sub and mad that set or use the carry.

Source: PTX ISA, "Extended-Precision Integer Arithmetic Instructions".

The carry lasts as long as a basic block: compilers emit straight chains.
"""

from __future__ import annotations

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.integer import product
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import PURE, Traits
from grader.run.emulator.translate.emitter import Emitter


def add(e: Emitter, i: Instruction) -> None:
    a, b = (e.read(operand, type_of(i)) for operand in i.operands[1:3])
    _sum(e, i, a, b, i.opcode == "addc", splat("i1", 0))


def subtract(e: Emitter, i: Instruction) -> None:
    """Emits a + ~b + 1, as the hardware does: a carry means that nothing was borrowed."""
    a, b = (e.read(operand, type_of(i)) for operand in i.operands[1:3])
    _sum(e, i, a, e.f.invert(b), i.opcode == "subc", splat("i1", 1))


def multiply_add(e: Emitter, i: Instruction) -> None:
    kind = type_of(i)
    a, b, c = (e.read(operand, kind) for operand in i.operands[1:4])
    _sum(e, i, product(e, i, a, b, kind), c, i.opcode == "madc", splat("i1", 0))


def _sum(e: Emitter, i: Instruction, a: V, b: V, uses_carry: bool, otherwise: V) -> None:
    f = e.f
    carry = otherwise
    if uses_carry:
        if e.carry is None:
            raise e.unsupported("a carry that comes from another basic block")
        carry = e.carry
    partial = f.op("add", a, b)
    total = f.op("add", partial, f.cast("zext", carry, a.t))
    if "cc" in i.modifiers:
        # At most one of the two additions wraps around.
        wrapped = f.op("or", f.compare("icmp ult", partial, a), f.compare("icmp ult", total, partial))
        if i.predicate is not None and e.carry is not None:
            wrapped = f.select(e.mask, wrapped, e.carry)
        e.carry = wrapped
    e.write(i.operands[0], total)


_OPERATIONS = {"add": add, "addc": add, "sub": subtract, "subc": subtract, "mad": multiply_add, "madc": multiply_add}

# Instructions that use the carry are not pure: the same operands may give different results.
TABLE = {
    **{(opcode, "carry"): Row(_OPERATIONS[opcode], PURE) for opcode in ("add", "sub", "mad")},
    **{
        (opcode, kind): Row(_OPERATIONS[opcode], Traits())
        for opcode in ("addc", "subc", "madc")
        for kind in ("carry", "int")
    },
}
