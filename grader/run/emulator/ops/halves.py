"""16-bit floats as 32-bit ones: reading f16, bf16 and their packed pairs as float lanes, and rounding back."""

from __future__ import annotations

from grader.run.emulator.native.ir import V
from grader.run.emulator.ptx.syntax import Operand
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate.emitter import Emitter


def half_lanes(e: Emitter, operand: Operand, kind: PtxType) -> list[V]:
    """The float values of a 16-bit operand: one, or two (low, high) for a packed type."""
    raise e.unsupported()
