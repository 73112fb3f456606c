"""What the opcode families share: picking types out of modifiers."""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.types import TYPES, PtxType
from grader.run.emulator.translate.emitter import Emitter

Handler = Callable[[Emitter, Instruction], None]
"""Emits one instruction."""


def types_of(instruction: Instruction) -> list[PtxType]:
    """The types among the modifiers, in order."""
    return [TYPES[m] for m in instruction.modifiers if m in TYPES]


def type_of(instruction: Instruction) -> PtxType:
    """The last type among the modifiers."""
    return types_of(instruction)[-1]
