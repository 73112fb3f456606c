"""Evaluates a finished Measurement: its score with the interval, and whether its times are sound and possible.

It applies `score`; it measures nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.core.report import Ceilings, Interval, Measurement, Modelled, SizeMeasurement
from grader.measure.score import Share, score_interval, share_of, speed_of_light
from grader.measure.statistics import Quad, ratio_interval

NULL_TOLERANCE = 0.003
"""How far from 1 the baseline against itself may be: timing is sound within 0.3 %."""


def light_of(size: SizeMeasurement, ceilings: Ceilings) -> float:
    """The shortest time in seconds that this size can take on this GPU."""
    return speed_of_light(
        flops=size.flops,
        bytes=size.bytes,
        bandwidth=ceilings.bandwidth,
        rate=ceilings.flops,
        floor=size.floor,
    )


def least_of(size: SizeMeasurement, ceilings: Ceilings) -> float:
    """The same where tensor cores multiply parts of numbers: less than the time of light, if at all."""
    return light_of(size, replace(ceilings, flops=max(ceilings.flops, ceilings.split_flops or 0.0)))


def share_of_light(size: SizeMeasurement, ceilings: Ceilings) -> Share:
    """The share of the speed of light that this size reached."""
    return share_of(light_of(size, ceilings), size.time.value, least_of(size, ceilings))


def overall_score(measurement: Measurement) -> Interval | None:
    """The score with its interval; None without a size, or if the work of any size is unknown.

    The bounds assume all sizes at their bounds at once. A warm GPU slows all sizes down together, so their errors
    are not independent, and the narrower interval for independent errors would be wrong.
    """
    if not measurement.sizes or any(size.sol is None for size in measurement.sizes):
        return None
    reached = measurement.ceilings
    lights = [(light_of(size, reached), least_of(size, reached)) for size in measurement.sizes]
    return score_interval(lights, [size.time for size in measurement.sizes])


def impossible(measurement: Measurement) -> list[SizeMeasurement]:
    """The sizes measured faster than the speed of light; such an entry is held for review."""
    known = (size for size in measurement.sizes if size.sol is not None)
    return [size for size in known if share_of_light(size, measurement.ceilings).audit]


def is_sound(measurement: Measurement) -> bool:
    """Whether the baseline timed against itself gave a ratio of 1 within NULL_TOLERANCE."""
    return measurement.null_ratio is not None and _is_one(measurement.null_ratio)


def null_test(measure: Callable[[], Sequence[Quad]]) -> tuple[Quad, ...]:
    """Returns the quads of the baseline against itself, measured again once if they are off.

    One in 30 sessions on a shared GPU is off by chance; unsound timing is off again.
    """
    quads = measure()
    ratio = ratio_interval(quads)
    return tuple(quads if ratio is None or _is_one(ratio) else measure())


def _is_one(ratio: Interval) -> bool:
    return abs(ratio.value - 1) <= NULL_TOLERANCE


def ranked_score(measurement: Measurement) -> float | None:
    """The score used for ranking; None if the times are unsound or impossible."""
    score = overall_score(measurement)
    return score.value if score is not None and is_sound(measurement) and not impossible(measurement) else None


def total_time(measurement: Measurement) -> Interval | None:
    """Total time of all sizes in seconds, its bounds the sums of theirs; None without a size."""
    return _sum([size.time for size in measurement.sizes])


def total_model_time(model: Modelled) -> Interval | None:
    """Total model time of all sizes in seconds, as `total_time`; None also where a size has no time."""
    times = [size.time for size in model.sizes if size.time is not None]
    return _sum(times) if len(times) == len(model.sizes) else None


def _sum(times: Sequence[Interval]) -> Interval | None:
    if not times:
        return None
    return Interval(sum(t.value for t in times), sum(t.low for t in times), sum(t.high for t in times))
