"""Statistics of repeated timings: medians with intervals, paired ratios, and when to stop measuring.

Pure functions on samples, without distributional assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, nan
from statistics import median

from grader.core.report import Interval

CONFIDENCE = 0.99

CLOCK_TOLERANCE = 0.02
"""Relative difference: a quad whose clocks differ by more compares clocks, not kernels."""


@dataclass(frozen=True)
class Quad:
    """One interleaved round: baseline, candidate, candidate, baseline, in this order.

    Times are seconds of one launch sequence; `baseline` is None if the problem has none. `clocks` are the SM clocks
    in MHz during the timed replays in the order in which they ran, None if they could not be read.
    """

    candidate: tuple[float, float]
    baseline: tuple[float, float] | None = None
    clocks: tuple[float, ...] | None = None

    @property
    def log_ratio(self) -> float:
        """log(candidate / baseline), NaN without a baseline. The order R C C R cancels linear drift over the quad."""
        if self.baseline is None:
            return nan
        (first, second), (before, after) = self.candidate, self.baseline
        return (log(first) + log(second) - log(before) - log(after)) / 2


@dataclass(frozen=True)
class StoppingRule:
    """Measure until the interval is narrow or time is up. Checks after `least` quads and then after `every` more;
    `tolerance` is relative, `seconds` the time limit.
    """

    tolerance: float = 0.003
    least: int = 20
    every: int = 10
    seconds: float = 5.0

    def __post_init__(self) -> None:
        if self.least < 1 or self.every < 1 or not self.tolerance > 0 or not self.seconds > 0:
            raise ValueError(f"{self} can't be kept: all four have to be above 0")

    def is_over(self, quads: Sequence[Quad], elapsed: float) -> bool:
        """Whether to stop after these quads, measured in `elapsed` seconds."""
        if elapsed >= self.seconds:
            return bool(quads)
        count = len(quads)
        if count < self.least or (count - self.least) % self.every:
            return False
        steady, _ = split_by_clock(quads)
        if len(steady) < least_samples():
            return False
        # The median time can settle before the ratio does, and vice versa; both are published.
        series = [[log(t) for quad in steady for t in quad.candidate]]
        if steady[0].baseline is not None:
            series.append([quad.log_ratio for quad in steady])
        return all(_half_width(values) <= self.tolerance for values in series)


@dataclass(frozen=True)
class Summary:
    """The result for one size: seconds of a launch sequence, its ratio to the baseline, and the clocks in MHz."""

    time: Interval
    ratio: Interval | None
    quads: int
    dropped: int
    clock_mhz: tuple[float, float]


def summarise(quads: Sequence[Quad]) -> Summary:
    """Computes the published figures. `quads` counts those used, `dropped` those discarded because the clock changed.

    If that would discard all of them, all are used: a wide but honest interval instead of none. Raises ValueError
    without quads.
    """
    if not quads:
        raise ValueError("no quads were measured; at least one is needed")
    steady, dropped = split_by_clock(quads)
    used = steady or list(quads)
    clocks = [clock for quad in used for clock in quad.clocks or ()]
    return Summary(
        time=median_interval([t for quad in used for t in quad.candidate]),
        ratio=ratio_interval(used),
        quads=len(used),
        dropped=dropped if steady else 0,
        clock_mhz=(min(clocks), max(clocks)) if clocks else (0.0, 0.0),
    )


def ratio_interval(quads: Sequence[Quad]) -> Interval | None:
    """The median over the quads of candidate / baseline, with its interval; None without a baseline."""
    if any(quad.baseline is None for quad in quads):
        return None
    logs = median_interval([quad.log_ratio for quad in quads])
    return Interval(exp(logs.value), exp(logs.low), exp(logs.high))


def median_interval(samples: Iterable[float], confidence: float = CONFIDENCE) -> Interval:
    """The median, and the interval between two order statistics that contains the true median.

    The number of samples below the true median is binomial with p = 1/2 whatever the distribution, so the k-th
    smallest and the k-th largest enclose it with a confidence that follows from counting alone (David and Nagaraja,
    Order Statistics, section 7.1). With too few samples for that confidence, it is their whole range. Raises
    ValueError without samples.
    """
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("a median needs at least one sample")
    rank = max(_rank(len(ordered), confidence), 1)
    return Interval(median(ordered), ordered[rank - 1], ordered[-rank])


def least_samples(confidence: float = CONFIDENCE) -> int:
    """The fewest samples for which an interval can reach that confidence: 8 for 99 %."""
    count = 1
    while not _rank(count, confidence):
        count += 1
    return count


def split_by_clock(quads: Iterable[Quad], tolerance: float = CLOCK_TOLERANCE) -> tuple[list[Quad], int]:
    """Returns the quads that ran at one clock, and the number of the others. Quads with unread clocks are kept."""
    every = list(quads)
    steady = [quad for quad in every if not quad.clocks or max(quad.clocks) <= min(quad.clocks) * (1 + tolerance)]
    return steady, len(every) - len(steady)


def agree(times: Sequence[float], tolerance: float) -> bool:
    """Whether the longest of these times exceeds the shortest by at most `tolerance` (relative)."""
    return max(times) <= min(times) * (1 + tolerance)


@lru_cache(maxsize=4096)
def _rank(count: int, confidence: float) -> int:
    """The largest k such that the k-th smallest and k-th largest of `count` enclose the median; 0 for none."""
    # Exact integers, because the tails for thousands of samples underflow a float.
    allowed = int((1 - confidence) / 2 * 2**count) if count < 1000 else int((1 - confidence) * 2**53) << (count - 54)
    term, tail, rank = 1, 1, 0
    while tail <= allowed and 2 * (rank + 1) <= count:
        rank += 1
        term = term * (count - rank + 1) // rank
        tail += term
    return rank


def _half_width(logs: Sequence[float]) -> float:
    interval = median_interval(logs)
    return (interval.high - interval.low) / 2
