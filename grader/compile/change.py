"""How much of a text was changed, in tokens: comments and layout don't count.

The shortest edit script by Eugene W. Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1986.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.compile.lexical import without_comments

_TOKEN = re.compile(r"\w+|[^\w\s]")


def changed_tokens(before: str, after: str, most: int) -> int | None:
    """The fewest tokens to take away and to add that make `before` into `after`; None if it takes more than `most`.

    A token that becomes another one counts twice. The time is that of reading the texts, and of `most` times their
    length.
    """
    first, second = _tokens(before), _tokens(after)
    start = _alike(first, second)
    first, second = first[start:], second[start:]
    end = _alike(first[::-1], second[::-1])
    return _edits(first[: len(first) - end], second[: len(second) - end], most)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(without_comments(text).decode(errors="replace"))


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    """How many tokens at the beginning are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


def _edits(first: Sequence[str], second: Sequence[str], most: int) -> int | None:
    if abs(len(first) - len(second)) > most:
        return None
    # On each diagonal, how far into `first` so many edits lead.
    furthest = {1: 0}
    for edits in range(most + 1):
        for diagonal in range(-edits, edits + 1, 2):
            right, down = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
            x = down if diagonal == -edits or (diagonal != edits and right < down) else right + 1
            while x < len(first) and 0 <= x - diagonal < len(second) and first[x] == second[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(first) and x - diagonal >= len(second):
                return edits
    return None
