"""Readable names of variables and functions: the source's name for what PTX calls `_ZZ6kernelPfE4tile`."""

from __future__ import annotations

import re
from functools import lru_cache

_COMPONENT = re.compile(r"(\d{1,9})")
_FUNCTION = re.compile(r"_Z(?:(NK?)|L)?(?=\d)")
_LENGTH = re.compile(r"(B?)(\d{1,9})")


def _components(mangled: str) -> list[str]:
    """Returns the length-prefixed identifiers of a mangled name, in order (Itanium C++ ABI, <source-name>)."""
    found = []
    at = 0
    while match := _COMPONENT.search(mangled, at):
        start, length = match.end(), int(match[1])
        name = mangled[start : start + length]
        if length and len(name) == length and not name[0].isdigit():
            found.append(name)
            at = start + length
        else:
            at = match.end()
    return found


@lru_cache(1024)
def source_name(symbol: str) -> str:
    """Returns the last identifier of a mangled symbol; any other symbol unchanged."""
    if not symbol.startswith("_Z"):
        return symbol
    parts = _components(symbol)
    return parts[-1] if parts else symbol


@lru_cache(1024)
def function_name(symbol: str) -> str:
    """Returns a function's own name, without namespaces, arguments and tags."""
    match = _FUNCTION.match(symbol)
    if match is None:
        return source_name(symbol)
    found, at = "", match.end()
    while length := _LENGTH.match(symbol, at):
        at = length.end() + int(length[2])
        # numba tells versions of a function apart by tags (Itanium C++ ABI, <abi-tag>).
        if not length[1]:
            found = symbol[length.end() : at]
            if not match[1]:
                break
    return found or symbol
