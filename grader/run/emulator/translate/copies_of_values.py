"""Finds reads whose value only some threads use: each thread has a copy of it, and one of them stores what comes of it.

Triton computes a scalar in all threads of a program, and has the first of them store it, by a predicate that its thread
index decides. The copies of the others go nowhere: what they read makes no difference, and races with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.run.emulator.ptx.syntax import Function, Instruction
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.translate.storage import reads_and_writes

Guard = tuple[str, bool]
"""The predicate of an instruction, and whether it is negated."""
_ELSEWHERE = {"shared", "shared::cta", "local", "const", "param", "param::entry", "param::func"}


@dataclass(frozen=True)
class Copies:
    """Loads of one function whose value is used under predicates alone, with these, and what writes its registers."""

    users: Mapping[Instruction, frozenset[Guard]] = field(default_factory=dict)
    writers: Mapping[str, Instruction | None] = field(default_factory=dict)
    """The one instruction that writes a register; None if there are several."""


def find_copies(function: Function) -> Copies:
    """Returns the loads from memory that threads share of which only some threads may use the value."""
    instructions = [item for item in function.body or () if isinstance(item, Instruction)]
    guarded = [i for i in instructions if i.predicate is not None and i.traits.has_effect and not i.traits.is_load]
    if not guarded:
        return Copies()
    writers: dict[str, Instruction | None] = {}
    readers: dict[str, list[Instruction]] = {}
    for i in instructions:
        reads, writes = reads_and_writes(i)
        for name in writes:
            writers[name] = None if name in writers else i
        for name in reads:
            readers.setdefault(name, []).append(i)
    users = {}
    for i in instructions:
        if i.traits.is_load and not _ELSEWHERE & set(i.modifiers):
            guards = _guards_of(i, readers)
            if guards:
                users[i] = guards
    return Copies(users, writers)


def _guards_of(load: Instruction, readers: Mapping[str, list[Instruction]]) -> frozenset[Guard]:
    """The predicates of all that uses what a load has read; none if there is a use without one."""
    guards: set[Guard] = set()
    ahead = reads_and_writes(load)[1]
    seen = set(ahead)
    while ahead:
        name = ahead.pop()
        for i in readers.get(name, ()):
            writes = reads_and_writes(i)[1]
            # Under a predicate, what an instruction leaves as it was counts as read.
            kept = i.predicate is not None and name in writes and not i.traits.pure
            if i.traits.pure or kept:
                ahead += [other for other in writes if other not in seen]
                seen.update(writes)
            elif i.predicate is None or i.traits.flow is not Flow.ON:
                return frozenset()
            if not i.traits.pure and i.predicate is not None:
                guards.add((i.predicate.name, i.negated))
    return frozenset(guards)
