"""Reads the extents of shared arrays from the source: a debug build does not describe them."""

from __future__ import annotations

import re
from collections.abc import Sequence


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
