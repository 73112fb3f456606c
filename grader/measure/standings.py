"""Who is faster than whom by a contest's rounds, by how much, and where no difference was found.

Pure functions on rounds, without distributional assumptions; the medians and their intervals are those of
`statistics`. It times nothing.
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
"""A smaller difference is called none: the same kernel differs from itself by as much from one process to the next."""

PATIENCE = 2
"""Slow kernels may take so many times as long as the rule allows, to get the rounds that the confidence needs."""


@dataclass(frozen=True)
class Pair:
    """Two contenders compared: the first one's time divided by the second one's, taken round by round.

    `enough` says whether there were as many rounds as the interval's confidence needs.
    """

    ratio: Interval
    enough: bool

    @property
    def differ(self) -> bool:
        """Whether one of them is faster, with the confidence of the interval and by more than the resolution."""
        outside = self.ratio.low > 1 + RESOLUTION or self.ratio.high < 1 / (1 + RESOLUTION)
        return self.enough and outside


@dataclass(frozen=True)
class Ranking:
    """Every contender against every other: `pairs[i][j]` compares i with j."""

    pairs: tuple[tuple[Pair, ...], ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The contenders from the fastest, by their ratios to all the others: a drift has no part in those."""
        means = [sum(log(pair.ratio.value) for pair in row) for row in self.pairs]
        return tuple(sorted(range(len(means)), key=means.__getitem__))

    @property
    def fastest(self) -> int:
        return self.order[0]

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Contenders without a difference from the first of their group, from the fastest group on.

        Only that one counts: having no difference is not transitive, and a chain of neighbours would end as
        one group.
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
    """What the rounds of one size say: seconds of a launch sequence by contender, and the ranking.

    `dropped` counts the rounds that the clock ruled out for at least one pair.
    """

    times: tuple[Interval, ...]
    ranking: Ranking
    rounds: int
    dropped: int
    clock_mhz: tuple[float, float]


def standings(rounds: Sequence[Round]) -> Standings:
    """The times with 99 % intervals, and ratios whose intervals all hold at once with 99 %.

    At once, because the fastest is picked by looking: with one interval of 99 % each, the luckiest of eight equal
    kernels would often seem faster than the unluckiest. The bound is Bonferroni's.
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

    The bounds are those of all sizes being at their bounds at once, which is wider than need be.
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

    All contenders' times and their ratios to the fastest have to be known as well as `rule` asks.
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
        # The times first, one by one: a drifting clock keeps them wide for longest, and a pause between rounds
        # for arithmetic would let the GPU cool.
        times.append(_time(_steady([each.alone(i) for each in rounds])[0]))
        if not _is_narrow(times[i], rule.tolerance):
            return False
    fastest = min(range(contenders), key=lambda i: times[i].value)
    pairs = (_compare(rounds, i, fastest)[0] for i in range(contenders) if i != fastest)
    return all(pair.enough and _is_narrow(pair.ratio, rule.tolerance) for pair in pairs)


def seconds_for(contenders: int, rule: StoppingRule) -> float:
    """How long the rounds may take: the rule's seconds are for two contenders."""
    return rule.seconds * max(1.0, contenders / 2)


def joint_confidence(contenders: int) -> float:
    """How sure each of the pairs' intervals has to be for all of them to hold at once with 99 %."""
    return 1 - (1 - CONFIDENCE) / max(1, contenders * (contenders - 1) // 2)


def _compare(rounds: Sequence[Round], first: int, second: int) -> tuple[Pair, int]:
    """Two contenders' ratio, and how many rounds were dropped for it."""
    confidence = joint_confidence(len(rounds[0].times))
    quads, dropped = _steady([each.pair(first, second) for each in rounds])
    logs = median_interval([quad.log_ratio for quad in quads], confidence)
    ratio = Interval(exp(logs.value), exp(logs.low), exp(logs.high))
    return Pair(ratio, len(quads) >= least_samples(confidence)), dropped


def _time(quads: Sequence[Quad]) -> Interval:
    return median_interval([time for quad in quads for time in quad.candidate])


def _steady(quads: Sequence[Quad]) -> tuple[Sequence[Quad], int]:
    """Those that ran at one clock, and how many were dropped; all where the clock rules out all."""
    steady, dropped = split_by_clock(quads)
    return (steady, dropped) if steady else (quads, 0)


def _inverse(ratio: Interval) -> Interval:
    return Interval(1 / ratio.value, 1 / ratio.high, 1 / ratio.low)


def _is_narrow(found: Interval, tolerance: float) -> bool:
    return log(found.high / found.low) / 2 <= tolerance
