"""What a whole measurement amounts to: its score with the interval, and the sizes that can't be true.

It applies `score` to a finished Measurement; it measures nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.core.report import Ceilings, Interval, Measurement, SizeMeasurement
from grader.measure.score import score_interval, share_of, speed_of_light
from grader.measure.statistics import Quad, ratio_interval

NULL_TOLERANCE = 0.003
"""How far from 1 the baseline against itself may be: timing is sound within 0.3 %."""


def light_of(size: SizeMeasurement, ceilings: Ceilings) -> float:
    """The least seconds that this size can take on this GPU."""
    return speed_of_light(
        flops=size.flops,
        bytes=size.bytes,
        bandwidth=ceilings.bandwidth,
        rate=ceilings.flops,
        floor=size.floor,
    )


def overall_score(measurement: Measurement) -> Interval | None:
    """The score with its interval; None without a size, or where the work of one is not known.

    The bounds are those of all sizes being at their bounds at once. A warm GPU slows all sizes down together, so
    their errors are not independent, which would give a narrower interval.
    """
    if not measurement.sizes or any(size.sol is None for size in measurement.sizes):
        return None
    lights = [light_of(size, measurement.ceilings) for size in measurement.sizes]
    return score_interval(lights, [size.time for size in measurement.sizes])


def impossible(measurement: Measurement) -> list[SizeMeasurement]:
    """The sizes that were quicker than the speed of light: their entry is held until somebody has looked at it."""
    known = (size for size in measurement.sizes if size.sol is not None)
    return [size for size in known if share_of(light_of(size, measurement.ceilings), size.time.value).audit]


def is_sound(measurement: Measurement) -> bool:
    """Whether the baseline timed against itself was found to be as quick as itself."""
    return measurement.null_ratio is not None and _is_one(measurement.null_ratio)


def null_test(measure: Callable[[], Sequence[Quad]]) -> tuple[Quad, ...]:
    """The baseline's quads against itself, measured once more where they are off.

    One of 30 sessions on a GPU that others use is off by chance; timing that is not sound is so again.
    """
    quads = measure()
    ratio = ratio_interval(quads)
    return tuple(quads if ratio is None or _is_one(ratio) else measure())


def _is_one(ratio: Interval) -> bool:
    return abs(ratio.value - 1) <= NULL_TOLERANCE


def ranked_score(measurement: Measurement) -> float | None:
    """The score that ranks; None where the times are not sound or can't be true."""
    score = overall_score(measurement)
    return score.value if score is not None and is_sound(measurement) and not impossible(measurement) else None


def total_time(measurement: Measurement) -> Interval | None:
    """Seconds of all sizes together, all of them at their bounds at once; None without a size."""
    times = [size.time for size in measurement.sizes]
    if not times:
        return None
    return Interval(sum(t.value for t in times), sum(t.low for t in times), sum(t.high for t in times))
