"""Reads the debugging information entries of a debug build's PTX (DWARF 2, sections 7.5 and 7.7), as NVVM writes them.

The sections are text: `.b8 3`, `.b32 .debug_loc+131`, `.b64 $L__tmp5`. Addresses therefore stay labels or names of
variables. Only the forms that NVVM uses are known; others raise ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

COMPILE_UNIT, SUBPROGRAM, LEXICAL_BLOCK, VARIABLE, PARAMETER = 0x11, 0x2E, 0x0B, 0x34, 0x05
BASE_TYPE, ENUMERATION, POINTER, REFERENCE = 0x24, 0x04, 0x0F, 0x10
ARRAY, SUBRANGE, MEMBER, INHERITANCE = 0x01, 0x21, 0x0D, 0x1C
STRUCTURES = {0x13, 0x02}
"""Structures and classes. Unions are left out: their members overlap."""
QUALIFIED = {0x26, 0x35, 0x16}
"""const, volatile, typedef."""
PLUS = 0x23
"""DW_OP_plus_uconst: adds the number that follows."""
LOCATION, NAME, SIZE, LOW, HIGH = 0x02, 0x03, 0x0B, 0x11, 0x12
UPPER_BOUND, COUNT, MEMBER_LOCATION, TYPE, BIT_SIZE = 0x2F, 0x37, 0x38, 0x49, 0x0D

_SECTION = re.compile(r"^[ \t]*\.section\s+(\.debug_\w+)\s*\{([^}]*)\}", re.MULTILINE)
_DATA = re.compile(r"^[ \t]*\.b(8|16|32|64)[ \t]+(.*)$", re.MULTILINE)
_UNIT_HEADER = 11
_FIXED = {0x0B: 1, 0x0C: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x13: 4}
_BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4}
_ADDRESS, _STRING, _SDATA, _UDATA, _ULEB_BLOCK = 0x01, 0x08, 0x0D, 0x0F, 0x09


@dataclass(frozen=True)
class Expression:
    """A location: its bytes, and the symbols in it by byte position."""

    data: bytes
    symbols: dict[int, str]


@dataclass
class Entry:
    """An entry at `offset` (bytes) of .debug_info. Addresses are labels; references are offsets of other entries."""

    offset: int
    tag: int
    values: dict[int, int | str | Expression]
    children: list[Entry] = field(default_factory=list)

    def number(self, attribute: int) -> int | None:
        """Returns the value of an attribute if it is a number, else None."""
        value = self.values.get(attribute)
        return value if isinstance(value, int) else None

    def text(self, attribute: int) -> str:
        """Returns the value of an attribute if it is a string or label, else ""."""
        value = self.values.get(attribute)
        return value if isinstance(value, str) else ""


class Section:
    """The bytes of a section, with symbols in it by position; `at` is where reading goes on."""

    def __init__(self, text: str) -> None:
        self.data = bytearray()
        self.symbols: dict[int, str] = {}
        self.at = 0
        for match in _DATA.finditer(text):
            size = int(match[1]) // 8
            for word in match[2].split(","):
                self._add(word.strip(), size)

    def _add(self, word: str, size: int) -> None:
        if re.fullmatch(r"\d+", word):
            self.data += int(word).to_bytes(size, "little")
            return
        name, _, offset = word.partition("+")
        self.symbols[len(self.data)] = name
        self.data += int(offset or 0).to_bytes(size, "little")

    @property
    def left(self) -> bool:
        """Whether there are bytes left to read."""
        return self.at < len(self.data)

    def take(self, size: int) -> bytes:
        """Reads `size` bytes. Raises ValueError if the section ends early."""
        if self.at + size > len(self.data):
            raise ValueError("a debugging section ends early")
        self.at += size
        return bytes(self.data[self.at - size : self.at])

    def number(self, size: int) -> int:
        """Reads an unsigned number of `size` bytes."""
        return int.from_bytes(self.take(size), "little")

    def address(self) -> str:
        """Reads an address; returns its symbol, or "" for a number."""
        symbol = self.symbols.get(self.at, "")
        self.take(8)
        return symbol

    def expression(self, size: int) -> Expression:
        """Reads a location of `size` bytes, with the symbols in it."""
        begin = self.at
        symbols = {at - begin: name for at, name in self.symbols.items() if begin <= at < begin + size}
        return Expression(self.take(size), symbols)

    def uleb(self) -> int:
        """Reads a ULEB128 number."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def string(self) -> str:
        """Reads a zero-terminated string."""
        end = self.data.index(0, self.at)
        text = self.take(end - self.at).decode("utf-8", "replace")
        self.take(1)
        return text


