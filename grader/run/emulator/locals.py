"""Names a debug build's local variables, by the place that holds them: a register, or bytes of local memory.

It answers only what the debugging information says for sure: one variable, in its scope, at that instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.run.emulator.ptx import dwarf
from grader.run.emulator.ptx.dwarf import Debugging, Entry, Expression, uleb
from grader.run.emulator.ptx.dwarf_types import LONGEST_NAME, POINTER_BYTES, Types
from grader.run.emulator.ptx.syntax import Instruction, Label, PtxModule

_LOCATED_AT, _IN_REGISTER = 0x03, 0x90
_ORIGIN, _FILE, _LINE = 0x31, 0x3A, 0x3B
_INLINED = 0x1D


@dataclass(frozen=True)
class Place:
    """Where a variable is between two instructions: in a register, or at an offset (bytes) of a depot."""

    begin: int
    end: int
    symbol: str
    offset: int | None = None


@dataclass(frozen=True)
class Local:
    """A local variable. `parameter`: of a function; `own`: declared in the submission, not in a header."""

    name: str
    parameter: bool
    own: bool
    places: tuple[Place, ...]
    type: int
    line: int = 0
    begin: int = 0
    end: int = 0
    """Where it is in scope: instructions from `begin` to below `end`. `line` declares it."""


@dataclass(frozen=True)
class _Scope:
    """A part of a function; `file` is the number of the file that declares it."""

    function: str
    begin: int
    end: int
    file: int | None


@dataclass(frozen=True)
class Use:
    """A use of a register that may be unset, in a block. `loaded`: the warp's scratch then holds its address."""

    function: str
    block: int
    register: str
    loaded: bool


class Locals:
    """The local variables of one module. Instructions are numbered within their function.

    The debugging information is read at the first look-up: few programs are faulty.
    """

    def __init__(self, ptx: str, module: PtxModule) -> None:
        self._ptx = ptx
        self._module = module
        self._numbers: dict[int, int] = {}
        self._labels: dict[str, tuple[str, int]] = {}
        self._number()
        self._found: dict[str, list[Local]] | None = None
        self._types = Types({})

    def _number(self) -> None:
        for function in self._module.functions.values():
            count = 0
            for item in function.body or ():
                if isinstance(item, Label):
                    self._labels[item.name] = function.name, count
                else:
                    self._numbers[id(item)] = count
                    count += 1

    def _of(self, function: str) -> list[Local]:
        if self._found is None:
            self._found = {}
            try:
                debugging = dwarf.read_debugging(self._ptx)
                if debugging is not None:
                    self._types = Types(debugging.entries)
                    self._walk(debugging, debugging.top, self._found, None)
            except (LookupError, ValueError):
                # Not as the compiler writes it: then no variable has a name.
                self._found = {}
        return self._found.get(function, [])

    def of(self, function: str) -> list[Local]:
        """Returns the variables of the submission that a function has."""
        return [local for local in self._of(function) if local.own]

    def number(self, instruction: Instruction) -> int:
        """Returns the number of an instruction within its function, -1 for one that the translation has added."""
        return self._numbers.get(id(instruction), -1)

    @property
    def types(self) -> Types:
        """The types of the variables."""
        return self._types

    def in_register(self, function: str, at: Instruction, register: str) -> Local | None:
        """Returns the variable that a register holds where an instruction begins; None if that is not sure."""
        here = self._numbers.get(id(at))
        found = [local for local in self._of(function) if here is not None and _is_in(local, here, register)]
        return found[0] if len(found) == 1 else None

    def in_memory(self, function: str, at: Instruction, depot: str, offset: int, size: int) -> str:
        """Returns the variable that has these bytes, with element or member: `sum[3]`, `q.x`; "" if unsure."""
        here = self._numbers.get(id(at))
        names = []
        for local in self._of(function):
            for place in local.places:
                if here is None or not place.begin <= here < place.end:
                    continue
                if place.symbol == depot and place.offset is not None:
                    inside = offset - place.offset
                    if local.own and 0 <= inside <= self._types.size(local.type) - size:
                        names.append(local.name + self._types.part(local.type, inside, size))
        return names[0] if len(names) == 1 else ""

    # What the debugging information says

    def _walk(
        self, debugging: Debugging, entries: list[Entry], found: dict[str, list[Local]], around: _Scope | None
    ) -> None:
        for entry in entries:
            scope = around
            if entry.tag in (dwarf.SUBPROGRAM, dwarf.LEXICAL_BLOCK, _INLINED):
                scope = self._scope(entry, around)
            elif entry.tag in (dwarf.VARIABLE, dwarf.PARAMETER) and around is not None:
                local = self._local(debugging, entry, around)
                if local is not None:
                    found.setdefault(around.function, []).append(local)
            self._walk(debugging, entry.children, found, scope)

    def _scope(self, entry: Entry, around: _Scope | None) -> _Scope | None:
        begin, end = (self._labels.get(entry.text(name)) for name in (dwarf.LOW, dwarf.HIGH))
        if begin is None or end is None or begin[0] != end[0]:
            return None
        file = around.file if around is not None else entry.number(_FILE)
        return _Scope(begin[0], begin[1], end[1], file)

    def _local(self, debugging: Debugging, entry: Entry, scope: _Scope) -> Local | None:
        origin = debugging.entries.get(entry.number(_ORIGIN) or 0, entry)
        name, kind = origin.text(dwarf.NAME), origin.number(dwarf.TYPE)
        places = tuple(self._places(debugging, entry, scope))
        if not name.isidentifier() or len(name) > LONGEST_NAME or kind is None or not places:
            return None
        # A header's functions have no lines of the submission; what is inlined from a header is declared there.
        body = self._module.functions[scope.function].body or ()
        has_lines = any(isinstance(item, Instruction) and item.line for item in body)
        own = has_lines and origin.number(_FILE) == scope.file
        line = origin.number(_LINE) or 0
        return Local(name, entry.tag == dwarf.PARAMETER, own, places, kind, line, scope.begin, scope.end)

    def _places(self, debugging: Debugging, entry: Entry, scope: _Scope) -> Iterator[Place]:
        location = entry.values.get(dwarf.LOCATION)
        if isinstance(location, Expression):
            yield from _place(location, scope.begin, scope.end)
        elif isinstance(location, int):
            for first, last, expression in debugging.ranges(location):
                begin, end = self._labels[first][1], self._labels[last][1]
                yield from _place(expression, max(begin, scope.begin), min(end, scope.end))


def _is_in(local: Local, here: int, register: str) -> bool:
    return any(p.symbol == register and p.offset is None and p.begin <= here < p.end for p in local.places)


def _place(location: Expression, begin: int, end: int) -> Iterator[Place]:
    """Decodes a location; a register is named by its characters in one number, the last of them lowest."""
    data = location.data
    if data[:1] == bytes([_IN_REGISTER]):
        number, used = uleb(data[1:])
        if used == len(data) - 1:
            yield Place(begin, end, number.to_bytes(-(-number.bit_length() // 8), "big").decode("ascii"))
    elif data[:1] == bytes([_LOCATED_AT]) and 1 in location.symbols:
        rest = data[1 + POINTER_BYTES :]
        offset, used = uleb(rest[1:]) if rest[:1] == bytes([dwarf.PLUS]) else (0, -1)
        if used + 1 == len(rest):
            yield Place(begin, end, location.symbols[1], offset)
