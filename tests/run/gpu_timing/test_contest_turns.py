"""Whose turn it is in a contest, with sessions that time nothing: orders, what is kept, when it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from grader.measure.duel import Contest, order_of
from grader.measure.samples import CANDIDATE, Kept
from grader.measure.statistics import StoppingRule
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.duel import Entrant, EntrantFailed, Equipment, contest
from grader.run.gpu.refill import Span
from grader.run.gpu.shortened import WrittenEarly

ROUND_SECONDS = 0.01


class FakeSession:
    """As `timing.Session` is used: a replay takes as many microseconds as its entrant's seed says."""

    cheat = 0
    """The seed of an entrant whose launches do the work of others."""

    def __init__(self, seed: int) -> None:
        self.seed, self.late, self.event_seconds, self.wall_seconds = seed, 0, 0.0, 0.0
        self.throttling = SimpleNamespace(look=lambda: None, reasons=("software power cap",))
        self.instruments = SimpleNamespace(floor=lambda: 1e-6, module=None)
        self.stream = None
        self.orders: list[list[int]] = []
        self.kept: list[int | None] = []
        self.warmed: list[int] = []
        self.cut: list[int] = []

    def warm_up(self, mine: FakeSide, other: FakeSide) -> tuple[bool, int]:
        self.warmed = [mine.session.seed, other.session.seed]
        return True, 10

    def round(
        self, order: Sequence[FakeSide], reservoir: Any = None, short: Any = None
    ) -> tuple[list[float], tuple[float, ...]]:
        assert all(side.name == CANDIDATE for side in order)
        if short is not None:
            self.cut.append(short.side.session.seed)
            if short.side.session.seed == self.cheat:
                raise WrittenEarly(3, 5, 3, 0)
            self.wall_seconds += ROUND_SECONDS
            return [0.0] * len(order), (2000.0,) * len(order)
        seeds = [side.session.seed for side in order]
        self.orders.append(seeds)
        chosen = None
        if reservoir is not None:
            chosen = reservoir.choose(range(len(order)))
            if chosen is not None:
                reservoir._next = Kept(len(self.orders), seeds[chosen])
                reservoir.hand_over()
        self.kept.append(None if chosen is None else seeds[chosen])
        self.wall_seconds += ROUND_SECONDS
        self.event_seconds += sum(seeds) * 1e-6
        return [seed * 1e-6 for seed in seeds], tuple(2000.0 + i for i in range(len(order)))


class FakeSide:
    def __init__(self, session: FakeSession, name: str, make_set: Any) -> None:
        self.session, self.name, self.sets = session, name, [make_set(0), make_set(1)]


class FakeShortened:
    """As `shortened.Shortened`: each third round is a shorter one, once the rounds are counted from 0."""

    def __init__(self, played: Played, side: FakeSide) -> None:
        self.played, self.side = played, side

    @property
    def owed(self) -> bool:
        return self.played.rounds == 0

    def draw(self, must: bool = False) -> Any:
        self.played.rounds += 1
        short = SimpleNamespace(side=self.side)
        return short if must or (self.played.rounds > 0 and self.played.rounds % 3 == 0) else None


class FakeMailbox:
    def __init__(self, played: Played) -> None:
        self.played = played

    def free(self) -> None:
        self.played.freed += 1


class Played:
    """The equipment of a contest, and what was made of it. `rounds` is where the shorter ones' count begins."""

    def __init__(self, session: type[FakeSession] = FakeSession, rounds: int = -10_000) -> None:
        self.made: list[FakeSession] = []
        self.freed = 0
        self.rounds = rounds
        self._session = session

    def contest(self, entrants: Sequence[Entrant], **options: Any) -> Contest:
        parts: Any = {"session": self._start, "side": FakeSide, "shortened": self._shorten, "mailbox": self._mailbox}
        return contest(entrants, equipment=Equipment(**parts), **options)

    def _start(self, seed: int, sigma: float, limit: float) -> FakeSession:
        self.made.append(self._session(seed))
        return self.made[-1]

    def _shorten(self, side: FakeSide, stream: Any, module: Any) -> FakeShortened:
        return FakeShortened(self, side)

    def _mailbox(self, sizes: Sequence[int]) -> FakeMailbox:
        assert list(sizes) == [4 * 7]
        return FakeMailbox(self)


@pytest.fixture
def played() -> Played:
    return Played()


def make_set(number: int) -> BufferSet:
    return BufferSet([Span(0, 5)], [Span(64, 7)], lambda stream: None)


