"""Finds the loads of a struct's copy that may be of its padding, which needs no value.

The compiler copies a struct by loads from neighbouring addresses, padding included, and stores what it has loaded. It
copies padding as bytes, several at once, and what follows as words; or an aligned struct as one vector.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.ptx.syntax import Address, Function, Group, Instruction, Label, Operand, Register, type_of

_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


@dataclass(frozen=True)
class Padding:
    """Loads, by their first registers: `whole` may be all padding; of `rest`, all components but the first may be.

    The first piece of a struct is a member: if it is unset, all of the struct is.
    """

    whole: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()


def find_padding(function: Function) -> Padding:
    """Finds the loads of a function that may be of padding."""
    body = function.body or []
    copied = _only_stored(body)
    whole: set[str] = set()
    rest: set[str] = set()
    follows: tuple[Operand | None, int, bool] = (None, 0, False)
    for item in body:
        if isinstance(item, Label) or item.traits.is_store:
            follows = (None, 0, False)
        if isinstance(item, Label) or not item.traits.is_load or not isinstance(item.operands[1], Address):
            continue
        base, offset = item.operands[1].base, item.operands[1].offset
        kind, count = type_of(item), next((_VECTORS[m] for m in item.modifiers if m in _VECTORS), 1)
        registers = _registers(item.operands[0])
        goes_on = base is not None and follows[:2] == (base, offset)
        integers = not kind.is_float and bool(registers) and registers <= copied
        some = integers and (kind.bytes == 1 or (goes_on and follows[2]))
        first = _first(item.operands[0])
        if some and goes_on:
            whole.add(first)
        elif integers and count > 1:
            rest.add(first)
        follows = (base, offset + kind.bytes * count, some)
    return Padding(frozenset(whole), frozenset(rest))


def _only_stored(body: list[Instruction | Label]) -> set[str]:
    """Returns the registers whose values are only used by stores."""
    stored: set[str] = set()
    used: set[str] = set()
    for item in body:
        if isinstance(item, Label):
            continue
        for place, operand in enumerate(item.operands):
            if item.traits.is_store and place == 1:
                stored |= _registers(operand)
            elif not (item.traits.is_load and place == 0):
                used |= _registers(operand)
    return stored - used


def _registers(operand: Operand) -> set[str]:
    items = operand.items if isinstance(operand, Group) else (operand,)
    bases = [item.base if isinstance(item, Address) else item for item in items]
    return {base.name for base in bases if isinstance(base, Register)}


def _first(operand: Operand) -> str:
    first = operand.items[0] if isinstance(operand, Group) else operand
    return first.name if isinstance(first, Register) else ""
