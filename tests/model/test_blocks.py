"""The blocks that are sampled stand for all of a grid."""

from __future__ import annotations

from collections import Counter
from math import prod

import pytest

from grader.model.blocks import along_axis, choose_blocks, next_block, unlike_axis, with_shares


@pytest.mark.parametrize(
    "grid", [(1, 1, 1), (4, 4, 1), (1000, 1, 1), (17, 1, 1), (256, 256, 1), (256, 16, 3), (1, 9, 8)]
)
def test_the_weights_add_up_to_the_grid(grid):
    chosen = choose_blocks(grid)
    assert sum(one.weight for one in chosen) == pytest.approx(prod(grid))
    assert len({one.number for one in chosen}) == len(chosen) <= 16


@pytest.mark.parametrize("grid", [(1000, 1, 1), (301, 97, 1), (60, 40, 20)])
def test_work_that_grows_along_the_axes_is_added_up_right(grid):
    def work(index):
        return 10.0 + 3 * index[0] + 2 * index[1] + index[2]

    whole = sum(work((x, y, z)) for x in range(grid[0]) for y in range(grid[1]) for z in range(grid[2]))
    assert sum(one.weight * work(one.index) for one in choose_blocks(grid)) == pytest.approx(whole, rel=0.02)


def test_the_last_block_of_an_axis_stands_for_its_own_kind():
    edge = [one for one in choose_blocks((100, 50, 1)) if one.index[0] == 99]
    assert sum(one.weight for one in edge) == 50


def test_where_the_work_ends_is_found():
    """Blocks 0 to 15 of 512 work, the others leave at once: no block of the first sample but 0 would be seen."""
    ran = {one.number: 1000.0 if one.number < 16 else 10.0 for one in choose_blocks((512, 1, 1))}
    while (number := next_block(ran)) is not None:
        ran[number] = 1000.0 if number < 16 else 10.0
    shares = with_shares(sorted(ran), (512, 1, 1))
    assert sum(one.weight for one in shares if one.number < 16) == 16
    assert len(ran) < 20


def test_an_axis_of_unlike_blocks_is_found() -> None:
    work = {(1, 1, 1): 8.0, (0, 1, 1): 9.0, (1, 1, 0): 8.0, (1, 1, 3): 1.0, (2, 2, 2): 100.0}
    assert unlike_axis(work) == 2
    assert unlike_axis(dict.fromkeys(work, 8.0)) is None


@pytest.mark.parametrize("grid", [(2, 7, 1024), (3, 5, 100), (4, 4, 30)])
def test_blocks_along_an_axis_have_all_remainders(grid: tuple[int, int, int]) -> None:
    chosen = along_axis(grid, 2)
    assert sum(one.weight for one in chosen) == pytest.approx(grid[0] * grid[1] * grid[2])
    for period in (2, 3, 4, 8):
        counts = Counter(one.index[2] % period for one in chosen)
        assert set(counts.values()) == {24 // period}
    assert all(one.number == one.index[0] + grid[0] * (one.index[1] + grid[1] * one.index[2]) for one in chosen)