def entrants(count: int) -> list[Entrant]:
    return [Entrant(f"entrant {i}", 10 + i, make_set) for i in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_rounds_are_taken_in_order_and_sorted_by_entrant(played: Played, count: int) -> None:
    found = played.contest(entrants(count))
    session = played.made[0]
    assert session.warmed == [10, 10 + count - 1]
    # One that does not count, then those that do.
    orders = [order_of(count, number) for number in (0, *range(len(found.rounds)))]
    assert session.orders == [[10 + i for i in order] for order in orders]
    assert all(each.times == tuple(((10 + i) * 1e-6,) * 2 for i in range(count)) for each in found.rounds)
    assert len(found.rounds) == StoppingRule().least
    first = found.rounds[0].clocks
    assert first is not None and first[0] == (2000.0, 2000.0 + 2 * count - 1)


def test_what_it_tells_of_its_circumstances(played: Played) -> None:
    found = played.contest(entrants(2))
    assert isinstance(found, Contest)
    assert found.names == ("entrant 0", "entrant 1")
    assert found.copies == {"entrant 0": 2, "entrant 1": 2}
    assert found.graph_bytes["entrant 0"] == 2 * 4 * 12
    assert (found.floor, found.warm, found.throttled, found.kept) == (1e-6, True, ("software power cap",), {})
    assert 0 < found.event_seconds < found.wall_seconds


def test_outputs_are_kept_of_everybody_alike_and_of_one_a_round(played: Played) -> None:
    handed: list[tuple[str, int]] = []

    def keep(name: str) -> Any:
        return lambda kept, mailbox: handed.append((name, kept.buffer_set))

    found = played.contest(entrants(4), keep=keep, rule=StoppingRule(least=40), verified=20)
    kept = played.made[0].kept[1:]
    assert len(kept) == 40
    # Every four rounds each was watched once, in an order that changes.
    decks = [kept[i : i + 4] for i in range(0, 40, 4)]
    assert all(set(deck) == {10, 11, 12, 13} for deck in decks)
    assert len({tuple(deck) for deck in decks}) > 1
    assert Counter(name for name, _ in handed) == {f"entrant {i}": 10 for i in range(4)}
    assert all(name == f"entrant {seed - 10}" for name, seed in handed)
    assert {name: len(each) for name, each in found.kept.items()} == {f"entrant {i}": 10 for i in range(4)}
    assert played.freed == 4


def test_mailboxes_are_freed_when_a_check_fails(played: Played) -> None:
    def keep(name: str) -> Any:
        def refuse(kept: Kept, mailbox: Any) -> None:
            raise RuntimeError("wrong")

        return refuse

    with pytest.raises(RuntimeError, match="wrong"):
        played.contest(entrants(3), keep=keep)
    assert played.freed == 3


def test_rounds_of_shorter_graphs_do_not_count() -> None:
    played = Played(rounds=0)
    found = played.contest(entrants(2))
    assert len(found.rounds) == StoppingRule().least
    assert len(played.made[0].cut) == StoppingRule().least // 2 - 1 and set(played.made[0].cut) == {10, 11}
    assert all(time > 0 for each in found.rounds for pair in each.times for time in pair)


def test_who_does_another_launchs_work_is_named() -> None:
    class Cheated(FakeSession):
        cheat = 11

    with pytest.raises(EntrantFailed, match=r"entrant 1: of 5 launches, .* only the first 3 ran"):
        Played(Cheated, rounds=0).contest(entrants(2))


def test_it_ends_when_time_is_up() -> None:
    class Noisy(FakeSession):
        def round(
            self, order: Sequence[FakeSide], reservoir: Any = None, short: Any = None
        ) -> tuple[list[float], tuple[float, ...]]:
            times, clocks = super().round(order, reservoir)
            return [time * (1 + 0.2 * (len(self.orders) % 2)) for time in times], clocks

    def rounds(count: int) -> int:
        return len(Played(Noisy).contest(entrants(count), rule=StoppingRule(seconds=1.0)).rounds)

    assert rounds(2) == pytest.approx(1.0 / ROUND_SECONDS, abs=1)
    assert rounds(6) == pytest.approx(3.0 / ROUND_SECONDS, abs=1)


def test_who_fails_alone_is_named(played: Played) -> None:
    def fails(number: int) -> BufferSet:
        raise RuntimeError("no memory")

    with pytest.raises(EntrantFailed, match="the second: no memory") as caught:
        played.contest([Entrant("the first", 1, make_set), Entrant("the second", 2, fails)])
    assert caught.value.name == "the second" and isinstance(caught.value.cause, RuntimeError)


@pytest.mark.parametrize("names", [[], ["a", "a"], list("abcdefghij")])
def test_names_that_are_none(names: list[str]) -> None:
    with pytest.raises(ValueError, match="1 to 9 are needed"):
        contest([Entrant(name, 1, make_set) for name in names])
