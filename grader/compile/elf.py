"""Reads sections and symbols of untrusted ELF files, within bounds.

No number in the file is trusted: whatever lies outside it or is too large is an error. Source: the System V ABI,
chapters 4 and 5, for 64-bit little-endian files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SECTION_LIMIT = 100_000
"""More than the largest libraries of templates produce."""

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAGIC = b"\x7fELF\x02\x01"
_NO_BITS = 8
_NAME_BYTES = 4096


class ElfError(ValueError):
    """The file is no ELF file, or an inconsistent one."""


@dataclass(frozen=True)
class Section:
    """A section. `size` is its size in memory; `data` is empty if the file stores none of it."""

    name: str
    size: int
    data: bytes


@dataclass(frozen=True)
class Symbol:
    """A symbol. `section` is its section's index, 0 if it is undefined here. `other` is st_other."""

    name: str
    section: int
    other: int = 0


def read_sections(data: bytes) -> tuple[Section, ...]:
    """Returns all sections in the order of their indices. Raises ElfError."""
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise ElfError("not a 64-bit little-endian ELF file")
    _, _, _, _, _, _, place, _, _, _, _, entry, count, names_at = _HEADER.unpack_from(data)
    if count > SECTION_LIMIT or (count and entry != _SECTION.size):
        raise ElfError(f"a table of {count} sections of {entry} bytes each")
    rows = [_SECTION.unpack(_slice(data, place + i * entry, entry)) for i in range(count)]
    if names_at >= len(rows):
        return ()
    if sum(row[5] for row in rows if row[1] != _NO_BITS) > len(data):
        # Each is copied; overlapping ones could be the whole file a thousand times.
        raise ElfError(f"sections of more bytes than the file's {len(data)}")
    names = _slice(data, rows[names_at][4], rows[names_at][5])
    texts = _Names(names)
    return tuple(
        Section(texts.at(name), size, b"" if kind == _NO_BITS else _slice(data, offset, size))
        for name, kind, _, _, offset, size, *_ in rows
    )


def by_name(sections: tuple[Section, ...]) -> Mapping[str, Section]:
    """The first section of each name."""
    return {section.name: section for section in reversed(sections)}


def read_symbols(table: Section, names: Section) -> Iterator[Symbol]:
    """Yields the symbols of a table such as `.dynsym`, with names from `.dynstr`. Raises ElfError."""
    if len(table.data) % _SYMBOL.size:
        raise ElfError(f"a symbol table of {len(table.data)} bytes")
    texts = _Names(names.data)
    for name, _, other, section, _, _ in _SYMBOL.iter_unpack(table.data):
        yield Symbol(texts.at(name), section, other)


def _slice(data: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(data):
        raise ElfError(f"{size} bytes at {offset} of a file of {len(data)} bytes")
    return data[offset : offset + size]


class _Names:
    """The names in a string table; all names read may total a few times its size, because names may share suffixes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = _NAME_BYTES + 8 * len(data)

    def at(self, place: int) -> str:
        end = self._data.find(b"\0", place, place + self._left)
        if place >= len(self._data) or end < 0:
            raise ElfError(f"a name at {place} of {len(self._data)} bytes")
        self._left -= end - place
        return self._data[place:end].decode(errors="replace")
