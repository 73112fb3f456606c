"""Contenders for timing: a problem's arrays between guard zones, and what is launched on them, as buffer sets.

It knows how a candidate and a problem's baseline are launched; `timing` times them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.core.plan import step_to_json
from grader.problem import Problem
from grader.problem.harness import Buffer, build_plan
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.buffers import DeviceArray, Overrun
from grader.run.gpu.filling import POISONED, copied
from grader.run.gpu.refill import Span
from grader.run.gpu.replay import Kernels, Replay
from grader.run.gpu.timed_inputs import filling_of, structure_of

Addresses = Mapping[str, int]


@dataclass(frozen=True)
class Prepared:
    """What enqueues the launches of one set on a CuPy stream, and the scratch that they use, by name.

    `release` frees what was made for it, when nothing of it runs any more.
    """

    launch: Callable[[Any], None]
    scratch: Mapping[str, DeviceArray] = field(default_factory=dict)
    release: Callable[[], None] = lambda: None


Prepare = Callable[[int, Addresses], Prepared]
"""Prepares what is launched on a set, from the set's number and the addresses of its arrays."""


class Contender:
    """Makes buffer sets for one problem size. Its arrays live until `free`. `structure` is the seed of structures."""

    array = DeviceArray

    def __init__(self, problem: Problem, sizes: Mapping[str, int], prepare: Prepare, structure: int) -> None:
        self._problem = problem
        self._sizes = sizes
        self._prepare = prepare
        self._structure = structure
        self._started = Started(problem, sizes, self.array)
        self._sets: list[dict[str, DeviceArray]] = []
        self._prepared: list[Prepared] = []

    def make_set(self, number: int) -> BufferSet:
        """Returns buffer set `number`; called once for each number from 0."""
        declared = {**self._problem.inputs, **self._problem.outputs}
        arrays = {name: self.array(a.shape(self._sizes), a.dtype.numpy) for name, a in declared.items()}
        self._sets.append(arrays)
        for name, values in structure_of(self._problem, self._sizes, self._structure, number).items():
            arrays[name].write(values)
        addresses = {name: array.pointer for name, array in arrays.items()}
        prepared = self._prepare(number, addresses)
        self._prepared.append(prepared)
        return BufferSet(
            inputs=inputs_of(self._problem, self._sizes, addresses),
            outputs=self._started.outputs_of(addresses),
            launch=prepared.launch,
            scratch=spans_of(prepared.scratch.values()),
        )

    def find_overrun(self) -> tuple[str, int, Overrun] | None:
        """Returns the first array with writes outside it: its name, its elements and the overrun; None for none."""
        return find_overrun([*self._sets, *(prepared.scratch for prepared in self._prepared)])

    def free(self) -> None:
        while self._sets:
            for array in self._sets.pop().values():
                array.free()
        while self._prepared:
            self._prepared.pop().release()
        self._started.free()


class Started:
    """What outputs hold before each replay: poison, or their start contents, of which this keeps a copy."""

    def __init__(self, problem: Problem, sizes: Mapping[str, int], array: type[DeviceArray] = DeviceArray) -> None:
        self._problem = problem
        self._sizes = sizes
        self._copies: dict[str, DeviceArray] = {}
        for name, values in problem.start_contents(sizes).items():
            self._copies[name] = array(values.shape, values.dtype, guard=0)
            self._copies[name].write(values)

    def outputs_of(self, addresses: Addresses) -> list[Span]:
        """Returns the outputs at these addresses, with what fills them."""
        return [
            Span(
                addresses[name],
                output.nbytes(self._sizes),
                copied(self._copies[name].pointer) if name in self._copies else POISONED,
            )
            for name, output in self._problem.outputs.items()
        ]

    def free(self) -> None:
        while self._copies:
            self._copies.popitem()[1].free()


def find_overrun(sets: Iterable[Mapping[str, DeviceArray]]) -> tuple[str, int, Overrun] | None:
    """Returns the first of these arrays with writes outside it, like `Contender.find_overrun`."""
    for arrays in sets:
        for name, array in arrays.items():
            found = array.check_guards()
            if found is not None:
                return name, array.nbytes // array.dtype.itemsize, found
    return None


def inputs_of(problem: Problem, sizes: Mapping[str, int], addresses: Addresses) -> list[Span | None]:
    """Returns what fills a problem's inputs before each replay; None for those that keep their contents."""
    fillings = {name: filling_of(problem, name, sizes) for name in problem.inputs}
    return [
        None if fill is None else Span(addresses[name], problem.inputs[name].nbytes(sizes) // fill.itemsize, fill)
        for name, fill in fillings.items()
    ]


def spans_of(arrays: Iterable[DeviceArray]) -> list[Span]:
    """Returns arrays as spans that are poisoned."""
    return [Span(array.pointer, array.nbytes, POISONED) for array in arrays]


def launch_program(
    problem: Problem, sizes: Mapping[str, int], kernels: Kernels, constants: Mapping[str, int]
) -> Prepare:
    """Returns a Prepare for a loaded program, launched as by `solve()`. Making a set may raise LaunchRefused."""

    def prepare(_number: int, addresses: Addresses) -> Prepared:
        steps = [step_to_json(step) for step in build_plan(problem, constants, sizes, addresses).steps]
        return Prepared(Replay(kernels, steps).enqueue_forked)

    return prepare


def call_library(problem: Problem, sizes: Mapping[str, int]) -> Prepare:
    """Returns a Prepare for the problem's `baseline()` with NVIDIA's library. Raises ToolMissing."""
    from grader.run.gpu.cublas import loaded

    library = loaded()
    declared = {**problem.inputs, **problem.outputs}

    def prepare(_number: int, addresses: Addresses) -> Prepared:
        buffers = {name: Buffer(name, addresses[name], a.shape(sizes), a.dtype) for name, a in declared.items()}

        def launch(stream: Any) -> None:
            problem.call_baseline(library.on(stream), {**buffers, **sizes})

        return Prepared(launch)

    return prepare
