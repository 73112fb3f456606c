"""Computes which lanes may use what a load has read: those in which a predicate may hold, found before it is computed.

The predicates are those of copies_of_values.py; what decides them is the thread's index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from grader.run.emulator.native.ir import V
from grader.run.emulator.ptx.syntax import (
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Symbol,
    type_of,
    types_of,
)
from grader.run.emulator.ptx.traits import Passing
from grader.run.emulator.translate.copies_of_values import Copies
from grader.run.emulator.translate.emitter import Emitter

_WIDTH = 32
_DEPTH = 16


def lanes_of_users(e: Emitter, copies: Copies) -> str:
    """Emits which lanes may use what the current load reads, as bits; "-1" for all."""
    users = None
    for name, negated in sorted(copies.users.get(e.instruction, ())):
        may = _Values(e, copies.writers).may_hold(name, negated)
        if may is None:
            return "-1"
        users = may if users is None else e.f.op("or", users, may)
    return "-1" if users is None else e.f.bits(users)


class _Values:
    """Computes registers that follow from the thread's index alone, wherever in the code they are written."""

    def __init__(self, e: Emitter, writers: Mapping[str, Instruction | None]) -> None:
        self._e = e
        self._writers = writers

    def may_hold(self, name: str, negated: bool) -> V | None:
        """Where a predicate may hold, as i1; None if that is unknown of all threads."""
        writer = self._writers.get(name)
        if not negated and writer is not None and writer.traits.passing is Passing.MASKED and writer.predicate is None:
            parts = [self._may_hold_operand(operand) for operand in writer.operands[1:]]
            known = [part for part in parts if part is not None]
            return self._e.f.op("and", *known) if len(known) == 2 else known[0] if known else None
        value = self._register(name, 0)
        return self._e.f.invert(value) if value is not None and negated else value

    def _may_hold_operand(self, operand: Operand) -> V | None:
        if isinstance(operand, Negated):
            return self.may_hold(operand.operand.name, True)
        return self.may_hold(operand.name, False) if isinstance(operand, Register) else None

    def _register(self, name: str, depth: int) -> V | None:
        writer = self._writers.get(name)
        if writer is None or writer.predicate is not None or depth > _DEPTH:
            return None
        return self._result(writer, depth + 1)

    def _operand(self, operand: Operand, i: Instruction, depth: int) -> V | None:
        if isinstance(operand, Register):
            return self._register(operand.name, depth)
        if isinstance(operand, Negated):
            value = self._register(operand.operand.name, depth)
            return None if value is None else self._e.f.invert(value)
        if isinstance(operand, Immediate) or (isinstance(operand, Symbol) and operand.name.startswith("%tid.")):
            return self._e.read(operand, type_of(i))
        return None

    def _result(self, i: Instruction, depth: int) -> V | None:
        """The value of what an instruction writes, of 32 bits or a predicate."""
        if not types_of(i) or not (type_of(i).kind == "pred" or type_of(i).width == _WIDTH):
            return None
        sources = [self._operand(operand, i, depth) for operand in i.operands[1:]]
        known = [source for source in sources if source is not None]
        if len(known) < len(sources):
            return None
        if i.traits.passing is Passing.WHOLE and len(known) == 1:
            return known[0]
        return None if i.traits.derive is None else cast("V | None", i.traits.derive(self._e.f, i, known))
