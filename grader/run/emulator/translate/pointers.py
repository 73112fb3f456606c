"""Finds the arrays that a kernel may write to: the parameters and variables through which it stores.

Every array has its own address slot, so that a pointer derived from a parameter stays in that parameter's array.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from grader.run.emulator.ptx.syntax import Address, Function, Group, Instruction, Operand, PtxModule, Symbol, types_of
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.translate.cfg import Program, callee
from grader.run.emulator.translate.storage import reads_and_writes

Source = tuple[str, int]
"""A parameter's name and a byte offset in it, or a variable's name and 0."""
_UNKNOWN: Source = ("", 0)
_MOST_SOURCES = 64
_SHARED_OR_LOCAL = {"shared", "shared::cta", "local", "param", "param::entry", "param::func"}


def find_written_sources(module: PtxModule, program: Program) -> frozenset[Source] | None:
    """Returns the sources of all global addresses that the kernel writes to; None if they cannot be known."""
    for name, function in program.functions.items():
        if name != program.kernel and any(True for _ in _stores(function)):
            return None
    kernel = program.functions[program.kernel]
    sources = _sources(module, kernel)
    found: set[Source] = set()
    for address in _stores(kernel):
        if address is None:
            return None
        if isinstance(address.base, Symbol):
            through = _symbol(module, kernel, address.base.name)
        else:
            through = sources.get(address.base.name, set()) if address.base is not None else set()
            if not through:
                return None
        if _UNKNOWN in through:
            return None
        found |= through
    return frozenset(found)


def _stores(function: Function) -> Iterator[Address | None]:
    """Yields the global addresses that a function writes to; None for one that is not understood."""
    for item in function.body or ():
        if not isinstance(item, Instruction) or item.traits.only_reads or _SHARED_OR_LOCAL & set(item.modifiers):
            continue
        if item.traits.flow is Flow.CALL:
            if callee(item) is None:
                yield None
            continue
        addresses = [operand for operand in item.operands if isinstance(operand, Address)]
        yield from addresses if item.traits.writes else [None] * len(addresses)


def _symbol(module: PtxModule, function: Function, name: str) -> set[Source]:
    variable = module.variables.get(name)
    if variable is None or variable.space == "shared" or name in function.variables:
        return set()
    return {(name, 0)}


def _symbols(operand: Operand) -> list[str]:
    if isinstance(operand, Symbol):
        return [operand.name]
    return [name for item in operand.items for name in _symbols(item)] if isinstance(operand, Group) else []


def _sources(module: PtxModule, function: Function) -> dict[str, set[Source]]:
    """Returns, by register, what a pointer in it may derive from, on any path.

    More than _MOST_SOURCES sources count as unknown, so that each register is visited only a few times.
    """
    sources: dict[str, set[Source]] = {}
    readers: dict[str, list[Instruction]] = {}
    ahead = deque(item for item in function.body or () if isinstance(item, Instruction) and reads_and_writes(item)[1])
    for item in ahead:
        for name in reads_and_writes(item)[0]:
            readers.setdefault(name, []).append(item)
    while ahead:
        item = ahead.popleft()
        reads, writes = reads_and_writes(item)
        made = _made(module, function, item, sources, reads)
        for name in writes:
            known = sources.setdefault(name, set())
            if made <= known or _UNKNOWN in known:
                continue
            known |= made
            if len(known) > _MOST_SOURCES:
                known.add(_UNKNOWN)
            ahead += readers.get(name, ())
    return sources


def _made(
    module: PtxModule, function: Function, item: Instruction, sources: dict[str, set[Source]], reads: list[str]
) -> set[Source]:
    if item.traits.is_load or item.traits.is_atomic:
        return _loaded(function, item)
    made = {source for name in reads for source in sources.get(name, ())}
    for operand in item.operands[1:]:
        for name in _symbols(operand):
            made |= _symbol(module, function, name)
    return made


def _loaded(function: Function, item: Instruction) -> set[Source]:
    """Returns what a load may have fetched.

    A pointer in a parameter is known by its place; one in memory is unknown; narrower values are no pointers.
    """
    kinds = types_of(item)
    width = kinds[-1].bytes if kinds else 8
    if width < 8:
        return set()
    address = item.operands[1]
    parameters = {p.name for p in function.parameters}
    if isinstance(address, Address) and isinstance(address.base, Symbol) and address.base.name in parameters:
        count = len(item.operands[0].items) if isinstance(item.operands[0], Group) else 1
        return {(address.base.name, address.offset + width * index) for index in range(count)}
    return {_UNKNOWN}
