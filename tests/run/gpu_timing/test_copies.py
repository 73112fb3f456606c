"""How many launch sequences a graph gets."""

from __future__ import annotations

import pytest

from grader.run.gpu.copies import copies_for

L2, MEMORY, TICK = 50 << 20, 60 << 30, 1e-6


@pytest.mark.parametrize(
    ("seconds", "set_bytes", "copies"),
    [
        (10e-6, 100 << 20, 50),  # 500 µs
        (277e-6, 12 << 20, 21),  # 250 MB in all
        (1e-3, 2 << 30, 1),  # long and large enough alone
        (1e-6, 12_000, 512),  # five caches of 12 KB would be too many
        (5e-3, 12_000, 2),  # where arithmetic takes 5 ms, a warm cache is no help
        (1.0, 64, 1),
    ],
)
def test_a_graph_lasts_and_is_larger_than_the_caches(seconds: float, set_bytes: int, copies: int) -> None:
    assert copies_for(seconds, set_bytes, L2, TICK, MEMORY) == copies


def test_a_slow_timer_asks_for_a_longer_graph() -> None:
    assert copies_for(10e-6, 100 << 20, L2, 5e-6, MEMORY) == 100


def test_memory_is_the_limit() -> None:
    assert copies_for(10e-6, 1 << 30, L2, TICK, 10 << 30) == 10
    assert copies_for(10e-6, 1 << 30, L2, TICK, 0) == 1
