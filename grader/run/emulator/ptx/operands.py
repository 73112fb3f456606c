"""Parses one operand list from tokens."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from grader.run.emulator.ptx.lexer import PtxSyntaxError
from grader.run.emulator.ptx.syntax import (
    Address,
    Group,
    Immediate,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
)

Token = tuple[str, str]
_CLOSING = {"{": "}", "(": ")"}
_SELECTOR = re.compile(r"(.+)\.([bh][0-7]{1,4})")
"""A register and which of its bytes or halves a video instruction takes, as `%r1.b0`."""
_LONGEST = 64
"""Characters of a number: no 64-bit number has more, in any base."""


def parse_number(text: str) -> Immediate:
    """Returns the literal that a number token is. Raises PtxSyntaxError if no instruction can hold it."""
    if len(text) > _LONGEST:
        raise PtxSyntaxError(f"a number of {len(text)} characters: {text[:20]}…")
    head = text[:2].lower()
    if head == "0f":
        return Immediate(int(text[2:], 16), 32)
    if head == "0d":
        return Immediate(int(text[2:], 16), 64)
    if "." in text:
        return Immediate(int.from_bytes(struct.pack(">d", float(text)), "big"), 64)
    return Immediate(int(text.rstrip("U"), 0))


class OperandParser:
    """Reads operands from tokens; `resolve` turns a name into a Register or a Symbol. Raises PtxSyntaxError.

    `parts` has, after that, what is taken of each operand's register: see Instruction.
    """

    def __init__(self, stream: list[Token], resolve: Callable[[str], Register | Symbol]) -> None:
        self._stream = stream
        self._resolve = resolve
        self._at = 0
        self._part = ""
        self.parts: tuple[str, ...] = ()

    def operands(self) -> tuple[Operand, ...]:
        """Reads all operands up to the end of the tokens."""
        found = []
        parts = []
        while self._at < len(self._stream):
            self._part = ""
            found.append(self._operand())
            parts.append(self._part)
            if self._at < len(self._stream):
                self._expect(",")
        self.parts = tuple(parts) if any(parts) else ()
        return tuple(found)

    def _peek(self) -> str:
        return self._stream[self._at][1] if self._at < len(self._stream) else ""

    def _next(self) -> Token:
        if self._at >= len(self._stream):
            raise PtxSyntaxError("operand list ends early")
        self._at += 1
        return self._stream[self._at - 1]

    def _expect(self, mark: str) -> None:
        token = self._next()[1]
        if token != mark:
            raise PtxSyntaxError(f"{token!r} where {mark!r} was expected")

    def _operand(self) -> Operand:
        first = self._simple()
        if self._peek() == "|":
            self._next()
            return Pair(first, self._simple())
        return first

    def _simple(self) -> Operand:
        kind, text = self._next()
        if text in _CLOSING:
            items = []
            while self._peek() != _CLOSING[text]:
                items.append(self._operand())
                if self._peek() == ",":
                    self._next()
            self._next()
            return Group(tuple(items))
        if text == "[":
            return self._address()
        if text == "!":
            inner = self._simple()
            if not isinstance(inner, Register):
                raise PtxSyntaxError("! before something that is no predicate")
            return Negated(inner)
        if text == "-" and self._stream[self._at : self._at + 1] and self._stream[self._at][0] == "word":
            operand = self._simple()
            self._part = "-" + self._part
            return operand
        if text == "-":
            number = parse_number(self._next()[1])
            if number.floating:
                return Immediate(number.value ^ 1 << number.floating - 1, number.floating)
            return Immediate(-number.value)
        if kind == "number":
            return parse_number(text)
        if kind == "word":
            base = self._resolve(text)
            selected = _SELECTOR.fullmatch(text)
            if selected is not None and isinstance(register := self._resolve(selected[1]), Register):
                self._part = selected[2]
                return register
            if isinstance(base, Symbol) and self._peek() in ("+", "-"):
                return Symbol(base.name, self._offset())
            return base
        raise PtxSyntaxError(f"unexpected {text!r} in an operand")

    def _offset(self) -> int:
        offset = 0
        while self._peek() in ("+", "-"):
            sign = 1 if self._next()[1] == "+" else -1
            if self._peek() == "-":
                self._next()
                sign = -sign
            offset += sign * parse_number(self._next()[1]).value
        return offset

    def _address(self) -> Address:
        kind, text = self._next()
        if kind == "number":
            address = Address(None, parse_number(text).value)
        else:
            address = Address(self._resolve(text), self._offset())
        self._expect("]")
        return address
