"""Checks that a recorded plan may be replayed: every kernel, size and address in it must be one that was given.

The recorder refuses the same mistakes with better messages; what is caught here was forged or slipped through.
The memory accesses of kernels are checked elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from grader.compile.program import Kernel
from grader.core.plan import NO_CLUSTER, NON_BLOCKING, Alloc, Copy, Free, Launch, Memset, Plan, Step, Upload
from grader.core.report import Dim3
from grader.plan.device_table import DeviceTable
from grader.plan.limits import MOST_STEPS

MOST_ARGUMENT_BYTES = 32764
"""Total size of a kernel's parameters (CUDA C++ Programming Guide, since CUDA 12.1)."""
MOST_STREAMS = 4096
"""Includes the streams that stand for the branches of graphs."""
MOST_CLUSTER = 16

_BLOCK = (2, 3, 4)
_GRID = (5, 6, 7)
_THREADS = 1


@dataclass(frozen=True)
class Extent:
    """Device memory that launch code may use: an array of the problem, or a variable of the submission."""

    name: str
    address: int
    size: int


class InvalidPlan(Exception):
    """A step that may not be replayed. `step` is its index in the plan."""

    def __init__(self, step: int, message: str) -> None:
        super().__init__(f"step {step + 1}: {message}")
        self.step = step
        self.message = message


@dataclass(frozen=True)
class ScratchLimit:
    """The most scratch that solve() may hold at one time, in bytes and in pieces."""

    size: int = 8 << 30
    pieces: int = 4096


def validate(
    plan: Plan,
    kernels: Iterable[Kernel],
    extents: Sequence[Extent],
    device: DeviceTable,
    given: Mapping[int, int],
    scratch: ScratchLimit = ScratchLimit(),
) -> None:
    """Raises InvalidPlan if the plan may not be replayed. `given` is the scratch that the judge gave: sizes in bytes
    by address.
    """
    Validator(kernels, extents, device, given, scratch).check(plan.steps)


class Validator:
    """Checks a plan piece by piece and tracks the scratch in use; `given` may grow meanwhile."""

    def __init__(
        self,
        kernels: Iterable[Kernel],
        extents: Sequence[Extent],
        device: DeviceTable,
        given: Mapping[int, int],
        scratch: ScratchLimit = ScratchLimit(),
    ) -> None:
        self._kernels = {kernel.handle: kernel for kernel in kernels}
        self._device = device
        self._given = given
        self._limit = scratch
        self._live: dict[int, Extent] = {}
        self._fixed: set[int] = set()
        self._order: list[int] = []
        self._used = 0
        self._checked = 0
        for extent in extents:
            self.add(extent)

    def add(self, extent: Extent) -> None:
        """Adds memory that exists from the next step on and is never freed."""
        if extent.address not in self._live:
            insort(self._order, extent.address)
        self._live[extent.address] = extent
        self._fixed.add(extent.address)

    def add_kernel(self, kernel: Kernel) -> None:
        """Adds a kernel that later steps may launch."""
        self._kernels[kernel.handle] = kernel

    def check(self, steps: Iterable[Step]) -> None:
        """Checks the next steps. Raises InvalidPlan; the Validator can't be used afterwards."""
        for step in steps:
            if self._checked == MOST_STEPS:
                raise InvalidPlan(MOST_STEPS, f"the plan has more than {MOST_STEPS} steps")
            fault = self.fault_of(step)
            if fault:
                raise InvalidPlan(self._checked, fault)
            self._checked += 1

    def fault_of(self, step: Step) -> str:
        """Describes what is wrong with the step; empty if it is valid."""
        stream = getattr(step, "stream", 0)
        if stream >= 2 * NON_BLOCKING or max(stream, 0) % NON_BLOCKING > MOST_STREAMS:
            return f"stream {stream}; {MOST_STREAMS} are allowed"
        if isinstance(step, Launch):
            return self._launch(step)
        if isinstance(step, Memset):
            return self._range(step.address, step.size)
        if isinstance(step, Upload):
            return self._range(step.target, len(step.data))
        if isinstance(step, Copy):
            if step.target < step.source + step.size and step.source < step.target + step.size:
                return "a copy whose source and target overlap"
            return self._range(step.target, step.size) or self._range(step.source, step.size)
        if isinstance(step, Alloc):
            return self._alloc(step)
        if isinstance(step, Free):
            return self._free(step)
        return ""

    def _launch(self, step: Launch) -> str:
        kernel = self._kernels.get(step.kernel)
        if kernel is None:
            return "a launch of a kernel that this file does not have"
        sizes = tuple(len(argument) for argument in step.arguments)
        if sizes != tuple(kernel.parameter_bytes) or sum(sizes) > MOST_ARGUMENT_BYTES:
            wanted = tuple(kernel.parameter_bytes)
            return f"{len(sizes)} arguments of {sum(sizes)} bytes; {kernel.name} takes {len(wanted)} of {sum(wanted)}"
        block, grid = self._within(step.block, _BLOCK), self._within(step.grid, _GRID)
        if not block or not grid or prod(step.block) > self._device[_THREADS]:
            return f"grid {step.grid}, block {step.block}"
        if step.shared_bytes > self._device[97]:
            return f"{step.shared_bytes} bytes of dynamic shared memory; a block has at most {self._device[97]}"
        if step.cluster != NO_CLUSTER and not _divides(step.cluster, step.grid):
            return f"cluster {step.cluster} for grid {step.grid}"
        return ""

    def _within(self, numbers: Dim3, limits: tuple[int, int, int]) -> bool:
        return all(1 <= n <= self._device[limit] for n, limit in zip(numbers, limits, strict=True))

    def _range(self, address: int, size: int) -> str:
        place = bisect_right(self._order, address) - 1
        extent = self._live[self._order[place]] if place >= 0 else None
        if extent is None or address + size > extent.address + extent.size:
            return f"{size} bytes from {address:#x} on lie in no one array and no one allocation"
        return ""

    def _alloc(self, step: Alloc) -> str:
        # Freed scratch may be given again, also in part.
        if not 0 < step.size <= self._given.get(step.address, 0) or step.address in self._live:
            return f"scratch at {step.address:#x} that was not given"
        self._used += step.size
        self._live[step.address] = Extent("scratch", step.address, step.size)
        insort(self._order, step.address)
        if self._used > self._limit.size:
            return f"{self._used} bytes of scratch at once; {self._limit.size} are allowed"
        if len(self._live) - len(self._fixed) > self._limit.pieces:
            return f"{len(self._live) - len(self._fixed)} allocations at once; {self._limit.pieces} are allowed"
        return ""

    def _free(self, step: Free) -> str:
        extent = self._live.get(step.address)
        if extent is None or step.address in self._fixed:
            return f"scratch at {step.address:#x} is freed and not in use"
        self._used -= extent.size
        del self._live[step.address]
        self._order.remove(step.address)
        return ""


def _divides(cluster: Dim3, grid: Dim3) -> bool:
    return all(c >= 1 and g % c == 0 for c, g in zip(cluster, grid, strict=True)) and prod(cluster) <= MOST_CLUSTER
