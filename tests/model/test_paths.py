"""A warp's way is shortened: loops keep a few rounds, whose weights stand for all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from grader.model.paths import shorten


def weights(way):
    found: Counter[int] = Counter()
    for step in shorten(np.array(way)):
        found[step.block] += step.weight
    return found


@pytest.mark.parametrize(
    "way",
    [
        [0, 1, 2],
        [0, *[1] * 1000, 2],
        [0, *[1, *[2] * 100, 3] * 50, 4],
        [0, *[1, 2, 3, 2, 4] * 40, *[5, 6] * 9, 7],
    ],
)
def test_each_block_keeps_its_number_of_executions(way):
    assert weights(way) == pytest.approx(Counter(way))


def test_loops_in_loops_become_short():
    way = [0, *[1, *[2] * 100, 3] * 50, 4]
    assert len(shorten(np.array(way))) == 2 + 3 * (2 + 3)


def test_an_inner_loop_of_changing_length_keeps_its_mean():
    way = [block for rounds in range(5, 45) for block in (1, *[2] * rounds, 3)]
    found = weights(way)
    assert found[2] == pytest.approx(Counter(way)[2], rel=0.01)
