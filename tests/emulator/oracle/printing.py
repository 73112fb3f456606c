"""The functions that a kernel may call without defining them: printf, and the end of a failed assert."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .access import Access
from .state import Index, Trap
from .words import integer


def _printf(block: Access, who: Index, arguments: list[NDArray[np.uint8]]) -> None:
    memory = block.launch.memory
    for thread in who.tolist():
        text, values = (int(a[thread].view(np.uint64)[0]) for a in arguments)
        block.launch.printed += format_c(memory.text(text), block, thread, values)


def format_c(text: str, block: Access, thread: int, address: int) -> str:
    """C's printf over a buffer of arguments, each at its natural alignment."""
    at = address

    def take(size: int) -> int:
        nonlocal at
        at = -(-at // size) * size
        value = int.from_bytes(block.cell("generic", thread, at, size).tobytes(), "little")
        at += size
        return value

    def one(match: re.Match[str]) -> str:
        flags, long, letter = match[1], match[2], match[3]
        if letter == "%":
            return "%"
        wide = 8 if "ll" in long or long == "l" or letter in "spfeEgG" else 4
        value: Any = take(wide)
        if letter in "fFeEgG":
            value = struct.unpack("<d", value.to_bytes(8, "little"))[0]
        elif letter == "s":
            value = block.launch.memory.text(value)
        elif letter in "di":
            value = integer(value, f"s{8 * wide}")
        return f"%{flags}{'d' if letter == 'u' else letter}" % (value & 255 if letter == "c" else value)

    return re.sub(r"%([-+ #0-9.]*)(l{0,2}|h{0,2})([diuxXoscfeEgGp%])", one, text)


def _assert_fail(block: Access, who: Index, arguments: list[NDArray[np.uint8]]) -> None:
    raise Trap(block.launch.memory.text(int(arguments[0][who[0]].view(np.uint64)[0])))


BUILTIN: dict[str, Callable[[Access, Index, list[NDArray[np.uint8]]], None]] = {
    "vprintf": _printf,
    "__assertfail": _assert_fail,
}
