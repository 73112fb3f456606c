"""The sectors of all blocks follow from those of some, where the blocks are alike."""

from __future__ import annotations

import numpy as np

from grader.model.footprint import Touched, amount, fit, merge, runs_of, union

GRID = (16, 8, 1)
ROW = 512
"""Sectors of a row of the array; a block has 4 x 2 of them, in as many rows as it has rows."""


def touched(x, y):
    sectors = np.concatenate([np.arange(4) + 4 * x + ROW * (2 * y + row) for row in range(2)])
    starts, ends, count = runs_of(sectors)
    return Touched((x, y, 0), starts, ends, count)


def fitted(places, make=touched):
    blocks = [make(x, y) for x, y in places]
    return fit("A", ROW * 16, blocks, [1.0] * len(blocks), 0, 0.0)


def test_the_union_of_all_blocks_is_the_array():
    found = fitted([(8, 4), (2, 4), (13, 4), (8, 1), (8, 6)])
    assert found.steps == (4.0, 2.0 * ROW, 0.0)
    every = union(found, np.arange(128), GRID)
    assert amount(every) == 16 * 4 * 16
    assert amount(union(found, np.arange(16), GRID)) == 2 * 64


def test_blocks_that_share_what_they_touch_count_it_once():
    found = fitted([(8, 4), (2, 4), (13, 4), (8, 1), (8, 6)], lambda x, y: touched(3, y))
    assert amount(union(found, np.arange(16), GRID)) == 8
    assert not found.apart


def test_blocks_of_other_shapes_have_no_steps():
    def uneven(x, y):
        return touched(x * x % 7, y) if x % 2 else Touched((x, y, 0), np.array([x]), np.array([x + 1]), 1)

    assert fitted([(8, 4), (3, 4), (13, 4), (8, 1), (8, 6)], uneven).steps is None


def test_runs_that_overlap_or_touch_are_joined():
    runs = merge(np.array([10, 0, 4, 30]), np.array([12, 4, 11, 31]))
    assert runs.tolist() == [[0, 12], [30, 31]]
