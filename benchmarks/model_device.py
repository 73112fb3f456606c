"""The GPU that `calibrate_model.py` measures: its figures, its kernels, and what a run of one took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from model_kernels import Kernel
from numpy.typing import NDArray

from grader.core.errors import JudgeError

LINE_WORDS = 32
"""32-bit words of a cache line."""


@dataclass(frozen=True)
class About:
    """What drivers and data sheets say of a GPU: clock in Hz, bandwidth in bytes per second, None if not known."""

    name: str
    driver: str
    sms: int
    clock: float
    bandwidth: float | None


@dataclass(frozen=True)
class Run:
    """What a run took: `times` has four numbers a warp, the clock before and after first; `seconds` is by events."""

    times: NDArray[np.int64]
    seconds: float

    @property
    def cycles(self) -> int:
        """The cycles from the first warp's beginning to the last one's end, which are on one SM."""
        return int(self.times[:, 1].max() - self.times[:, 0].min())


class MeasuredDevice(Protocol):
    """A GPU, or what plays one."""

    about: About

    def run(
        self,
        name: str,
        blocks: int,
        threads: int,
        n: int,
        extra: int = 0,
        shared: int | None = None,
        rows: int | None = None,
    ) -> Run:
        """Runs a kernel of that name with these parameters. `shared` is dynamic shared memory in bytes, by default the
        kernel's; `rows` is how many rows of times it writes, by default one for each warp."""

    def follow(self, size: int, apart: int = 4 * LINE_WORDS) -> None:
        """Makes the data a list of `size` bytes to follow, that leads once to each place that is `apart` bytes on."""

    def graph(self, name: str, launches: int, blocks: int = 1, threads: int = 32, apart: int = 0) -> float:
        """The seconds of a graph of so many launches; each one's data begin `apart` bytes behind the one's before."""


class CudaDevice:
    """The GPU by CuPy. `code` is the cubin of all kernels."""

    def __init__(self, about: About, code: bytes, kernels: Mapping[str, Kernel], size: int) -> None:
        import cupy

        self.about = about
        self._kernels = kernels
        self._cupy: Any = cupy
        self._module = cupy.cuda.function.Module()
        self._module.load(code)
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._times = cupy.zeros(4 << 20, dtype=cupy.uint64)
        self._sink = cupy.zeros(1 << 20, dtype=cupy.uint32)
        # Numbers without a pattern: on zeros fewer transistors switch, and the clock is higher than with real data.
        self._data = cupy.arange(size // 4, dtype=cupy.uint32) * cupy.uint32(2654435761)
        cupy.cuda.runtime.deviceSynchronize()

    def run(
        self,
        name: str,
        blocks: int,
        threads: int,
        n: int,
        extra: int = 0,
        shared: int | None = None,
        rows: int | None = None,
    ) -> Run:
        cupy = self._cupy
        room = self._kernels[name].shared if shared is None else shared
        function = self._module.get_function(name)
        if room > 48 << 10:
            driver = cupy.cuda.driver
            driver.funcSetAttribute(function.ptr, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, room)
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        arguments = (self._times, self._sink, self._data, np.int32(n), np.int32(extra))
        with self._stream:
            start.record()
            function((blocks, 1, 1), (threads, 1, 1), arguments, shared_mem=room)
            end.record()
        try:
            self._stream.synchronize()
        except (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError) as error:
            how = f"{blocks} blocks of {threads} threads, n={n}, extra={extra}, {room} bytes of shared memory"
            raise JudgeError(f"the kernel {name} failed: {error}", how) from None
        rows = rows or blocks * max(1, threads // 32)
        times = cupy.asnumpy(self._times[: 4 * rows]).astype(np.int64).reshape(-1, 4)
        return Run(times, float(cupy.cuda.get_elapsed_time(start, end)) * 1e-3)

    def follow(self, size: int, apart: int = 4 * LINE_WORDS) -> None:
        order = np.random.default_rng(1).permutation(size // apart).astype(np.uint32) * np.uint32(apart // 4)
        # The list begins at place 0.
        order = np.roll(order, -int(np.flatnonzero(order == 0)[0]))
        places = np.zeros(size // 4, dtype=np.uint32)
        places[order] = np.roll(order, -1)
        self._data[: len(places)] = self._cupy.asarray(places)
        self._cupy.cuda.runtime.deviceSynchronize()

    def graph(self, name: str, launches: int, blocks: int = 1, threads: int = 32, apart: int = 0) -> float:
        cupy, function = self._cupy, self._module.get_function(name)
        with self._stream:
            self._stream.begin_capture()
            for number in range(launches):
                data = self._data[number * apart // 4 :]
                function((blocks, 1, 1), (threads, 1, 1), (self._times, self._sink, data, np.int32(0), np.int32(0)))
            graph = self._stream.end_capture()
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            graph.launch(self._stream)
            start.record()
            graph.launch(self._stream)
            end.record()
        self._stream.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) * 1e-3


def least(times: int, measure: Callable[[], float]) -> float:
    """The least of so many measurements: what disturbs one adds to it."""
    return min(measure() for _ in range(times))
