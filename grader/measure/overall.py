"""What a whole measurement amounts to: its score with the interval, and the sizes that can't be true.

It applies `score` to a finished Measurement; it measures nothing.
"""

from __future__ import annotations

from grader.measure.score import score_interval, share_of, speed_of_light
from grader.report import Ceilings, Interval, Measurement, SizeMeasurement


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
    """The score with its interval; None without a size.

    The bounds are those of all sizes being at their bounds at once. A warm GPU slows all sizes down together, so
    their errors are not independent, which would give a narrower interval.
    """
    if not measurement.sizes:
        return None
    lights = [light_of(size, measurement.ceilings) for size in measurement.sizes]
    return score_interval(lights, [size.time for size in measurement.sizes])


def impossible(measurement: Measurement) -> list[SizeMeasurement]:
    """The sizes that were quicker than the speed of light: their entry is held until somebody has looked at it."""
    return [size for size in measurement.sizes if share_of(light_of(size, measurement.ceilings), size.time.value).audit]
