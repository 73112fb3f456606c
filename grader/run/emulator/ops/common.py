"""What the opcode families share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.traits import Traits
from grader.run.emulator.translate.emitter import Emitter

Handler = Callable[[Emitter, Instruction], None]
"""Emits one instruction."""


class Row(NamedTuple):
    """All that is known of an opcode. `emit` is None if the opcode ends a basic block: translation.py emits it."""

    emit: Handler | None
    traits: Traits
