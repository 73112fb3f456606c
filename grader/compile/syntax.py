"""Parses CUDA C++ text to a syntax tree with tree-sitter, within a budget of steps.

Its error recovery is quadratic or worse: 16 KB of `*/` take 40 s. Files that compile stay far below the budget.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_LEAST_STEPS = 2000
_BYTES_A_STEP = 64
"""A step is a hundred parser operations, about 0.2 ms. Real files take one per 80 bytes or more."""
_SECONDS = 5.0
"""Thread CPU time: in some hostile texts a step takes six times as long."""
_CHUNK = 1 << 10
_LEAST_READS, _READS_OF_A_CHUNK = 100, 16
"""One operation may search a long line for the end of a name. In real files no chunk is read three times."""


def syntax_tree(data: bytes, seconds: float = _SECONDS) -> Tree | None:
    """The tree of a UTF-8 text; None if the parser exceeds its budget.

    Comments cost most and contain nothing of interest, so remove them first (see lexical.without_comments).
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
        # Raised by tree-sitter when it was stopped.
        return None


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Language(tree_sitter_cuda.language())