@dataclass
class Debugging:
    """The debugging information of a module: all entries by offset, the top-level ones, and the location lists."""

    top: list[Entry]
    entries: dict[int, Entry]
    lists: Section

    def ranges(self, offset: int) -> Iterator[tuple[str, str, Expression]]:
        """Yields (first label, label after the last, location) of the list at an offset."""
        section = self.lists
        section.at = offset
        while True:
            begin, end = section.address(), section.address()
            if not begin and not end:
                return
            yield begin, end, section.expression(section.number(2))


def read_debugging(ptx: str) -> Debugging | None:
    """Returns the debugging information of a PTX text, None if it has none.

    Raises ValueError for anything that NVVM does not write.
    """
    sections = {match[1]: Section(match[2]) for match in _SECTION.finditer(ptx)}
    if ".debug_info" not in sections or ".debug_abbrev" not in sections:
        return None
    info = sections[".debug_info"]
    shapes = _shapes(sections[".debug_abbrev"])
    info.take(_UNIT_HEADER)
    if info.data[4:6] != b"\2\0" or info.data[_UNIT_HEADER - 1] != 8:
        raise ValueError("not the debugging information of PTX")
    top: list[Entry] = []
    entries: dict[int, Entry] = {}
    open_lists = [top]
    while info.left and open_lists:
        offset = info.at
        code = info.uleb()
        if code == 0:
            open_lists.pop()
            continue
        if code not in shapes:
            raise ValueError(f"the entry at {offset} has an unknown shape")
        tag, has_children, attributes = shapes[code]
        entry = Entry(offset, tag, {name: _value(info, form) for name, form in attributes})
        entries[offset] = entry
        open_lists[-1].append(entry)
        if has_children:
            open_lists.append(entry.children)
    return Debugging(top, entries, sections.get(".debug_loc", Section("")))


def _shapes(section: Section) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
    shapes = {}
    while section.left:
        code = section.uleb()
        if code == 0:
            break
        tag, has_children = section.uleb(), bool(section.number(1))
        attributes = []
        while (pair := (section.uleb(), section.uleb())) != (0, 0):
            attributes.append(pair)
        shapes[code] = tag, has_children, attributes
    return shapes


def _value(info: Section, form: int) -> int | str | Expression:
    if form == _ADDRESS:
        return info.address()
    if form == _STRING:
        return info.string()
    if form in _FIXED:
        return info.number(_FIXED[form])
    if form in (_SDATA, _UDATA):
        # Signs are never used.
        return info.uleb()
    if form in _BLOCKS or form == _ULEB_BLOCK:
        return info.expression(info.uleb() if form == _ULEB_BLOCK else info.number(_BLOCKS[form]))
    raise ValueError(f"form {form:#x} of an attribute is not known")


def uleb(data: bytes) -> tuple[int, int]:
    """Decodes a ULEB128 number; returns it and the number of bytes it takes.

    Raises ValueError if the bytes end early.
    """
    value = 0
    for used, byte in enumerate(data, 1):
        value |= (byte & 127) << 7 * (used - 1)
        if byte < 128:
            return value, used
    raise ValueError("a location ends early")
