"""The natural loops of a kernel, in machine code or PTX, from the ways between its basic blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Edge = tuple[int, int]
OUT = -1
"""Where a block goes that ends the warp."""


@dataclass(frozen=True)
class Loop:
    """A loop: the block that it begins with, and all its blocks, those of inner loops included."""

    header: int
    body: frozenset[int]


def loops_of(edges: Sequence[Edge], first: int = 0) -> tuple[list[int], dict[int, Loop]]:
    """The blocks reached from the `first`, each after those before it but for ways back, and the loops by header."""
    after: dict[int, list[int]] = {}
    for start, end in edges:
        if end != OUT:
            after.setdefault(start, []).append(end)
    order = _order(after, first)
    return order, _loops(after, order)


def _order(after: Mapping[int, Sequence[int]], first: int) -> list[int]:
    """The blocks that are reached, each after those before it, but for the ways back of loops."""
    found: list[int] = []
    seen: set[int] = {first}
    stack: list[tuple[int, list[int]]] = [(first, sorted(after.get(first, ())))]
    while stack:
        block, left = stack[-1]
        if left:
            # Blocks further on come first here, so that they are last in the order: inner loops stay together.
            following = left.pop()
            if following not in seen:
                seen.add(following)
                stack.append((following, sorted(after.get(following, ()))))
        else:
            stack.pop()
            found.append(block)
    return found[::-1]


def _loops(after: Mapping[int, Sequence[int]], order: Sequence[int]) -> dict[int, Loop]:
    """The natural loops, by header. Ways back into a place that does not dominate them are none."""
    before: dict[int, list[int]] = {}
    for start in order:
        for end in after.get(start, ()):
            before.setdefault(end, []).append(start)
    every = set(order)
    above: dict[int, set[int]] = {block: set(every) for block in order}
    above[order[0]] = {order[0]}
    changed = True
    while changed:
        changed = False
        for block in order:
            if block == order[0]:
                continue
            known = [above[one] for one in before.get(block, ()) if one in above]
            new = set.intersection(*known) | {block} if known else {block}
            if new != above[block]:
                above[block], changed = new, True
    found: dict[int, set[int]] = {}
    for start in order:
        for end in after.get(start, ()):
            if end in above[start]:
                found.setdefault(end, {end}).update(_body(start, end, before))
    return {header: Loop(header, frozenset(body)) for header, body in found.items()}


def _body(start: int, header: int, before: Mapping[int, Sequence[int]]) -> set[int]:
    found, left = {header}, [start]
    while left:
        block = left.pop()
        if block not in found:
            found.add(block)
            left += before.get(block, ())
    return found
