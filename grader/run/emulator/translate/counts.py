"""Finds stores that count: they write a sum of what the thread has read there, as `count = count + 1` does.

Where the place is volatile, or read and written by relaxed accesses, that is no data race, but updates are lost unless
the threads that count come one after the other. A maximum or a set bit that gets lost may be written again in a later
round; a sum is wrong for good.
"""

from __future__ import annotations

from grader.run.emulator.ptx.syntax import Address, Function, Instruction, Operand, Register

_SUMS = {"add", "sub", "mad", "fma", "xor"}
_PASSING = {"mov", "cvt", "neg", "cvta"}


def find_counts(function: Function) -> frozenset[Instruction]:
    """Returns the stores of the function that count."""
    instructions = [item for item in function.body or () if isinstance(item, Instruction)]
    search = _Search(instructions)
    return frozenset(i for i in instructions if i.traits.is_store and search.counts(i))


class _Search:
    def __init__(self, instructions: list[Instruction]) -> None:
        self._writers: dict[str, Instruction | None] = {}
        for i in instructions:
            for operand in i.operands[:1]:
                if isinstance(operand, Register) and not i.traits.is_store:
                    # A register that several instructions write has no one origin.
                    self._writers[operand.name] = None if operand.name in self._writers else i

    def counts(self, store: Instruction) -> bool:
        place, value = store.operands[0], store.operands[1] if len(store.operands) == 2 else None
        return isinstance(place, Address) and isinstance(value, Register) and self._is_sum(value, place, False, 0)

    def _is_sum(self, value: Register, place: Address, summed: bool, depth: int) -> bool:
        """Whether a register holds a sum of what was read from `place`; `summed`: of what it is part of."""
        writer = self._writers.get(value.name)
        if writer is None or depth > 8:
            return False
        if writer.traits.is_load:
            source = writer.operands[1]
            return summed and isinstance(source, Address) and self._place(source) == self._place(place)
        if writer.opcode not in _SUMS | _PASSING or writer.predicate is not None:
            return False
        summed = summed or writer.opcode in _SUMS
        sources = [operand for operand in writer.operands[1:] if isinstance(operand, Register)]
        return any(self._is_sum(source, place, summed, depth + 1) for source in sources)

    def _place(self, address: Address) -> tuple[Operand | None, int]:
        return self._origin(address.base), address.offset

    def _origin(self, base: Operand | None) -> Operand | None:
        """Returns what a register was copied from, through conversions of addresses too."""
        for _ in range(8):
            writer = self._writers.get(base.name) if isinstance(base, Register) else None
            if writer is None or writer.opcode not in _PASSING or len(writer.operands) != 2:
                return base
            base = writer.operands[1]
        return base
