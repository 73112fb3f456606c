"""The instruments beside a timed replay: a spin that holds the queue, the SM clock, the timer's tick, throttling.

They read the GPU and change none of its settings. `grader.measure` interprets their readings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from grader.measure.duel import MOST_CONTENDERS
from grader.run.gpu.device_code import load_module
from grader.run.gpu.refill import SOURCE as REFILL

MARKS = 4 * MOST_CONTENDERS
"""Clock readings of the largest round: before and after each of the two replays of each contender."""

MOST_SPIN = 0.05

SOURCE = """
extern "C" __global__ void spin(word nanoseconds) {
    word start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}

// clock64 counts on each SM for itself, so a reading says which one it was taken on.
extern "C" __global__ void mark(word* slot) {
    word cycles, time;
    unsigned sm;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(cycles));
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
    slot[0] = cycles;
    slot[1] = time;
    slot[2] = sm;
}

extern "C" __global__ void empty() {}
"""

_THROTTLING = {
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clock",
}
"""NVML's clocks event reasons. Idleness and an administrator's clock setting are left out: neither comes and goes."""


class Instruments:
    """kgrade's own kernels, loaded, on one stream of the current device."""

    def __init__(self, stream: Any) -> None:
        import cupy

        self.module = load_module(REFILL + SOURCE)
        self.stream = stream
        self._spin, self._mark, self._empty = (self.module.get_function(name) for name in ("spin", "mark", "empty"))
        self._slots = cupy.zeros((MARKS, 3), dtype=cupy.uint64)
        # Zeroed on another stream than the one that will write here.
        cupy.cuda.Device().synchronize()

    def spin(self, seconds: float) -> None:
        """Keeps the stream busy, so that what is queued behind runs without gaps from the host."""
        self._spin((1, 1, 1), (1, 1, 1), (np.uint64(min(seconds, MOST_SPIN) * 1e9),), stream=self.stream)

    def mark(self, slot: int) -> None:
        """Reads the clocks into a slot."""
        address = np.uint64(self._slots.data.ptr + slot * self._slots.strides[0])
        self._mark((1, 1, 1), (1, 1, 1), (address,), stream=self.stream)

    def empty(self, stream: Any) -> None:
        """Launches an empty kernel."""
        self._empty((1, 1, 1), (32, 1, 1), (), stream=stream)

    def clocks(self, count: int) -> tuple[float, ...] | None:
        """Returns the mean SM clock in MHz between each pair of marks, 2k and 2k + 1; waits for the stream.

        None if a pair was taken on two SMs, whose counters are unrelated.
        """
        slots = self._slots.get(stream=self.stream).astype(np.int64)[: 2 * count].reshape(count, 2, 3)
        if (slots[:, 0, 2] != slots[:, 1, 2]).any():
            return None
        cycles, nanoseconds = (slots[:, 1, i] - slots[:, 0, i] for i in (0, 1))
        if (nanoseconds <= 0).any() or (cycles <= 0).any():
            return None
        return tuple(float(mhz) for mhz in cycles / nanoseconds * 1e3)

    def tick(self) -> float:
        """Returns the step of the event timer in seconds, from intervals of many lengths."""
        import cupy

        events = [cupy.cuda.Event() for _ in range(128)]
        self.spin(2e-3)
        for number, event in enumerate(events):
            event.record(self.stream)
            self.spin(number * 31e-9)
        self.stream.synchronize()
        lengths = np.unique([round(cupy.cuda.get_elapsed_time(a, b) * 1e6) for a, b in pairwise(events)])
        # A nanosecond is the rounding of the driver's answer, a float of milliseconds.
        steps = np.diff(lengths)
        return float(steps[steps > 1].min(initial=2000)) * 1e-9

    def floor(self) -> float:
        """Returns the seconds of an empty kernel inside a graph of many: no launch sequence can be faster."""
        import cupy

        count = 256
        graph = capture(self.stream, [self.empty] * count)
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        times = []
        for _ in range(11):
            self.spin(2e-4)
            start.record(self.stream)
            graph.launch(self.stream)
            end.record(self.stream)
            self.stream.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, end) * 1e-3 / count)
        return float(np.median(times))


def capture(stream: Any, launches: Sequence[Callable[[Any], None]]) -> Any:
    """Returns the graph of what these enqueue on the stream, one after another, uploaded to the device."""
    with stream:
        stream.begin_capture()
        try:
            for launch in launches:
                launch(stream)
        finally:
            graph = stream.end_capture()
    graph.upload(stream)
    return graph


class Throttling:
    """Why the GPU is slower than it could be, by NVML, collected over a measurement; nothing without NVML."""

    def __init__(self) -> None:
        self._seen = 0
        self._nvml: Any = None
        with suppress(Exception):
            # Whatever keeps NVML from answering must not keep a kernel from being timed.
            import cupy
            import pynvml

            pynvml.nvmlInit()
            self._handle = pynvml.nvmlDeviceGetHandleByPciBusId(cupy.cuda.Device().pci_bus_id)
            pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle)
            self._nvml = pynvml

    def look(self) -> None:
        if self._nvml is not None:
            with suppress(self._nvml.NVMLError):
                self._seen |= int(self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle))

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(words for bit, words in _THROTTLING.items() if self._seen & bit)
