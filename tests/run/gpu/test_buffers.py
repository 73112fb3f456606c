"""What the guard zones tell: where writes outside an array went, from the zones' bytes alone."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.gpu.buffers import GUARD, Overrun, find_overrun, guard_zone


def zones():
    return guard_zone(), guard_zone()


def test_untouched_zones_tell_nothing():
    assert find_overrun(*zones(), 100, 4) is None


@pytest.mark.parametrize(
    ("first", "count", "overrun"),
    [
        (0, 4, Overrun(0, 4, 100)),
        (4, 8, Overrun(0, 8, 101)),
        (GUARD - 4, 4, Overrun(0, 4, 100 + GUARD // 4 - 1)),
        (0, GUARD, Overrun(0, GUARD, 100)),
    ],
)
def test_writes_behind_the_end_name_the_first_element_that_is_not_there(first, count, overrun):
    before, after = zones()
    after[first : first + count] = 0
    assert find_overrun(before, after, 100, 4) == overrun


@pytest.mark.parametrize(
    ("first", "count", "index"), [(GUARD - 4, 4, -1), (GUARD - 8, 8, -1), (GUARD - 12, 4, -3), (0, 4, -GUARD // 4)]
)
def test_writes_before_the_start_have_a_negative_index(first, count, index):
    before, after = zones()
    before[first : first + count] = 0
    assert find_overrun(before, after, 100, 4) == Overrun(count, 0, index)


def test_writes_on_both_sides_are_both_counted():
    before, after = zones()
    before[-4:] = 0
    after[:8] = 0
    assert find_overrun(before, after, 25, 8) == Overrun(4, 8, 25)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("shift", [0, 2])
def test_a_zone_reads_as_nan_in_every_floating_type(dtype, shift):
    zone = guard_zone()[shift:]
    whole = zone[: zone.size // 8 * 8].view(dtype)
    assert np.isnan(whole).all()


def test_a_zone_keeps_the_alignment_of_the_widest_access():
    assert GUARD % 256 == 0
    assert guard_zone().nbytes == GUARD
