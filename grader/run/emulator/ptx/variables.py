"""Parses declarations of variables and parameters, with their initialisers."""

from __future__ import annotations

import struct

from grader.run.emulator.ptx.lexer import PtxSyntaxError
from grader.run.emulator.ptx.operands import Token, parse_number
from grader.run.emulator.ptx.syntax import Parameter, Variable
from grader.run.emulator.ptx.types import TYPES, PtxType

_LARGEST = 1 << 40
"""Bytes: more than any device has, yet sums of such sizes do not overflow."""
_LARGEST_ALIGN = 1 << 16
_LARGEST_PARAMETER = 1 << 20
"""Bytes. A kernel's parameters have far fewer, but functions take structs by value."""


def _declaration(statement: list[Token]) -> tuple[PtxType, int, str, int, int, list[Token]]:
    """Returns (element type, alignment, name, element count, vector length, initialiser) of a declaration."""
    words = [text for _, text in statement]
    element: PtxType | None = None
    align = vector = 0
    at = 1
    while words[at].startswith("."):
        word = words[at]
        if word == ".align":
            at += 1
            align = parse_number(words[at]).value
            if not 0 < align <= _LARGEST_ALIGN or align & (align - 1):
                raise PtxSyntaxError(f"an alignment of {words[at]} bytes")
        elif word in (".v2", ".v4"):
            vector = int(word[2])
        elif word[1:] in TYPES:
            element = TYPES[word[1:]]
        at += 1
        while at < len(words) and words[at - 1] == ".ptr" and words[at] in (".global", ".shared", ".const", ".local"):
            at += 1
    if element is None:
        raise PtxSyntaxError(f"declaration without a type: {' '.join(words[:8])}")
    name = words[at]
    at += 1
    count = 1
    while at < len(words) and words[at] == "[":
        if words[at + 1] == "]":
            count = 0
            at += 2
        else:
            count = min(count * parse_number(words[at + 1]).value, _LARGEST + 1)
            at += 3
    initialiser = statement[at + 1 :] if at < len(words) and words[at] == "=" else []
    return element, align or element.bytes * max(vector, 1), name, count, max(vector, 1), initialiser


def parse_parameter(statement: list[Token]) -> Parameter:
    """Returns the parameter that a declaration's tokens declare. Raises PtxSyntaxError."""
    element, align, name, count, vector, _ = _declaration(statement)
    if element.bytes * count * vector > _LARGEST_PARAMETER:
        raise PtxSyntaxError(f"parameter {name} of more than {_LARGEST_PARAMETER} bytes")
    return Parameter(name, element.bytes * count * vector, align)


def parse_variable(statement: list[Token], extern: bool = False) -> Variable:
    """Returns the variable that a declaration's tokens declare. Raises PtxSyntaxError."""
    element, align, name, count, vector, initialiser = _declaration(statement)
    size = 0 if extern and count == 0 else element.bytes * count * vector
    if size > _LARGEST:
        raise PtxSyntaxError(f"variable {name} of more than {_LARGEST} bytes")
    initial, references = _initial(initialiser, element)
    if len(initial) > size > 0:
        raise PtxSyntaxError(f"variable {name} of {size} bytes has values for {len(initial)}")
    return Variable(name, statement[0][1][1:], size, align, initial, references)


def _initial(stream: list[Token], element: PtxType) -> tuple[bytes, tuple[tuple[int, str, int], ...]]:
    data = bytearray()
    references: list[tuple[int, str, int]] = []
    at = 0
    while at < len(stream):
        kind, text = stream[at]
        if text in "{},()":
            at += 1
        elif kind == "number" or text == "-":
            negative = text == "-"
            at += negative
            number = parse_number(stream[at][1])
            value = -number.value if negative else number.value
            data += (value & ((1 << element.width) - 1)).to_bytes(element.bytes, "little")
            at += 1
        elif kind == "word" and text != "generic":
            addend = 0
            symbol = text
            at += 1
            if stream[at : at + 1] and stream[at][1] == ")":
                at += 1
            if stream[at : at + 1] and stream[at][1] in "+-":
                sign = 1 if stream[at][1] == "+" else -1
                addend = sign * parse_number(stream[at + 1][1]).value
                at += 2
            if element.bytes != 8:
                raise PtxSyntaxError(f"address of {symbol!r} in an initialiser of {element.bytes}-byte elements")
            references.append((len(data), symbol, addend))
            data += struct.pack("<Q", 0)
        else:
            at += 1
    return bytes(data), tuple(references)
