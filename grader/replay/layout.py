"""The types and variables of a debug build, as a Trace has them, from its debugging information."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.replay.model import Member, Type, Variable
from grader.run.emulator.locals import Local, Locals
from grader.run.emulator.ptx import dwarf
from grader.run.emulator.ptx.dwarf import Entry, Expression, uleb
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.types import PtxType

_ENCODING = 0x3E
_ENCODINGS = {2: "bool", 4: "float", 5: "signed", 6: "char", 7: "unsigned", 8: "unsigned"}
"""DW_ATE (DWARF 2, section 7.8)."""
_HALVES = {"__half": "float", "half": "float", "__nv_bfloat16": "bfloat16"}
"""Structs of the headers that hold the bits of one number."""
NAMED = {
    **dict.fromkeys(("half", "__half"), ("half", 2, "float")),
    **dict.fromkeys(("nv_bfloat16", "__nv_bfloat16"), ("__nv_bfloat16", 2, "bfloat16")),
    **dict.fromkeys(("signed char", "int8_t"), ("signed char", 1, "signed")),
    **dict.fromkeys(("unsigned char", "uint8_t"), ("unsigned char", 1, "unsigned")),
    "char": ("char", 1, "char"),
    "int": ("int", 4, "signed"),
    "float": ("float", 4, "float"),
    "double": ("double", 8, "float"),
}
"""The name, the bytes and the encoding of types that are often moved as others: by words, or 16 bytes at once."""
_VECTOR = re.compile(r"(int|float|double)([2-4])")
_VECTOR_MEMBERS = ("x", "y", "z", "w")
_BASE = "__b_"
"""A base class is described as a member whose name begins so."""
_MOST_DEPTH = 8

UNKNOWN = Type("byte", "scalar", 1, encoding="unsigned")


@dataclass
class TypeTable:
    """The types of a trace, in which others name them by their index."""

    found: list[Type] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def add(self, type: Type) -> int:
        """The number of a type, which is added if it is new."""
        if type not in self._numbers:
            self._numbers[type] = len(self.found)
            self.found.append(type)
        return self._numbers[type]

    def of_width(self, name: str, size: int, encoding: str) -> int:
        """The number of a scalar type."""
        return self.add(Type(name, "scalar", size, encoding=encoding))

    def of_ptx(self, kind: PtxType) -> int:
        """The number of the C type that an access of this type is usually of."""
        names = {("f", 8): "double", ("f", 4): "float", ("f", 2): "half", ("s", 4): "int", ("s", 8): "long long"}
        name = names.get((kind.kind, kind.bytes), {1: "char", 2: "short", 4: "unsigned int", 8: "size_t"}[kind.bytes])
        encodings = {"f": "float", "s": "signed"}
        return self.of_width(name, kind.bytes, encodings.get(kind.kind, "unsigned"))

    def of_name(self, name: str, bytes: int) -> int | None:
        """The number of the type that has this name in C++: one of NAMED, a vector, or a struct that some variable has.
        None if it is none of these, or if `bytes` are not a whole number of it."""
        if name in NAMED:
            return self.of_width(*NAMED[name])
        if vector := _VECTOR.fullmatch(name):
            part = self.of_width(*NAMED[vector[1]])
            size = self.found[part].size
            members = (Member(each, part, at * size) for at, each in enumerate(_VECTOR_MEMBERS[: int(vector[2])]))
            self.add(Type(name, "vector", size * int(vector[2]), members=tuple(members)))
        known = (
            number
            for number, type in enumerate(self.found)
            if type.name == name and type.members and bytes % type.size == 0
        )
        return next(known, None)

    def of_local(self, locals: Locals, local: Local) -> int:
        """The number of a variable's type."""
        return self._of(locals, local.type, 0)

    def _of(self, locals: Locals, offset: int | None, depth: int) -> int:
        types = locals.types
        entry, name, size = types.entry(offset), types.name(offset), types.size(offset)
        if entry is None or depth > _MOST_DEPTH:
            return self.add(Type(name or UNKNOWN.name, "scalar", size or 1, encoding="unsigned"))
        inner = entry.number(dwarf.TYPE)
        if entry.tag in (dwarf.POINTER, dwarf.REFERENCE):
            pointed = types.name(inner) or "void"
            aim = types.entry(inner)
            # Of structs it is not followed: a list's node points to one of its own type.
            plain = aim is not None and aim.tag == dwarf.BASE_TYPE
            return self.add(Type(f"{pointed}*", "pointer", size, self._of(locals, inner, depth + 1) if plain else -1))
        if entry.tag == dwarf.ARRAY:
            return self._array(locals, entry, types.extents(entry), depth)
        if entry.tag in dwarf.STRUCTURES:
            # What a typedef names is known by its own name.
            half = name if name in _HALVES else entry.text(dwarf.NAME)
            if half in _HALVES:
                return self.of_width(half, size, _HALVES[half])
            members = tuple(self._members(locals, entry, depth))
            plain = all(self.found[m.type].kind == "scalar" for m in members)
            is_vector = bool(members) and tuple(m.name for m in members) == _VECTOR_MEMBERS[: len(members)] and plain
            return self.add(Type(name, "vector" if is_vector else "struct", size, members=members))
        encoding = _ENCODINGS.get(
            entry.number(_ENCODING) or 0, "signed" if entry.tag == dwarf.ENUMERATION else "unsigned"
        )
        return self.of_width(name, size or 1, encoding)

    def _array(self, locals: Locals, entry: Entry, extents: Sequence[int], depth: int) -> int:
        number = self._of(locals, entry.number(dwarf.TYPE), depth + 1)
        for extent in reversed(extents):
            element = self.found[number]
            base, _, rest = element.name.partition("[")
            name = f"{base}[{extent}]" + (f"[{rest}" if rest else "")
            number = self.add(Type(name, "array", extent * element.size, number, extent))
        return number

    def _members(self, locals: Locals, entry: Entry, depth: int) -> list[Member]:
        found = []
        for member in entry.children:
            place = member.values.get(dwarf.MEMBER_LOCATION)
            if member.tag not in (dwarf.MEMBER, dwarf.INHERITANCE) or not isinstance(place, Expression):
                continue
            if member.number(dwarf.BIT_SIZE) is not None or place.data[:1] != bytes([dwarf.PLUS]):
                continue
            kind, offset = member.number(dwarf.TYPE), uleb(place.data[1:])[0]
            name = member.text(dwarf.NAME) or locals.types.name(kind)
            is_base = member.tag == dwarf.INHERITANCE or name.startswith(_BASE)
            base = locals.types.entry(kind) if is_base else None
            if base is not None and depth < _MOST_DEPTH:
                # In C++ the members of a base are named as the class's own are.
                inherited = self._members(locals, base, depth + 1)
                found += [Member(one.name, one.type, offset + one.offset) for one in inherited]
                continue
            found.append(Member(name, self._of(locals, kind, depth + 1), offset))
        return found


def variable_of(
    local: Local, type: int, function: int, body: Sequence[Instruction], lines: tuple[int, int]
) -> Variable:
    """A local variable, in scope from its declaration to the last line of its block; `lines` are its function's.

    `body`: the function's instructions.
    """
    within = [i.line for i in body[local.begin : local.end] if i.line]
    first, last = (lines[0] if local.parameter else local.line or lines[0]), max(within, default=lines[1])
    storage = "parameter" if local.parameter else "local"
    return Variable(local.name, type, function, 0, local.line, min(first, last), max(first, last), storage)
