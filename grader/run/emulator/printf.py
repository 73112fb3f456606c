"""Device `printf`: formats what a thread passed to vprintf (CUDA programming guide, "Formatted Output").

Arguments are in a buffer, each at a multiple of its own size; floats arrive as doubles.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

_SPECIFIER = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|[1-9]\d*)?(?:\.(?P<precision>\*|\d+))?"
    r"(?P<length>hh|h|ll|l|z|j|t)?(?P<kind>[diouxXeEfFgGaAcspn%])"
)
_LONG = {"l", "ll", "z", "j", "t"}
_WIDEST = 4096
_LONGEST = 1 << 16
_WRAP = {"hh": 8, "h": 16}


class _Arguments:
    def __init__(self, buffer: bytes) -> None:
        self._buffer = buffer
        self._at = 0

    def take(self, size: int) -> bytes:
        start = -(-self._at // size) * size
        self._at = start + size
        return self._buffer[start : self._at].ljust(size, b"\0")

    def integer(self, size: int, signed: bool) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)


def c_string(data: bytes) -> str:
    """Decodes a C string, truncated if it is too long for a device's printf buffer."""
    return data[:_LONGEST].split(b"\0", 1)[0].decode("utf-8", "replace")


def _count(text: str | None, arguments: _Arguments) -> int | None:
    if text is None:
        return None
    if text == "*":
        return arguments.integer(4, True)
    # Python refuses to convert thousands of digits, and such a width is too large anyway.
    digits = text.lstrip("0")
    return int(digits or "0") if len(digits) <= len(str(_WIDEST)) else _WIDEST + 1


def format_printf(text: str, buffer: bytes, string_at: Callable[[int], bytes]) -> str:
    """Returns the text that printf prints; `string_at` returns the bytes from a device address on."""
    arguments = _Arguments(buffer)

    def one(match: re.Match[str]) -> str:
        kind = match["kind"]
        if kind == "%":
            return "%"
        width, precision = (_count(match[part], arguments) for part in ("width", "precision"))
        if max(abs(width or 0), precision or 0) > _WIDEST:
            return match[0]
        # A negative precision counts as none (C11, 7.21.6.1).
        point = f".{precision}" if precision is not None and precision >= 0 else ""
        spec = "%" + (match["flags"] or "") + (str(width) if width is not None else "") + point
        if kind in "eEfFgGaA":
            value = struct.unpack("<d", arguments.take(8))[0]
            return float(value).hex() if kind in "aA" else str((spec + kind) % value)
        if kind == "s":
            return (spec + "s") % c_string(string_at(arguments.integer(8, False)))
        if kind == "p":
            return (spec + "s") % hex(arguments.integer(8, False))
        if kind == "c":
            return (spec + "c") % chr(arguments.integer(4, False) & 0xFF)
        if kind == "n":
            arguments.take(8)
            return ""
        signed = kind in "di"
        number = arguments.integer(8 if match["length"] in _LONG else 4, signed)
        bits = _WRAP.get(match["length"] or "")
        if bits:
            number &= (1 << bits) - 1
            if signed and number >> (bits - 1):
                number -= 1 << bits
        return (spec + ("d" if kind in "diu" else kind)) % number

    return _SPECIFIER.sub(one, text)
