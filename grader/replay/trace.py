"""A Trace: everything that one block did, step by step. Stepping back is a search in it; nothing runs backwards.

One step is one warp, with some of its lanes, at one source line. A debugger that "is at" a step stands before that line
runs: the writes of all earlier steps have happened, those of the step itself have not. Threads are numbered linearly
(x fastest) over all traced blocks, each padded to whole warps; so thread = 32 * warp + lane, and warps count over all
blocks too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from grader.replay.decode import Value, decode
from grader.replay.memory import Events, Image, Memory
from grader.replay.model import (
    ARRIVE,
    AT_WORK,
    DEBUG,
    EXIT,
    GLOBAL,
    GONE,
    LANES,
    READY,
    RELEASE,
    SHARED,
    SPACES,
    VARIABLE,
    WAITING,
    WAITS,
    Accesses,
    Column,
    Dim3,
    Frame,
    Function,
    GlobalArray,
    Mark,
    SharedArray,
    SourceFile,
    Steps,
    Type,
    Variable,
    Waits,
    Write,
)


@dataclass(frozen=True, eq=False)
class Trace:
    """What the traced blocks of one launch did. See the module for what a step and a thread's number mean.

    `launch` is the launch's index among the plan's launches; `block` the traced block, `blocks` all of them (a race
    between blocks has two). `remarks` are sentences: what this build does otherwise than the graded one, what was cut.
    `truncated` says that the recording reached a limit, so that it ends before the block does.
    """

    problem: str
    kernel: str
    grid: Dim3
    block_dim: Dim3
    block: Dim3
    blocks: tuple[Dim3, ...]
    sizes: dict[str, int] = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    family: str = ""
    launch: int = 0
    build: str = DEBUG
    remarks: tuple[str, ...] = ()
    truncated: bool = False
    files: tuple[SourceFile, ...] = ()
    functions: tuple[Function, ...] = ()
    types: tuple[Type, ...] = ()
    variables: tuple[Variable, ...] = ()
    shared: tuple[SharedArray, ...] = ()
    arrays: tuple[GlobalArray, ...] = ()
    marks: tuple[Mark, ...] = ()
    steps: Steps = field(default_factory=Steps)
    writes: Accesses = field(default_factory=Accesses)
    reads: Accesses = field(default_factory=Accesses)
    waits: Waits = field(default_factory=Waits)

    def __len__(self) -> int:
        return len(self.steps.warp)

    @property
    def block_threads(self) -> int:
        """Threads of a block, without padding."""
        return self.block_dim[0] * self.block_dim[1] * self.block_dim[2]

    @property
    def block_warps(self) -> int:
        return -(-self.block_threads // LANES)

    def threads(self) -> list[int]:
        """The numbers of all traced threads."""
        stride = self.block_warps * LANES
        return [block * stride + thread for block in range(len(self.blocks)) for thread in range(self.block_threads)]

    def thread_index(self, thread: int) -> Dim3:
        """A thread's threadIdx."""
        x, y, _ = self.block_dim
        linear = thread % (self.block_warps * LANES)
        return linear % x, linear // x % y, linear // (x * y)

    def block_index(self, thread: int) -> Dim3:
        """A thread's blockIdx."""
        return self.blocks[self._block(thread)]

    def thread_at(self, index: Dim3, block: Dim3 | None = None) -> int:
        """The thread with this threadIdx, in the first traced block if none is given. Raises ValueError."""
        linear = index[0] + self.block_dim[0] * (index[1] + self.block_dim[1] * index[2])
        return self.blocks.index(block or self.blocks[0]) * self.block_warps * LANES + linear

    def _block(self, thread: int) -> int:
        return thread // (self.block_warps * LANES)

    def is_at_work(self, step: int, thread: int) -> bool:
        """Whether this step is one of this thread's."""
        warp, lane = divmod(thread, LANES)
        return int(self.steps.warp[step]) == warp and bool(int(self.steps.mask[step]) >> lane & 1)

    def steps_of(self, thread: int) -> Column:
        """The steps in which a thread is at work, in order."""
        warp, lane = divmod(thread, LANES)
        steps = self._steps_of_warp(warp)
        mine: Column = steps[(self.steps.mask[steps] >> lane & 1).astype(bool)]
        return mine

    def _steps_of_warp(self, warp: int) -> Column:
        if warp not in self._by_warp:
            self._by_warp[warp] = np.flatnonzero(self.steps.warp == warp)
        return self._by_warp[warp]

    @cached_property
    def _by_warp(self) -> dict[int, Column]:
        return {}

    def next_step_of(self, thread: int, step: int) -> int | None:
        """The first step at or after `step` in which the thread is at work: where it stands. None if it has ended."""
        steps = self.steps_of(thread)
        at = int(np.searchsorted(steps, step))
        return int(steps[at]) if at < len(steps) else None

    def last_step_of(self, thread: int, step: int) -> int | None:
        """The last step before `step` in which the thread was at work."""
        steps = self.steps_of(thread)
        at = int(np.searchsorted(steps, step))
        return int(steps[at - 1]) if at else None

    def state_of(self, thread: int, step: int) -> str:
        """AT_WORK where the step is this thread's; else WAITING (at a barrier), GONE, or READY."""
        if step < len(self) and self.is_at_work(step, thread):
            return AT_WORK
        kind = self._last_wait(thread, step)
        return {ARRIVE: WAITING, EXIT: GONE}.get(kind, READY)

    def waits_at(self, thread: int, step: int) -> int | None:
        """The step in which this thread arrived at the barrier that it waits at; None if it waits at none."""
        if self._last_wait(thread, step) != ARRIVE:
            return None
        return self.last_step_of(thread, step)

    def _last_wait(self, thread: int, step: int) -> str:
        waits = self.waits
        warp, lane = divmod(thread, LANES)
        before = int(np.searchsorted(waits.step, step))
        mine = np.flatnonzero((waits.warp[:before] == warp) & (waits.mask[:before] >> lane & 1).astype(bool))
        return WAITS[int(waits.kind[mine[-1]])] if len(mine) else ""

    def next_barrier(self, step: int) -> int | None:
        """The next step after `step` in which a barrier lets its threads go; None if there is none."""
        steps = self._releases
        at = int(np.searchsorted(steps, step, "right"))
        return int(steps[at]) if at < len(steps) else None

    def previous_barrier(self, step: int) -> int | None:
        """The last step before `step` in which a barrier let its threads go; None if there is none."""
        steps = self._releases
        at = int(np.searchsorted(steps, step))
        return int(steps[at - 1]) if at else None

    @cached_property
    def _releases(self) -> Column:
        return np.unique(self.waits.step[self.waits.kind == WAITS.index(RELEASE)])

    def stack_at(self, step: int, thread: int) -> list[Frame]:
        """A thread's stack where it stands at `step`, innermost function first; once it is gone, its last."""
        at = self.next_step_of(thread, step)
        if at is None:
            at = self.last_step_of(thread, step)
        frames = []
        while at is not None and at >= 0:
            frames.append(self._frame(at))
            at = int(self.steps.parent[at])
        return frames

    def _frame(self, step: int) -> Frame:
        steps = self.steps
        return Frame(int(steps.function[step]), step, int(steps.file[step]), int(steps.line[step]))

    def variables_at(self, step: int, thread: int, frame: int = 0) -> list[int]:
        """The variables in scope where a thread stands at `step`, `frame` levels up; inner ones hide outer ones."""
        stack = self.stack_at(step, thread)
        if frame >= len(stack):
            return []
        at = stack[frame]
        found: dict[str, int] = {}
        for number, variable in enumerate(self.variables):
            if variable.function != at.function or not variable.first <= at.line <= variable.last:
                continue
            known = found.get(variable.name)
            if known is None or self._is_inner(variable, self.variables[known]):
                found[variable.name] = number
        return list(found.values())

    def _is_inner(self, one: Variable, other: Variable) -> bool:
        return (one.last - one.first, -one.line) < (other.last - other.first, -other.line)

    def values_at(self, step: int, thread: int, frame: int = 0) -> dict[int, Value]:
        """The values, before `step` runs, of the variables in scope of one thread, by index of `variables`.

        A number, a list (array), a dict (struct, vector); None where there is no value yet. `frame` 1 is the caller's.
        """
        return {number: self.value_of(number, step, thread, frame) for number in self.variables_at(step, thread, frame)}

    def value_of(self, variable: int, step: int, thread: int, frame: int = 0) -> Value:
        """The value of one variable in one thread before `step` runs, decoded as its type says."""
        declared = self.variables[variable]
        if declared.shared >= 0:
            image = self.shared_at(step, self._block(thread))[declared.shared]
        else:
            image = self.variable_at(variable, step, thread, frame)
        return decode(self.types, declared.type, image.data.tobytes(), image.known)

    def variable_at(self, variable: int, step: int, thread: int, frame: int = 0) -> Image:
        """The bytes of one variable in one thread before `step` runs, and who wrote them when.

        Of a recursive function, those of its call `frame` levels up or, if that is another function, of the next.
        """
        declared = self.variables[variable]
        image = Image(self.types[declared.type].size)
        if declared.initial is not None:
            image.fill(0, declared.initial, image.data.size)
        stack = self.stack_at(step, thread)[frame:]
        own = next((level for level in stack if level.function == declared.function), None)
        call = int(self.steps.parent[own.step]) if own is not None else None
        self._memory.replay(image, SPACES.index(VARIABLE), variable, step, thread, call=call)
        return image

    def shared_at(self, step: int, block: int = 0) -> dict[int, Image]:
        """Shared memory of a traced block before `step` runs, by index of `shared`, with the last writers."""
        images = {}
        for number, array in enumerate(self.shared):
            image = Image(self.types[array.type].size * _product(array.shape))
            stride = self.block_warps * LANES
            span = (block * stride, (block + 1) * stride)
            self._memory.replay(image, SPACES.index(SHARED), number, step, threads=span)
            images[number] = image
        return images

    def elements_at(self, array: int, step: int, indices: Iterable[int] | None = None) -> dict[int, int]:
        """Bits of the elements of a global array before `step` runs, by flat index; without a value: left out."""
        declared = self.arrays[array]
        size = self.types[declared.type].size
        wanted = set(declared.elements) | self._touched(array, size) if indices is None else set(indices)
        if not wanted:
            return {}
        found: dict[int, int] = {}
        first, last = min(wanted), max(wanted)
        image = Image((last - first + 1) * size)
        for index in wanted:
            if index in declared.elements:
                image.fill((index - first) * size, declared.elements[index], size)
        self._memory.replay(image, SPACES.index(GLOBAL), array, step, begin=first * size)
        for index in sorted(wanted):
            at = (index - first) * size
            if image.known[at : at + size].all():
                found[index] = int.from_bytes(image.data[at : at + size].tobytes(), "little")
        return found

    def _touched(self, array: int, size: int) -> set[int]:
        first, last = self._memory.extents(SPACES.index(GLOBAL), array)
        return {
            index for one, other in zip(first, last, strict=True) for index in range(one // size, -(-other // size))
        }

    def who_wrote(self, space: str, target: int, offset: int, step: int, thread: int | None = None) -> Write | None:
        """The last write before `step` to the byte at `offset`; None if nobody wrote it by then.

        `thread` says whose variable is meant, and in which block shared memory is, if more than one is traced.
        """
        span = None
        if thread is not None and space == SHARED:
            stride = self.block_warps * LANES
            span, thread = (self._block(thread) * stride, (self._block(thread) + 1) * stride), None
        found = self._memory.last(
            SPACES.index(space), target, offset, step, thread if space == VARIABLE else None, span
        )
        return None if found is None else self._access(self.writes, found)

    def writes_of(self, space: str, target: int, offset: int) -> list[Write]:
        """All writes to the byte at `offset`, in order."""
        return [self._access(self.writes, at) for at in self._memory.all_to(SPACES.index(space), target, offset)]

    def writes_in(self, step: int) -> list[Write]:
        """What a step writes, of all its threads."""
        return self._in(self.writes, step)

    def reads_in(self, step: int) -> list[Write]:
        """What a step reads from shared and global memory, of all its threads."""
        return self._in(self.reads, step)

    def _in(self, accesses: Accesses, step: int) -> list[Write]:
        first, last = np.searchsorted(accesses.step, [step, step + 1])
        return [self._access(accesses, at) for at in range(int(first), int(last))]

    def _access(self, accesses: Accesses, at: int) -> Write:
        space = SPACES[int(accesses.space[at])]
        columns = (accesses.target, accesses.offset, accesses.size, accesses.value)
        return Write(int(accesses.step[at]), int(accesses.thread[at]), space, *(int(each[at]) for each in columns))

    @cached_property
    def _memory(self) -> Memory:
        writes = self.writes
        return Memory(
            Events(
                *(writes.step, writes.thread, writes.space, writes.target),
                *(writes.offset, writes.size, writes.value, writes.call),
            )
        )


def _product(shape: Iterable[int]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product
