"""Cuts machine code into basic blocks and says which may follow which."""

from __future__ import annotations

from collections.abc import Sequence

from grader.sass.code import Block, Instruction

_JUMPS = ("BRA", "BRX", "JMP", "JMX", "BRXU", "JMXU")
_LEAVES = ("EXIT", "RET", "KILL", "BPT")
_CALLS = ("CALL",)
_PLAIN_JUMP = ("BRA", "JMP")


def blocks_of(code: Sequence[Instruction]) -> tuple[Block, ...]:
    """The basic blocks of a kernel's code, in the order of addresses."""
    starts = {one.address for one in code[:1]}
    known = {one.address for one in code}
    for one, following in zip(code, [*code[1:], None], strict=True):
        # Reconvergence (BSSY) names a place too, where lanes meet and no warp jumps to.
        starts.update(target for target in one.targets if target in known)
        if following is not None and _ends(one):
            starts.add(following.address)
    cuts = [i for i, one in enumerate(code) if one.address in starts]
    pieces = [tuple(code[a:b]) for a, b in zip(cuts, [*cuts[1:], len(code)], strict=True)]
    index = {piece[0].address: i for i, piece in enumerate(pieces)}
    return tuple(Block(piece[0].address, piece, _after(piece[-1], i, index)) for i, piece in enumerate(pieces))


def _ends(one: Instruction) -> bool:
    return one.name in (*_JUMPS, *_LEAVES, *_CALLS)


def _after(last: Instruction, number: int, index: dict[int, int]) -> tuple[int, ...]:
    found = [index[target] for target in last.targets if last.name in _JUMPS and target in index]
    if _falls_through(last) and number + 1 < len(index):
        found.insert(0, number + 1)
    return tuple(dict.fromkeys(found))


def _falls_through(last: Instruction) -> bool:
    if last.predicate or last.name not in (*_JUMPS, *_LEAVES):
        return True
    # BRA.U UP0, BRA.DIV and their likes have their condition among the operands.
    return last.name in _PLAIN_JUMP and len(last.operands) > 1
