"""Finds each block's immediate post-dominator: the next block that all paths to the function's end have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

END = -1
"""Follows the last block of each path."""


def post_dominators(ways: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Returns the immediate post-dominator by block, for blocks with a path to the end.

    `ways`: the blocks that may follow each block.
    K. Cooper, T. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm (2001), on the reversed graph.
    """
    order = _order(ways)
    rank = {pc: place for place, pc in enumerate(order)}
    found = {END: END}
    changed = True
    while changed:
        changed = False
        for pc in order[1:]:
            known = [way for way in ways[pc] or (END,) if way in found]
            meeting = known[0]
            for other in known[1:]:
                while other != meeting:
                    if rank[other] > rank[meeting]:
                        other = found[other]
                    else:
                        meeting = found[meeting]
            changed |= found.get(pc) != meeting
            found[pc] = meeting
    del found[END]
    return found


def _order(ways: Mapping[int, Sequence[int]]) -> list[int]:
    """Returns the blocks from the end on, each after one that may follow it (reverse post-order)."""
    before: dict[int, list[int]] = {pc: [] for pc in (*ways, END)}
    for pc, targets in ways.items():
        for target in targets or (END,):
            before[target].append(pc)
    order, seen = [], {END}
    path = [(END, iter(before[END]))]
    while path:
        pc, others = path[-1]
        other = next((o for o in others if o not in seen), None)
        if other is None:
            order.append(pc)
            path.pop()
        else:
            seen.add(other)
            path.append((other, iter(before[other])))
    return order[::-1]
