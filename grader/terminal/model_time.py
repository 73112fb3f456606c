"""A model time as text: a line for all launches, and one for each kernel with what its time consists of."""

from __future__ import annotations

from collections.abc import Iterator

from grader.boards.words import duration, percent, sizes
from grader.model.kernel import WORDS, KernelTime
from grader.model.model import ModelTime

LEAST_SHARE = 0.05
"""Smaller parts of a time are left out."""


def model_lines(found: ModelTime, times: str = "×") -> Iterator[str]:
    """Yields the lines; the first names the GPU and the sizes."""
    where = heading(found)
    if found.seconds is None:
        yield f"{where}: none, {found.why_not}"
        return
    yield f"{where}: {between(found.seconds, found.low, found.high)}, bound by {WORDS[found.bound]}"
    for time, launches in found.kernels:
        often = f"{launches:,} {times} " if launches > 1 else ""
        took = between(time.seconds, time.low, time.high)
        yield f"  {time.kernel}: {often}{took}: {parts_of(time)}"


def heading(found: ModelTime) -> str:
    """Names the GPU and the sizes: "model time on L4, not calibrated, with N=1000"."""
    known = "" if found.gpu.calibrated else ", not calibrated"
    return f"model time on {found.gpu.name}{known}, with {sizes(found.sizes).replace(' ', ',')}"


def between(seconds: float, low: float, high: float) -> str:
    """Three digits of a time, two of its interval: "1.31 ms (1.1 to 1.6)"."""
    return f"{duration(seconds)} ({interval_beside(seconds, low, high)})"


def interval_beside(seconds: float, low: float, high: float) -> str:
    """The interval in the unit in which the time is written: "1.1 to 1.6"."""
    unit = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[duration(seconds).split()[1]]
    return f"{_two_digits(low / unit)} to {_two_digits(high / unit)}"


def parts_of(time: KernelTime) -> str:
    """The largest parts of a launch's time, in words: "L1 75.3%, instruction issue 10.2%"."""
    order = sorted(time.parts, key=lambda name: -time.parts[name])
    shown = [name for name in order if time.parts[name] >= LEAST_SHARE * time.seconds]
    return ", ".join(f"{WORDS[name]} {percent(time.parts[name] / time.seconds)}" for name in shown)


def _two_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"
