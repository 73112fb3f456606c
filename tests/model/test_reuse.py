"""Reuse distances from a trace, beside those that are counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from grader.model.reuse import COLD, in_turns, reuse_of


def footprint_of_windows(trace, length):
    """The mean number of different sectors in all windows of this length."""
    counts = [len(set(trace[at : at + length])) for at in range(len(trace) - length + 1)]
    return sum(counts) / len(counts)


def test_footprints_are_the_means_over_all_windows():
    trace = np.random.Philox(key=7).random_raw(600) % 50
    found = reuse_of(trace.astype(np.int64), np.zeros(600, np.int64), np.zeros(600, np.int64))
    for place, length in enumerate((1, 2, 3, 4, 6, 8, 12, 16, 24)):
        assert found.footprints[place] == pytest.approx(footprint_of_windows(trace.tolist(), length))
        assert found.lines[place] == pytest.approx(footprint_of_windows((trace // 4).tolist(), length))


def test_a_row_that_walks_on_is_cold_and_one_that_stays_is_not():
    sectors = np.array([value for n in range(100) for value in (1000 + n, 5)])
    rows = np.array([7, 9] * 100)
    found = reuse_of(sectors, rows, np.zeros(200, np.int64))
    assert found.rows[7] == {COLD: 100}
    assert found.rows[9] == {COLD: 1, 1: 99}


def test_warps_that_ask_for_a_sector_together_wait_for_it_together():
    # Each of four warps reads sectors 0 to 9 in turn, each sector twice; one more warp comes when all are there.
    turns = [(n // 2, warp) for n in range(20) for warp in range(4)] + [(n // 2, 4) for n in range(20)]
    sectors, warps = (np.array(each) for each in zip(*turns, strict=True))
    found = reuse_of(sectors, np.full(len(turns), 3), warps)
    assert found.followers == {3: 3 * 10}


def test_warps_take_turns():
    """The emulator runs a warp up to a barrier; on a GPU they go on together."""
    warps = np.array([0, 0, 0, 1, 1, 1])
    assert warps[in_turns(warps)].tolist() == [0, 1, 0, 1, 0, 1]
