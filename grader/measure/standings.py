"""Evaluates the rounds of a duel: who is faster, by how much, and where no difference was found.

Pure functions without distributional assumptions; medians and intervals come from `statistics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log

from grader.core.report import Interval
from grader.measure.duel import Round
from grader.measure.score import geometric_mean
from grader.measure.statistics import CONFIDENCE, Quad, StoppingRule, least_samples, median_interval, split_by_clock

RESOLUTION = 0.003
"""Relative difference below which two kernels count as equal: one kernel varies as much between processes."""

PATIENCE = 2
"""Slow kernels may take this many times the rule's seconds to get the rounds that the confidence needs."""


@dataclass(frozen=True)
class Pair:
    """Two contenders compared: the first one's time divided by the second one's, round by round.

    `enough` says whether there were enough rounds for the interval's confidence.
    """

    ratio: Interval
    enough: bool

    @property
    def differ(self) -> bool:
        """Whether one is faster, with the interval's confidence and by more than RESOLUTION."""
        outside = self.ratio.low > 1 + RESOLUTION or self.ratio.high < 1 / (1 + RESOLUTION)
        return self.enough and outside


@dataclass(frozen=True)
class Ranking:
    """Every contender against every other: `pairs[i][j]` compares i with j."""

    pairs: tuple[tuple[Pair, ...], ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The contenders, fastest first, by their ratios to all others, in which drift cancels."""
        means = [sum(log(pair.ratio.value) for pair in row) for row in self.pairs]
        return tuple(sorted(range(len(means)), key=means.__getitem__))

    @property
    def fastest(self) -> int:
        return self.order[0]

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Groups of contenders that do not differ from the first of their group, fastest group first.

        Only the first counts: not differing is not transitive, and a chain of neighbours would form one group.
        """
        groups: list[list[int]] = []
        for contender in self.order:
            if groups and not self.pairs[contender][groups[-1][0]].differ:
                groups[-1].append(contender)
            else:
                groups.append([contender])
        return tuple(map(tuple, groups))


@dataclass(frozen=True)
class Standings:
    """The result for one size: seconds of a launch sequence by contender, and the ranking.

    `dropped` is the largest number of rounds discarded for a single contender or pair because the clock changed.
    """

    times: tuple[Interval, ...]
    ranking: Ranking
    rounds: int
    dropped: int
    clock_mhz: tuple[float, float]


def standings(rounds: Sequence[Round]) -> Standings:
    """The times with 99 % intervals, and ratios whose intervals hold simultaneously with 99 % confidence.

    Simultaneously, because the fastest is picked after the fact: with separate 99 % intervals, the luckiest of eight
    equal kernels would often seem faster than the unluckiest. The bound is Bonferroni's.
    """
    contenders = len(rounds[0].times)
    pairs = [[Pair(Interval(1.0, 1.0, 1.0), True)] * contenders for _ in range(contenders)]
    dropped = 0
    for i in range(contenders):
        for j in range(i):
            pairs[i][j], lost = _compare(rounds, i, j)
            pairs[j][i] = Pair(_inverse(pairs[i][j].ratio), pairs[i][j].enough)
            dropped = max(dropped, lost)
    alone = [_steady([each.alone(i) for each in rounds]) for i in range(contenders)]
    clocks = [clock for quads, _ in alone for quad in quads for clock in quad.clocks or ()]
    return Standings(
        times=tuple(_time(quads) for quads, _ in alone),
        ranking=Ranking(tuple(map(tuple, pairs))),
        rounds=len(rounds),
        dropped=max([dropped, *(lost for _, lost in alone)]),
        clock_mhz=(min(clocks), max(clocks)) if clocks else (0.0, 0.0),
    )


def over_all(rankings: Sequence[Ranking]) -> Ranking:
    """The ranking over several sizes, by the geometric mean of each pair's ratios.

    The bounds assume all sizes at their bounds at once, which is wider than necessary.
    """
    count = len(rankings[0].pairs)

    def mean(i: int, j: int) -> Pair:
        found = [ranking.pairs[i][j] for ranking in rankings]
        value, low, high = (
            geometric_mean([getattr(pair.ratio, bound) for pair in found]) for bound in ("value", "low", "high")
        )
        return Pair(Interval(value, low, high), all(pair.enough for pair in found))

    return Ranking(tuple(tuple(mean(i, j) for j in range(count)) for i in range(count)))


def is_over(rounds: Sequence[Round], elapsed: float, rule: StoppingRule) -> bool:
    """Whether to stop after these rounds, measured in `elapsed` seconds.

    The times of all contenders and their ratios to the fastest must have intervals as narrow as `rule` asks.
    """
    if not rounds:
        return False
    contenders = len(rounds[0].times)
    limit = seconds_for(contenders, rule)
    if elapsed >= limit:
        return len(rounds) >= least_samples(joint_confidence(contenders)) or elapsed >= PATIENCE * limit
    if len(rounds) < rule.least or (len(rounds) - rule.least) % rule.every:
        return False
    times = []
    for i in range(contenders):
        # Check times first, one by one: a drifting clock keeps them wide longest, and long arithmetic between rounds
        # would let the GPU cool.
        times.append(_time(_steady([each.alone(i) for each in rounds])[0]))
        if not _is_narrow(times[i], rule.tolerance):
            return False
    fastest = min(range(contenders), key=lambda i: times[i].value)
    pairs = (_compare(rounds, i, fastest)[0] for i in range(contenders) if i != fastest)
    return all(pair.enough and _is_narrow(pair.ratio, rule.tolerance) for pair in pairs)


def seconds_for(contenders: int, rule: StoppingRule) -> float:
    """Time limit for the rounds in seconds; the rule's seconds are for two contenders."""
    return rule.seconds * max(1.0, contenders / 2)


def joint_confidence(contenders: int) -> float:
    """The confidence that each pair's interval needs so that all hold simultaneously with 99 %."""
    return 1 - (1 - CONFIDENCE) / max(1, contenders * (contenders - 1) // 2)


def _compare(rounds: Sequence[Round], first: int, second: int) -> tuple[Pair, int]:
    """Returns two contenders compared, and the number of rounds discarded for it."""
    confidence = joint_confidence(len(rounds[0].times))
    quads, dropped = _steady([each.pair(first, second) for each in rounds])
    logs = median_interval([quad.log_ratio for quad in quads], confidence)
    ratio = Interval(exp(logs.value), exp(logs.low), exp(logs.high))
    return Pair(ratio, len(quads) >= least_samples(confidence)), dropped


def _time(quads: Sequence[Quad]) -> Interval:
    return median_interval([time for quad in quads for time in quad.candidate])


def _steady(quads: Sequence[Quad]) -> tuple[Sequence[Quad], int]:
    """The quads that ran at one clock, and the number discarded; all quads if none ran at one clock."""
    steady, dropped = split_by_clock(quads)
    return (steady, dropped) if steady else (quads, 0)


def _inverse(ratio: Interval) -> Interval:
    return Interval(1 / ratio.value, 1 / ratio.high, 1 / ratio.low)


def _is_narrow(found: Interval, tolerance: float) -> bool:
    return log(found.high / found.low) / 2 <= tolerance
