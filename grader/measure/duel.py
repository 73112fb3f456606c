"""What a contest hands from the runner's process to the judge: rounds in which several programs ran in turns.

Plain frozen data, to and from JSON, and the order of a round. What the rounds say is for `standings`; the judge
trusts none of it before it has looked at the outputs that were kept and at its own clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from grader.core.errors import JudgeError
from grader.measure.samples import Kept
from grader.measure.statistics import Quad

MOST_FILES = 8
MOST_CONTENDERS = MOST_FILES + 1
"""Beside so many files the baseline has its place."""


@dataclass(frozen=True)
class Round:
    """Every contender twice, in an order that reads the same backwards: A B C C B A.

    By contender: `times` are seconds of one launch sequence, the earlier replay first; `clocks` the SM clocks in
    MHz during these replays, None where they could not be read.
    """

    times: tuple[tuple[float, float], ...]
    clocks: tuple[tuple[float, float], ...] | None = None

    def alone(self, contender: int) -> Quad:
        """One contender's part in the round."""
        return Quad(self.times[contender], None, self.clocks[contender] if self.clocks else None)

    def pair(self, first: int, second: int) -> Quad:
        """Two contenders' part in it: their replays have one centre, so that a linear drift cancels as in R C C R.

        Of the clocks, too, only theirs count: a third contender may heat the GPU without harm to these two.
        """
        clocks = self.clocks[first] + self.clocks[second] if self.clocks else None
        return Quad(self.times[first], self.times[second], clocks)


@dataclass(frozen=True)
class Contest:
    """One size's rounds, and how they were come by. `names` are the contenders', in the order of the rounds' times.

    `kept`, `copies` and `graph_bytes` are by name: outputs for the judge to check, launch sequences in a graph, and
    the size of all their arrays. `floor` is the time of an empty kernel; `warm`, `late` and `throttled` are as in
    `samples.Timing`.
    """

    names: tuple[str, ...]
    rounds: tuple[Round, ...]
    kept: Mapping[str, tuple[Kept, ...]] = field(default_factory=dict)
    copies: Mapping[str, int] = field(default_factory=dict)
    graph_bytes: Mapping[str, int] = field(default_factory=dict)
    floor: float = 0.0
    warm: bool = False
    late: int = 0
    throttled: tuple[str, ...] = ()
    event_seconds: float = 0.0
    wall_seconds: float = 0.0

    def __post_init__(self) -> None:
        if not self.names or len(set(self.names)) < len(self.names):
            raise ValueError(f"the contenders are called {self.names}; each needs a name of its own")
        if not self.rounds:
            raise ValueError("no round was measured; at least one is needed")
        for each in self.rounds:
            measured = [each.times, *([each.clocks] if each.clocks is not None else [])]
            if any(len(values) != len(self.names) for values in measured):
                raise ValueError(f"a round of {len(each.times)} contenders; there are {len(self.names)}")
            if not all(isfinite(value) and value > 0 for values in measured for pair in values for value in pair):
                raise ValueError(f"a round with times {each.times} and clocks {each.clocks}; all have to be above 0")

    def only(self, names: Sequence[str]) -> Contest:
        """The same contest as these contenders saw it."""
        chosen = [self.names.index(name) for name in names]
        rounds = tuple(
            Round(
                tuple(each.times[i] for i in chosen),
                tuple(each.clocks[i] for i in chosen) if each.clocks is not None else None,
            )
            for each in self.rounds
        )
        data = {**vars(self), "names": tuple(names), "rounds": rounds}
        for by_name in ("kept", "copies", "graph_bytes"):
            data[by_name] = {name: value for name, value in data[by_name].items() if name in names}
        return Contest(**data)


def order_of(contenders: int, number: int) -> tuple[int, ...]:
    """Who runs when in round `number`: forwards and back, and each time another one goes first."""
    forwards = [(number + place) % contenders for place in range(contenders)]
    return (*forwards, *reversed(forwards))


def round_of(order: Sequence[int], times: Sequence[float], clocks: Sequence[float] | None) -> Round:
    """The round from what was measured in this order."""

    def by_contender(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
        found: list[list[float]] = [[] for _ in range(len(order) // 2)]
        for contender, value in zip(order, values, strict=True):
            found[contender].append(value)
        return tuple((first, second) for first, second in found)

    return Round(by_contender(times), None if clocks is None else by_contender(clocks))


def to_data(contest: Contest) -> dict[str, Any]:
    """The contest as plain data, fit for JSON."""
    return asdict(contest)


def from_data(data: Mapping[str, Any]) -> Contest:
    """The inverse of `to_data`. Raises JudgeError for data that is no contest."""
    from cattrs import Converter
    from cattrs.errors import BaseValidationError

    try:
        return Converter(forbid_extra_keys=True).structure(data, Contest)
    except (BaseValidationError, TypeError, ValueError) as error:
        raise JudgeError(f"the runner sent no contest: {error}") from None
