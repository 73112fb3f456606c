"""In which rounds only the first launches of a graph run, and how many, with graphs that are none."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.refill import Span
from grader.run.gpu.shortened import GRAPHS, LEAST, Shortened, WrittenEarly


class NoLook:
    """As `Untouched`, of which it knows the sets."""

    def __init__(self, sets: Sequence[BufferSet], first: int) -> None:
        self.sets, self.first = [each.outputs[0].address for each in sets], first


class Played(Shortened):
    """Its graphs are what the launches give."""

    def graph_of(self, stream: Any, sets: Sequence[BufferSet]) -> Any:
        return [each.launch(stream) for each in sets]

    def rest_of(self, module: Any, sets: Sequence[BufferSet], first: int) -> Any:
        return NoLook(sets, first)


def side(sets: int) -> Any:
    """Its graphs are the numbers of the sets that they launch, its outputs lie at these numbers."""
    made = [BufferSet([], [Span(number, 7)], lambda stream, number=number: number) for number in range(sets)]
    return SimpleNamespace(sets=made)


def test_the_first_launches_run_and_the_others_are_looked_at() -> None:
    counts = set()
    for _ in range(20):
        graphs = Played(side(9), None, None)._graphs
        assert len(graphs) == GRAPHS
        for short in graphs:
            assert short.graph == list(range(short.launches))
            assert short.rest.sets == list(range(short.launches, 9)) and short.rest.first == short.launches
            counts.add(short.launches)
    assert counts == set(range(1, 9))


def test_a_graph_of_one_launch_has_no_shorter_one() -> None:
    lone = Played(side(1), None, None)
    assert not lone.owed and lone.draw() is None and lone.draw(must=True) is None


def test_rounds_are_drawn_and_some_are_sure() -> None:
    seen = []
    for _ in range(200):
        rounds = Played(side(4), None, None)
        seen.append([rounds.draw() is not None for _ in range(24)])
    # About six of 24, and in any of them.
    assert 5 < sum(map(sum, seen)) / 200 < 8
    assert all(any(each[number] for each in seen) for number in range(24))
    assert not all(each[0] for each in seen)
    rounds = Played(side(4), None, None)
    taken = 0
    while rounds.owed:
        assert rounds.draw(must=True) is not None
        taken += 1
    assert taken == LEAST


def test_a_cheat_in_half_of_the_replays_is_seldom_missed() -> None:
    """The probability that 24 timed rounds pass with no look at a replay of those that move the median."""
    missed = 0
    for _ in range(500):
        rounds = Played(side(4), None, None)
        timed = looks = 0
        while timed < 24 or rounds.owed:
            drawn = rounds.draw(must=timed >= 24) is not None
            looks, timed = looks + drawn, timed + (not drawn)
        missed += 0.5**looks > 0.25
    assert missed < 25


def test_what_was_written_early_is_told() -> None:
    early = WrittenEarly(3, 19, 11, 0)
    assert "of 19 launches" in str(early) and "only the first 3 ran, and outputs of number 12 were" in str(early)
    assert early.output == 0
