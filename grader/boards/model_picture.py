"""The pictures of a model time: a bar for each kernel, of the parts of its time, and the roofline with its points.

It computes coordinates and words; the template draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.boards import roofline
from grader.boards.words import duration, interval, percent, quantity
from grader.core.report import Ceilings, Interval, Measurement, SizeMeasurement
from grader.model.calibration import calibration_of
from grader.model.kernel import WORDS, KernelTime
from grader.model.model import ModelTime

WIDTH = 560.0
LEAST_SHARE = 0.005
"""Smaller parts of a time are not drawn."""


@dataclass(frozen=True)
class Part:
    """A part of a bar: what the time goes to, its place in WORDS, and its share in words."""

    name: str
    style: int
    x: float
    width: float
    share: str


@dataclass(frozen=True)
class Bar:
    """One kernel: its time in words, what it is bound by, and the parts of its bar."""

    kernel: str
    launches: int
    time: str
    between: str
    bound: str
    parts: tuple[Part, ...]
    facts: str


@dataclass(frozen=True)
class ModelPicture:
    """All that the page shows of a model time."""

    gpu: str
    calibrated: str
    sizes: Mapping[str, int]
    time: str
    between: str
    bound: str
    why_not: str
    bars: tuple[Bar, ...]
    roofline: roofline.Roofline | None
    source: str


def draw(found: ModelTime) -> ModelPicture:
    """The pictures; bars are as long as the kernels' shares of the longest one's time."""
    longest = max((time.seconds * launches for time, launches in found.kernels), default=1.0)
    seconds = found.seconds or 0.0
    return ModelPicture(
        gpu=found.gpu.name,
        calibrated=found.gpu.calibrated,
        sizes=found.sizes,
        time=duration(seconds) if seconds else "",
        between=interval(Interval(seconds, found.low, found.high)) if seconds else "",
        bound=WORDS.get(found.bound, ""),
        why_not=found.why_not,
        bars=tuple(_bar(time, launches, longest) for time, launches in found.kernels),
        roofline=_roofline(found) if found.kernels else None,
        source=found.gpu.source,
    )


def shares_of_lines(found: ModelTime | None) -> Mapping[int, float]:
    """Returns, by source line, the percentage of the model time in which its instructions issue or wait."""
    if found is None or not found.seconds:
        return {}
    shares: dict[int, float] = {}
    for time, launches in found.kernels:
        for line, seconds in time.lines.items():
            shares[line] = shares.get(line, 0.0) + 100 * seconds * launches / found.seconds
    return shares


def _bar(time: KernelTime, launches: int, longest: float) -> Bar:
    parts, x = [], 0.0
    scale = WIDTH * time.seconds * launches / longest
    for style, name in enumerate(WORDS):
        share = time.parts.get(name, 0.0) / time.seconds
        if share >= LEAST_SHARE:
            parts.append(Part(WORDS[name], style, round(x, 1), round(share * scale, 1), percent(share)))
            x += share * scale
    moved = f"{quantity(time.dram_bytes, 'B')} from DRAM, {quantity(time.l2_bytes, 'B')} from L2"
    at_once = f"{time.resident} block{'s' if time.resident > 1 else ''} on an SM at once"
    blocks = f"{at_once}, {time.waves:.3g} waves; {time.sampled} of {time.blocks:,} sampled"
    return Bar(
        kernel=time.kernel,
        launches=launches,
        time=duration(time.seconds),
        between=interval(Interval(time.seconds, time.low, time.high)),
        bound=WORDS[time.bound],
        parts=tuple(parts),
        facts=f"{moved}; {blocks}",
    )


def _roofline(found: ModelTime) -> roofline.Roofline | None:
    """The kernels' operations and the bytes that DRAM moves for them, below what the model takes the GPU to reach."""
    gpu = found.gpu
    values = calibration_of(gpu)
    bandwidth, rate = gpu.bandwidth * values.dram_share, 2.0 * gpu.sm.fp32 * gpu.sms * gpu.clock
    if any(time.flops / time.seconds > rate for time, _ in found.kernels):
        rate = 2.0 * gpu.sm.tensor * gpu.tensor_share * gpu.sms * gpu.clock
    ceilings = Ceilings(gpu.name, "", "", bandwidth, rate, None, None, values.launch_seconds)
    points = tuple(_point(time, found.sizes, bandwidth, rate) for time, _ in found.kernels)
    drawn = roofline.draw(Measurement(points, ceilings, None))
    if drawn is None:
        return None
    words = f"In the model: {quantity(bandwidth, 'B/s')} and {quantity(rate, 'FLOP/s')}; bytes are those of DRAM."
    series = tuple(replace(one, label="a kernel, by the model") for one in drawn.series)
    return replace(drawn, ceilings=words, title=f"Roofline of the model on {gpu.name}", series=series)


def _point(time: KernelTime, sizes: Mapping[str, int], bandwidth: float, rate: float) -> SizeMeasurement:
    light = max(time.dram_bytes / bandwidth, time.flops / rate)
    return SizeMeasurement(
        sizes=sizes,
        time=Interval(time.seconds, time.low, time.high),
        ratio=None,
        flops=round(time.flops),
        bytes=round(time.dram_bytes),
        sol=min(1.0, light / time.seconds),
        quads=0,
        dropped=0,
        verified=0,
        floor=0.0,
        clock_mhz=(0.0, 0.0),
    )
