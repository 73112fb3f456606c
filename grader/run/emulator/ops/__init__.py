"""The opcode families: each is a module with a TABLE from (opcode, type class) to a Row of emitter and traits.

The classes are those of `ptx.traits.type_class`; a row with "" serves every class that has no row of its own. An opcode
with a modifier ("bar.warp") takes precedence over the opcode alone.
To add an opcode, write its emitter in its family and add its row.
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
    flow,
    half,
    integer,
    matrix,
    matrix_rows,
    memory,
    move,
    scalar_video,
    video,
    warp,
)
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.traits import Key, key_of, register

_FAMILIES = (
    integer,
    carry,
    video,
    scalar_video,
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
    flow,
    matrix,
    matrix_rows,
    builtins,
)
_ROWS: Mapping[Key, Row] = {key: row for family in _FAMILIES for key, row in family.TABLE.items()}
register({key: row.traits for key, row in _ROWS.items()})


def find_handler(instruction: Instruction) -> Handler | None:
    """Returns the function that emits an instruction; None for an unknown one."""
    key = key_of(instruction.opcode, instruction.modifiers)
    return None if key is None else _ROWS[key].emit
