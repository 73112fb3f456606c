"""A contest as plain data: orders of rounds, whose replay was whose, and what can't have been measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.core.errors import JudgeError
from grader.measure.duel import MOST_CONTENDERS, Contest, Round, from_data, order_of, round_of, to_data
from grader.measure.samples import Kept

CONTEST = Contest(
    names=("a", "b", "baseline"),
    rounds=(
        Round(((1.0, 1.5), (2.0, 2.5), (3.0, 3.5)), ((1980.0, 1981.0), (1970.0, 1971.0), (1960.0, 1961.0))),
        Round(((1.1, 1.6), (2.1, 2.6), (3.1, 3.6))),
    ),
    kept={"a": (Kept(4, 1),), "b": (Kept(2, 0), Kept(9, 3))},
    copies={"a": 20, "b": 18, "baseline": 30},
    graph_bytes={"a": 2000, "b": 1800, "baseline": 3000},
    floor=1.2e-6,
    warm=True,
    late=1,
    throttled=("software power cap",),
    event_seconds=3.0,
    wall_seconds=3.5,
)


@pytest.mark.parametrize("contenders", range(1, MOST_CONTENDERS + 1))
def test_orders_are_palindromes_in_which_everybody_goes_first_in_turn(contenders: int) -> None:
    orders = [order_of(contenders, number) for number in range(contenders)]
    for order in orders:
        assert order == order[::-1]
        assert sorted(order) == sorted([*range(contenders)] * 2)
    assert {order[0] for order in orders} == set(range(contenders))
    # Over as many rounds as there are contenders, each has stood at each place once.
    assert all(len(set(places)) == contenders for places in zip(*orders, strict=True))


def test_two_contenders_run_as_in_a_quad() -> None:
    assert [order_of(2, number) for number in (0, 1, 2)] == [(0, 1, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0)]


def test_a_round_says_whose_replay_took_how_long() -> None:
    order = (1, 2, 0, 0, 2, 1)
    found = round_of(order, [10, 20, 30, 31, 21, 11], [1, 2, 3, 4, 5, 6])
    assert found == Round(((30, 31), (10, 11), (20, 21)), ((3, 4), (1, 6), (2, 5)))
    assert found.alone(1).candidate == (10, 11) and found.alone(1).clocks == (1, 6)
    pair = found.pair(2, 0)
    assert (pair.candidate, pair.baseline, pair.clocks) == ((20, 21), (30, 31), (2, 5, 3, 4))
    assert round_of((0, 0), [1.0, 2.0], None) == Round(((1.0, 2.0),), None)


def test_it_comes_back_from_json() -> None:
    assert from_data(json.loads(json.dumps(to_data(CONTEST)))) == CONTEST


def test_some_of_the_contenders() -> None:
    found = CONTEST.only(["baseline", "a"])
    assert found.names == ("baseline", "a")
    assert found.rounds[0] == Round(((3.0, 3.5), (1.0, 1.5)), ((1960.0, 1961.0), (1980.0, 1981.0)))
    assert found.rounds[1].clocks is None
    assert (found.kept, found.copies) == ({"a": (Kept(4, 1),)}, {"a": 20, "baseline": 30})
    assert (found.floor, found.late, found.throttled) == (1.2e-6, 1, ("software power cap",))


@pytest.mark.parametrize(
    "change",
    [
        {"names": []},
        {"names": ["a", "a", "b"]},
        {"rounds": []},
        {"rounds": [{"times": [[1.0, 1.0]], "clocks": None}]},
        {"rounds": [{"times": [[1.0, 1.0], [1.0, 1.0], [1.0]], "clocks": None}]},
        {"rounds": [{"times": [[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]], "clocks": None}]},
        {"rounds": [{"times": [[1.0, 1.0], [1.0, 1.0], [1.0, float("nan")]], "clocks": None}]},
        {"rounds": [{"times": [[1.0, 1.0]] * 3, "clocks": [[1980.0, 1980.0]]}]},
        {"rounds": [{"times": [[1.0, 1.0]] * 3, "clocks": [[1980.0, 0.0]] * 3}]},
        {"rounds": "none"},
        {"more": 1},
    ],
)
def test_what_is_no_contest_is_the_runners_failure(change: dict[str, Any]) -> None:
    with pytest.raises(JudgeError, match="the runner sent no contest"):
        from_data({**to_data(CONTEST), **change})
