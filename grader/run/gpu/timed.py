"""Contenders for timing: a problem's arrays between guard zones, and what is launched on them, as buffer sets.

It knows how a candidate and a problem's baseline are launched; how they are timed is written in `timing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.plan.harness import Buffer, build_plan
from grader.plan.plan import told
from grader.problem import Problem
from grader.run.gpu.buffers import DeviceArray, Overrun
from grader.run.gpu.refill import Span
from grader.run.gpu.replay import Kernels
from grader.run.gpu.timing import BufferSet

Addresses = Mapping[str, int]
Prepare = Callable[[Addresses], Callable[[Any], None]]
"""Given the addresses of a set's arrays, makes what enqueues the launches on them on a CuPy stream."""


class Contender:
    """Makes buffer sets for one problem size. Its arrays live until `free`."""

    def __init__(self, problem: Problem, sizes: Mapping[str, int], prepare: Prepare) -> None:
        self._problem = problem
        self._sizes = sizes
        self._prepare = prepare
        self._sets: list[dict[str, DeviceArray]] = []

    def make_set(self, number: int) -> BufferSet:
        """Buffer set `number`: called for each number from 0 once."""
        declared = {**self._problem.inputs, **self._problem.outputs}
        arrays = {name: DeviceArray(a.shape(self._sizes), a.dtype.numpy) for name, a in declared.items()}
        self._sets.append(arrays)
        spans = {name: Span(array.pointer, array.nbytes // 4) for name, array in arrays.items()}
        return BufferSet(
            inputs=[spans[name] for name in self._problem.inputs],
            outputs=[spans[name] for name in self._problem.outputs],
            launch=self._prepare({name: array.pointer for name, array in arrays.items()}),
        )

    def find_overrun(self) -> tuple[str, int, Overrun] | None:
        """The first array that something was written beside: its name, its elements and what was found."""
        for arrays in self._sets:
            for name, array in arrays.items():
                found = array.check_guards()
                if found is not None:
                    return name, array.nbytes // array.dtype.itemsize, found
        return None

    def free(self) -> None:
        while self._sets:
            for array in self._sets.pop().values():
                array.free()


def launch_program(
    problem: Problem, sizes: Mapping[str, int], kernels: Kernels, constants: Mapping[str, int]
) -> Prepare:
    """A loaded program as the problem's `solve()` launches it. Making a set may raise LaunchRefused."""

    def prepare(addresses: Addresses) -> Callable[[Any], None]:
        steps = [told(step) for step in build_plan(problem, constants, sizes, addresses).steps]

        def launch(stream: Any) -> None:
            kernels.replay(steps, stream.ptr)

        return launch

    return prepare


def call_library(problem: Problem, sizes: Mapping[str, int]) -> Prepare:
    """The problem's `baseline()` with NVIDIA's library. Raises ToolMissing where that is not installed."""
    from grader.run.gpu.cublas import Cublas

    library = Cublas()
    declared = {**problem.inputs, **problem.outputs}

    def prepare(addresses: Addresses) -> Callable[[Any], None]:
        buffers = {name: Buffer(name, addresses[name], a.shape(sizes), a.dtype) for name, a in declared.items()}

        def launch(stream: Any) -> None:
            problem.call_baseline(library.on(stream), {**buffers, **sizes})

        return launch

    return prepare
