"""Reads the extents and types of shared arrays from the source: a debug build does not describe them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUALIFIERS = ("__align__", "alignas", "const", "volatile", "static", "struct")


def declared_type(lines: Sequence[str], name: str) -> str | None:
    """The type that the source declares for the elements of a shared array; None if the array is not found."""
    declared = re.search(rf"__shared__([^;]*?)\b{re.escape(name)}\s*\[", "\n".join(lines))
    if declared is None:
        return None
    head, _, others = re.sub(r"\([^)]*\)", "", declared[1]).partition("[")
    words = [word for word in re.findall(r"\w+", head) if word not in _QUALIFIERS]
    # Of several arrays that are declared together, the first's name follows the type.
    return " ".join(words[:-1] if others else words)


def declared_shape(lines: Sequence[str], name: str, count: int) -> tuple[int, ...]:
    """The extents that the source declares, if they multiply to `count`; else one dimension."""
    text = "\n".join(lines)
    declared = re.search(rf"__shared__[^;]*?\b{re.escape(name)}((?:\s*\[[^\]]*\])+)", text)
    if declared is None:
        return (count,)
    constants = dict(re.findall(r"(?:#\s*define|constexpr\s+\w+|const\s+\w+)\s+(\w+)\s*=?\s*(\d+)", text))
    extents = []
    for expression in re.findall(r"\[([^\]]*)\]", declared[1]):
        parts = [constants.get(part.strip(), part.strip()) for part in re.split(r"([+*])", expression)]
        if not all(part.isdecimal() or part in "+*" for part in parts):
            return (count,)
        extents.append(_evaluate(parts))
    product = 1
    for extent in extents:
        product *= extent
    return tuple(extents) if product == count else (count,)


def _evaluate(parts: Sequence[str]) -> int:
    """A sum of products of numbers."""
    total = 0
    for summand in "".join(parts).split("+"):
        product = 1
        for factor in summand.split("*"):
            product *= int(factor or 0)
        total += product
    return total
