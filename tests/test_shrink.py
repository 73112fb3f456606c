"""Shrinking finds the edge of a failure, never leaves the failing side, and keeps to its effort."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.core.limits import Effort
from grader.judge.shrink import shrink

ONES = {"M": 1, "N": 1, "K": 1}
PLENTY = Effort(runs=1000, seconds=60)


@pytest.mark.parametrize(
    ("start", "fails", "smallest"),
    [
        ((100, 37, 64), lambda s: True, (1, 1, 1)),
        ((100, 37, 64), lambda s: s["M"] > 16, (17, 1, 1)),
        ((33, 33, 33), lambda s: s["M"] > 16 and s["K"] > 2, (17, 1, 3)),
        ((100, 37, 64), lambda s: s["M"] != s["K"], (1, 1, 2)),
        ((100, 37, 64), lambda s: s["N"] >= 37, (1, 37, 1)),
        ((64, 64, 64), lambda s: s["M"] % 16 == 0, (16, 1, 1)),
    ],
    ids=["always", "one-threshold", "two-thresholds", "unequal", "at-start", "multiples"],
)
def test_ends_at_the_smallest(start, fails, smallest):
    names = ("M", "N", "K")
    found = shrink(dict(zip(names, start, strict=True)), ONES, fails, PLENTY)
    assert tuple(found.values()) == smallest


def test_never_goes_below_the_least():
    assert shrink({"N": 500}, {"N": 32}, lambda s: True) == {"N": 32}


def test_effort_ends_the_search_by_runs_and_by_time():
    asked = []

    def fails(sizes):
        asked.append(sizes)
        return sizes["M"] > 5000

    assert shrink({"M": 8000}, {"M": 1}, fails, Effort(runs=3))["M"] > 5000
    assert len(asked) == 3
    asked.clear()
    ticks = iter(range(100))
    shrink({"M": 8000}, {"M": 1}, fails, Effort(runs=100, seconds=4.5), clock=lambda: float(next(ticks)))
    assert len(asked) == 4


@given(
    start=st.fixed_dictionaries({name: st.integers(1, 300) for name in ONES}),
    edge=st.fixed_dictionaries({name: st.integers(1, 300) for name in ONES}),
)
def test_a_failure_from_some_size_on_is_found_exactly(start, edge):
    edge = {name: min(edge[name], start[name]) for name in start}
    found = shrink(start, ONES, lambda s: all(s[n] >= edge[n] for n in s), PLENTY)
    assert found == edge


@given(
    start=st.fixed_dictionaries({name: st.integers(1, 300) for name in ONES}),
    salt=st.integers(0, 1000),
    runs=st.integers(0, 30),
)
def test_any_failure_stays_one_within_the_effort(start, salt, runs):
    asked = []

    def fails(sizes):
        asked.append(tuple(sizes.values()))
        return hash((salt, *sizes.values())) % 3 == 0

    found = shrink(start, ONES, fails, Effort(runs=runs, seconds=60))
    assert found == start or hash((salt, *found.values())) % 3 == 0
    assert all(1 <= found[name] <= start[name] for name in start)
    assert len(asked) == len(set(asked)) <= runs
