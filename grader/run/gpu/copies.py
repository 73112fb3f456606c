"""The length of timed graphs: how many launch sequences, each on its own arrays, one holds."""

from __future__ import annotations

from math import ceil

LEAST_SECONDS, LEAST_TICKS = 500e-6, 200
"""The least duration of a graph, so that neither the timer's step nor the gap at its ends shows."""
CACHES = 5
"""The buffer sets of a graph together are this many times as large as the L2 cache..."""
MOST_COPIES, MOST_SECONDS = 512, 0.01
"""...unless that takes more launches than this, or a longer graph."""


def copies_for(seconds: float, set_bytes: int, l2_bytes: int, tick: float, memory: int) -> int:
    """Returns how many launch sequences, each on its own arrays, one graph holds.

    `seconds`: the time of one sequence. `tick`: the timer's step in seconds. `memory`: the bytes that all arrays of the
    graph may take.
    """
    by_time = ceil(max(LEAST_SECONDS, LEAST_TICKS * tick) / seconds)
    by_cache = min(ceil(CACHES * l2_bytes / set_bytes), ceil(MOST_SECONDS / seconds))
    return max(1, min(max(by_time, by_cache), MOST_COPIES, memory // set_bytes))
