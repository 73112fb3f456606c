"""Remarks on a measurement, in sentences: what a reader should know before trusting a time.

Nothing here changes a score.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.boards.words import percent, sizes, spread
from grader.core.report import Measurement
from grader.measure.overall import NULL_TOLERANCE, impossible, is_sound, light_of

WIDE = 0.03
"""Timing stops at an interval of ± 0.3 %; one ten times as wide gets a remark."""


def remarks(measurement: Measurement) -> Iterator[str]:
    """Yields one sentence for each reason to doubt the times; nothing if all is well."""
    null = measurement.null_ratio
    if null is not None and not is_sound(measurement):
        yield (
            f"The baseline timed against itself gave {null.value:.4f} instead of 1 within {NULL_TOLERANCE}: "
            "these times don't rank."
        )
    for size in impossible(measurement):
        share = light_of(size, measurement.ceilings) / size.time.value
        yield (
            f"With {sizes(size.sizes)} the kernel reached {percent(share)} of the speed of light, which can't be: "
            "the entry is held until somebody has looked at it."
        )
    throttled = [size for size in measurement.sizes if size.throttled]
    if throttled:
        reasons = dict.fromkeys(reason for size in throttled for reason in size.throttled)
        where = "; ".join(sizes(size.sizes) for size in throttled)
        yield f"The GPU slowed itself down ({', '.join(reasons)}) while it was timed with {where}."
    for size in measurement.sizes:
        if size.time.high - size.time.low > 2 * WIDE * size.time.value:
            yield f"The time with {sizes(size.sizes)} scatters: {spread(size.time)}. Somebody else may use the GPU."
