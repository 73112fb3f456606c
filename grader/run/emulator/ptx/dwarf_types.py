"""Types in the debugging information of a debug build: their sizes, and the name of the part that some bytes are."""

from __future__ import annotations

from grader.run.emulator.ptx import dwarf
from grader.run.emulator.ptx.dwarf import Entry, Expression

POINTER_BYTES = 8
LONGEST_NAME = 80


class Types:
    """The types of one module, from its entries by offset."""

    def __init__(self, entries: dict[int, Entry]) -> None:
        self._entries = entries

    def _type(self, offset: int | None) -> Entry | None:
        """Returns the entry of a type without typedefs and qualifiers."""
        entry = self._entries.get(offset or 0)
        while entry is not None and entry.tag in dwarf.QUALIFIED:
            entry = self._entries.get(entry.number(dwarf.TYPE) or 0)
        return entry

    def entry(self, offset: int | None) -> Entry | None:
        """Returns the entry of a type without typedefs and qualifiers; None if unknown."""
        return self._type(offset)

    def extents(self, array: Entry) -> list[int]:
        """Returns the extent of each dimension of an array; an empty list if one is unknown."""
        return _extents(array)

    def name(self, offset: int | None) -> str:
        """Returns the name by which a type is declared, without qualifiers; "" for a type without one."""
        entry = self._entries.get(offset or 0)
        while entry is not None and entry.tag in dwarf.QUALIFIED and not entry.text(dwarf.NAME):
            entry = self._entries.get(entry.number(dwarf.TYPE) or 0)
        return entry.text(dwarf.NAME) if entry is not None else ""

    def size(self, offset: int | None) -> int:
        """Returns the bytes of a type; 0 if unknown."""
        entry = self._type(offset)
        if entry is None:
            return 0
        if entry.tag in (dwarf.POINTER, dwarf.REFERENCE):
            return POINTER_BYTES
        if entry.tag == dwarf.ARRAY:
            size = self.size(entry.number(dwarf.TYPE))
            for extent in _extents(entry):
                size *= extent
            return size
        return entry.number(dwarf.SIZE) or 0

    def part(self, offset: int | None, inside: int, size: int) -> str:
        """Returns the part of a type that `size` bytes at offset `inside` are, such as `[3].x`; "" if none."""
        entry = self._type(offset)
        if entry is None:
            return ""
        if entry.tag == dwarf.ARRAY:
            return self._element(entry, inside, size)
        if entry.tag not in dwarf.STRUCTURES:
            return ""
        for member in entry.children:
            place = member.values.get(dwarf.MEMBER_LOCATION)
            if member.tag not in (dwarf.MEMBER, dwarf.INHERITANCE) or not isinstance(place, Expression):
                continue
            begin, kind, name = dwarf.uleb(place.data[1:])[0], member.number(dwarf.TYPE), member.text(dwarf.NAME)
            whole = place.data[0] == dwarf.PLUS and member.number(dwarf.BIT_SIZE) is None
            if not whole or not begin <= inside <= begin + self.size(kind) - size:
                continue
            if member.tag == dwarf.INHERITANCE:
                return self.part(kind, inside - begin, size)
            if not name.isidentifier() or name.startswith("__") or len(name) > LONGEST_NAME:
                return ""
            return f".{name}{self.part(kind, inside - begin, size)}"
        return ""

    def _element(self, array: Entry, inside: int, size: int) -> str:
        kind, extents = array.number(dwarf.TYPE), _extents(array)
        each = self.size(kind)
        if not each or not extents or inside % each + size > each:
            return ""
        number, indices = inside // each, ""
        for extent in reversed(extents):
            indices = f"[{number % extent}]{indices}"
            number //= extent
        return indices + self.part(kind, inside % each, size)


def _extents(array: Entry) -> list[int]:
    """Returns the extent of each dimension; an empty list if one is unknown."""
    found = []
    for child in array.children:
        if child.tag == dwarf.SUBRANGE:
            count, last = child.number(dwarf.COUNT), child.number(dwarf.UPPER_BOUND)
            found.append(count if count is not None else (last + 1 if last is not None else 0))
    return found if all(found) else []
