"""The score: how close a kernel comes to its GPU's limits, and which scores really differ.

Pure functions on figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from grader.core.report import Interval

AUDIT_ABOVE = 1.05
"""Nothing is faster than light: a larger share means a wrong cost, a wrong ceiling, or a cheat."""
PARTS = 3
"""Products of halves that make one of fp32, with errors like those of fp32 (Ootomo and Yokota, Recovering single
precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance, 2022)."""


@dataclass(frozen=True)
class Share:
    """A share of the speed of light, 0 to the most; `audit` marks a measurement that is impossibly fast."""

    value: float
    audit: bool


def speed_of_light(*, flops: int, bytes: int, bandwidth: float, rate: float, floor: float) -> float:
    """The shortest time in seconds that the work can take: the roofline, but at least the time of an empty launch.

    `bandwidth` is in bytes per second, `rate` in operations per second (Williams, Waterman and Patterson, Roofline,
    2009).
    """
    if not (bandwidth > 0 and rate > 0):
        raise ValueError(f"ceilings of {bandwidth:g} bytes/s and {rate:g} operations/s: both have to be above 0")
    return max(bytes / bandwidth, flops / rate, floor)


def share_of(light: float, seconds: float, least: float | None = None) -> Share:
    """The share of the speed of light: `light` seconds divided by the measured `seconds`.

    It is at most 1, or that of the `least` seconds that the work takes by units which `light` leaves out.
    """
    if not (light > 0 and seconds > 0):
        raise ValueError(f"{light:g} and {seconds:g} seconds: both have to be above 0")
    share, most = light / seconds, light / (least or light)
    # The cap keeps one impossible size from raising the mean of all.
    return Share(min(share, most), share > AUDIT_ABOVE * most)


def geometric_mean(shares: Sequence[float]) -> float:
    """The score of a problem: the geometric mean of its benchmark sizes' shares. Raises ValueError."""
    if not shares:
        raise ValueError("a score needs at least one size")
    if min(shares) <= 0:
        raise ValueError(f"a share of {min(shares):g}: shares have to be above 0")
    return exp(sum(log(share) for share in shares) / len(shares))


def score_interval(lights: Sequence[tuple[float, float]], times: Sequence[Interval]) -> Interval:
    """The score with its interval, which follows from the times' intervals: a longer time is a lower score.

    `lights` has the light and the least seconds of each size, as `share_of` takes them.
    """
    if len(lights) != len(times):
        raise ValueError(f"{len(lights)} sizes and {len(times)} times: they have to be as many")

    def score(seconds: Sequence[float]) -> float:
        return geometric_mean(
            [share_of(light, t, least).value for (light, least), t in zip(lights, seconds, strict=True)]
        )

    return Interval(score([t.value for t in times]), score([t.high for t in times]), score([t.low for t in times]))


def shared_ranks(scores: Sequence[Interval]) -> list[int]:
    """The rank of each score, 1 for the highest, in the order given.

    An entry shares the rank of the best entry of its group if their intervals overlap. Only the best one counts:
    overlap is not transitive, and a chain of neighbours would put the whole field on one rank.
    """
    ranks = [0] * len(scores)
    leader, rank = None, 0
    order = sorted(range(len(scores)), key=lambda i: scores[i].value, reverse=True)
    for place, i in enumerate(order, 1):
        if leader is None or scores[i].high < leader.low:
            leader, rank = scores[i], place
        ranks[i] = rank
    return ranks
