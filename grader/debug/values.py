"""Values of a kernel as expressions see them: a number, or a place in the recorded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from grader.debug.c_types import CType, Number


class EvaluationError(Exception):
    """An expression that has no value here; the message says why, in words for a student."""


@dataclass(frozen=True)
class Place:
    """Where something lies: `space` is variable, shared or global, `target` an index as in Accesses of a Trace.

    `offset` in bytes from the target's begin; `thread` whose variable it is, or in whose block the shared memory.
    `frame`, of a variable: of which level of the thread's stack, 0 for the innermost.
    """

    space: str
    target: int
    offset: int
    thread: int
    frame: int = 0

    def moved(self, count: int) -> Place:
        return Place(self.space, self.target, self.offset + count, self.thread, self.frame)


@dataclass(frozen=True)
class Value:
    """A value of a type: `number`, or what lies at `place`, which only a Scope can read."""

    type: CType
    number: Number | None = None
    place: Place | None = None


class Scope(Protocol):
    """What an expression's names mean: a thread at a step. All of it raises EvaluationError."""

    def named(self, name: str) -> Value:
        """The variable, parameter, array or built-in variable of this name."""

    def type_named(self, name: str) -> CType | None:
        """The type of this name, None if the kernel knows none."""

    def load(self, value: Value) -> Value:
        """The value as a number if its type is a scalar or a pointer; itself otherwise. An array becomes a pointer."""

    def at_address(self, address: int, type: CType | None) -> Value:
        """The value of this type at a generic address of the kernel, as `*p` reads it.

        Raises EvaluationError without a type, or where the recording has no memory.
        """

    def address_of(self, value: Value) -> int:
        """The generic address of a value in memory, as `&x`. Raises EvaluationError for one that was computed."""
