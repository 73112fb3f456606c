"""The syntax tree of a text of CUDA C++, by tree-sitter, within a budget of its steps.

Its recovery from errors is quadratic and worse: 16 KB of `*/` take 40 s. Files that compile stay far below the budget.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_LEAST_STEPS = 2000
_BYTES_A_STEP = 64
"""A step is a hundred of the parser's operations, some 0.2 ms. Real files take one for 80 bytes or more."""
_SECONDS = 5.0
"""Of the thread's own work: some hostile texts take a step six times as long."""
_CHUNK = 1 << 10
_LEAST_READS, _READS_OF_A_CHUNK = 100, 16
"""One operation may look through a long line for the end of a name. Real files read no chunk three times."""


def syntax_tree(data: bytes, seconds: float = _SECONDS) -> Tree | None:
    """The tree of a text in UTF-8; None where the parser does not get through it within its budget.

    Comments cost the most and say nothing: take them out first (see lexical.without_comments).
    """
    import tree_sitter

    left = _LEAST_STEPS + len(data) // _BYTES_A_STEP
    until = time.thread_time() + seconds
    reads = _LEAST_READS + _READS_OF_A_CHUNK * (len(data) // _CHUNK)

    def stop(*_: object) -> bool:
        nonlocal left
        left -= 1
        return left < 0 or reads < 0 or time.thread_time() > until

    def read(offset: int, _: object) -> bytes:
        nonlocal reads
        reads -= 1
        return data[offset : offset + _CHUNK] if reads >= 0 else b""

    try:
        return tree_sitter.Parser(_language()).parse(read, progress_callback=stop)
    except ValueError:
        # What it raises where it was stopped.
        return None


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Language(tree_sitter_cuda.language())
