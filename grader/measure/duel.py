"""The data that a duel passes from the runner's process to the judge: rounds in which several programs run in turns.

Plain frozen data, its JSON form, and the order of a round. Evaluation is left to `standings`; the judge trusts none of
this before it has checked the kept outputs and its own clock.
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
"""The files and the baseline."""


@dataclass(frozen=True)
class Round:
    """Every contender runs twice, in a palindromic order: A B C C B A.

    Per contender, `times` are seconds of one launch sequence, earlier replay first; `clocks` are the SM clocks in MHz
    during these replays, None if they could not be read.
    """

    times: tuple[tuple[float, float], ...]
    clocks: tuple[tuple[float, float], ...] | None = None

    def alone(self, contender: int) -> Quad:
        """One contender's part of the round."""
        return Quad(self.times[contender], None, self.clocks[contender] if self.clocks else None)

    def pair(self, first: int, second: int) -> Quad:
        """Two contenders' part of the round: their replays have a common centre, so linear drift cancels as in R C C R.

        Only their clocks count too: a third contender may throttle the GPU without affecting the comparison.
        """
        clocks = self.clocks[first] + self.clocks[second] if self.clocks else None
        return Quad(self.times[first], self.times[second], clocks)


@dataclass(frozen=True)
class Contest:
    """The rounds of one size, and how they were measured. `names` are in the order of the rounds' times.

    `kept`, `copies` and `graph_bytes` are by name: outputs for the judge to check, launch sequences per graph, and
    the total size of their arrays in bytes. `floor` is the time of an empty kernel in seconds; `warm`, `late` and
    `throttled` are as in `samples.Timing`. Raises ValueError for names or rounds that make no sense.
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
        """Returns the contest restricted to these contenders."""
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
    """The contenders in the order in which round `number` runs them: there and back, starting with the next one each
    round.
    """
    forwards = [(number + place) % contenders for place in range(contenders)]
    return (*forwards, *reversed(forwards))


def round_of(order: Sequence[int], times: Sequence[float], clocks: Sequence[float] | None) -> Round:
    """Builds a round from times and clocks in the order of execution."""

    def by_contender(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
        found: list[list[float]] = [[] for _ in range(len(order) // 2)]
        for contender, value in zip(order, values, strict=True):
            found[contender].append(value)
        return tuple((first, second) for first, second in found)

    return Round(by_contender(times), None if clocks is None else by_contender(clocks))


def to_data(contest: Contest) -> dict[str, Any]:
    """The contest as plain data, ready for JSON."""
    return asdict(contest)


def from_data(data: Mapping[str, Any]) -> Contest:
    """The inverse of `to_data`. Raises JudgeError if the data is no contest."""
    from cattrs import Converter
    from cattrs.errors import BaseValidationError

    try:
        return Converter(forbid_extra_keys=True).structure(data, Contest)
    except (BaseValidationError, TypeError, ValueError) as error:
        raise JudgeError(f"the runner sent no contest: {error}") from None
