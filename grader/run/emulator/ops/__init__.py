"""The opcode families. A family is a module with a TABLE: (opcode, class of its type) -> the function that emits it.

The class is that of the last type among the modifiers: "int" (u, s and b of 8 to 128 bits), "float" (f32, f64),
"half" (f16, bf16 and the packed types), "pred"; what sets the carry is of class "carry". A row with "" serves every
class that has no row of its own.
To add an opcode, write its function beside its kin and add its row.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.run.emulator.ops import (
    approximate,
    atomics,
    bits,
    block_barriers,
    builtins,
    carry,
    compare,
    conversion,
    copies,
    floating,
    half,
    integer,
    matrix,
    matrix_rows,
    memory,
    move,
    video,
    warp,
)
from grader.run.emulator.ops.common import Handler
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.types import TYPES

_FAMILIES = (
    integer,
    carry,
    video,
    bits,
    floating,
    half,
    approximate,
    compare,
    conversion,
    move,
    memory,
    atomics,
    copies,
    block_barriers,
    warp,
    matrix,
    matrix_rows,
    builtins,
)
_HANDLERS: Mapping[tuple[str, str], Handler] = {key: row for family in _FAMILIES for key, row in family.TABLE.items()}


def type_class(instruction: Instruction) -> str:
    if "cc" in instruction.modifiers:
        return "carry"
    for modifier in reversed(instruction.modifiers):
        kind = TYPES.get(modifier)
        if kind is None:
            continue
        if kind.kind == "pred":
            return "pred"
        if kind.packed > 1 or (kind.is_float and kind.bits == 16):
            return "half"
        return "float" if kind.is_float else "int"
    return ""


def find_handler(instruction: Instruction) -> Handler | None:
    found = _HANDLERS.get((instruction.opcode, type_class(instruction)))
    return found or _HANDLERS.get((instruction.opcode, ""))
