"""Runs one launch: worker threads that drive native code, suspended blocks, and the result."""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from grader.run.emulator import layout
from grader.run.emulator.aligned import aligned_bytes
from grader.run.emulator.arena import Arena, LaunchShape, thread_indices
from grader.run.emulator.counters import Counters
from grader.run.emulator.engine import Native
from grader.run.emulator.events import EventLog
from grader.run.emulator.faults import Fault, LaunchResult, Limits
from grader.run.emulator.journal import Journal
from grader.run.emulator.memory import Memory
from grader.run.emulator.native.ir import LANES
from grader.run.emulator.races import is_strong
from grader.run.emulator.state import Shape
from grader.run.emulator.stuck import Polls, count_lines, describe_deadlock, grid_arrivals
from grader.run.emulator.traces import Traces
from grader.run.emulator.translation import Translation
from grader.run.emulator.turns import Turns
from grader.run.emulator.watch import LaunchRecords

# Blocks of one worker that may be in flight at the same time, as on a GPU with many multiprocessors: a block may wait
# for one with a higher number. Their memory is bounded too.
RESIDENT_BLOCKS = 1024
RESIDENT_BYTES = 1 << 28
COOPERATIVE_BYTES = 1 << 30
INSTRUCTIONS_OF_A_WARP = 1 << 9
"""What a launch may execute for each of its warps beside its limit: in a large grid even those that only reduce a row
of one element come to more than it. The limit in seconds holds all the same.
"""
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Geometry:
    """Blocks of the grid and threads of a block, by x, y and z; `shared_bytes` is the dynamic shared memory."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    cooperative: bool = False


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Launch:
    def __init__(
        self,
        translation: Translation,
        native: Native,
        driver: Native,
        geometry: Geometry,
        memory: Memory,
        limits: Limits,
        races: LaunchRecords | None,
        counters: Counters | None,
        journal: Journal | None = None,
        only_blocks: range | None = None,
    ) -> None:
        self.translation = translation
        self.limits = limits
        self.blocks = math.prod(geometry.grid)
        self.stop = aligned_bytes(4)[0].view(np.int32)
        self.next_block = aligned_bytes(8)[0].view(np.int64)
        self.remaining = aligned_bytes(8)[0].view(np.int64)
        warps = self.blocks * -(-math.prod(geometry.block) // LANES)
        self.remaining[0] = limits.instructions + warps * INSTRUCTIONS_OF_A_WARP
        self.next_block[0] = 0 if only_blocks is None else only_blocks.start
        self.log = EventLog(translation, Shape(geometry.grid, geometry.block), geometry.shared_bytes, memory, journal)
        self.shape = LaunchShape(
            translation,
            native.address,
            geometry.grid,
            geometry.block,
            geometry.shared_bytes,
            memory,
            self.stop,
            self.next_block,
            self.remaining,
            self.log.callback_address,
            thread_indices(geometry.block),
            layout.array_address(layout.WORKSPACE_SLOT) if geometry.cooperative else 0,
            races,
            counters,
            journal,
            only_blocks,
            -1 if limits.unset_shared is None else limits.unset_shared,
        )
        self.cooperative = geometry.cooperative
        self._run_blocks = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(driver.address)
        self.lock = threading.Lock()
        self.instructions = 0
        self.lines: Counter[int] = Counter()
        self.limited = False
        self.deadlock: Fault | None = None
        self.in_flight: dict[int, int] = {}
        """Each worker's unfinished blocks, including the one that it may be about to begin."""
        self.errors: list[BaseException] = []

    def worker(self, number: int) -> None:
        try:
            self._work(number)
        except BaseException as error:
            self.errors.append(error)
            self.stop[0] = 1

    def _work(self, number: int) -> None:
        turns = Turns(self.translation.meets)
        arena = turns.begin(Arena(self.shape, number))
        if self.limits.unset_shared == layout.LEFT_OVER:
            arena.shared[:] = self.shape.memory.left_over
        # All blocks of a cooperative launch wait for each other; `run_launch` has checked that they fit.
        most = self.blocks if self.cooperative else max(2, min(RESIDENT_BLOCKS, RESIDENT_BYTES // arena.bytes))
        executed = 0
        polls = Polls(self.translation)
        while True:
            self.in_flight[number] = len(turns) + 1
            before = arena.instructions
            status = self._run_blocks(arena.address)
            executed += arena.instructions - before
            if status == layout.POLLING:
                if not polls.last_for_ever(arena):
                    arena.go_on(polls.patience)
                    continue
                status = layout.DEADLOCK
            if status == layout.DONE:
                self.in_flight[number] -= 1
            if status == layout.SUSPENDED and self.cooperative and self._is_grid_stuck():
                status = layout.DEADLOCK
            if status == layout.SUSPENDED:
                all_begun = int(self.next_block[0]) >= self.shape.end_block or len(turns) + 1 >= most
                resumed = turns.after(arena, all_begun)
                if resumed is not None:
                    # The block that this one waits for may be on a worker that has no CPU at the moment.
                    os.sched_yield()
                arena = resumed or turns.begin(Arena(self.shape, number))
                continue
            if status == layout.DONE and turns:
                arena = turns.next()
                continue
            self._end(status, [arena, *turns])
            break
        if self.limits.unset_shared is not None:
            self.shape.memory.left_over = arena.shared.copy()
        with self.lock:
            self.instructions += executed

    def _is_grid_stuck(self) -> bool:
        """Returns whether all remaining blocks wait at the barrier of the grid, and others have ended without it."""
        if int(self.next_block[0]) < self.blocks:
            return False
        left = sum(self.in_flight.values())
        return left < self.blocks and grid_arrivals(self.shape) == left

    def _end(self, status: int, arenas: list[Arena]) -> None:
        if status == layout.DONE:
            return
        with self.lock:
            if status == layout.DEADLOCK:
                ended = self.cooperative and self._is_grid_stuck()
                found = describe_deadlock(arenas[0], self.blocks - sum(self.in_flight.values()) if ended else 0)
                if self.deadlock is None or (found.block or (0,)) < (self.deadlock.block or (0,)):
                    self.deadlock = found
            elif status == layout.LIMIT:
                self.limited = True
            if status in (layout.LIMIT, layout.STOPPED):
                for arena in arenas:
                    self.lines += count_lines(arena)
        self.stop[0] = 1

    def run(self, workers: int) -> LaunchResult:
        """Runs the launch. This thread works too: many launches end before another thread could start."""
        self.in_flight = dict.fromkeys(range(workers), 1)
        threads = [threading.Thread(target=self.worker, args=(n,), daemon=True) for n in range(1, workers)]
        spent = _Spent(workers)
        with _time_limit(spent, self.limits.seconds, self._stop_late):
            for thread in threads:
                thread.start()
            try:
                self.worker(0)
            finally:
                for thread in threads:
                    thread.join()
        errors = [*self.errors, *self.log.errors]
        if errors:
            raise errors[0]
        return replace(self._result(), seconds=spent.seconds())

    def _stop_late(self) -> None:
        self.limited = True
        self.stop[0] = 1

    def _result(self) -> LaunchResult:
        faults = self.log.faults()
        if self.deadlock is not None:
            faults = [*faults, self.deadlock]
        printed = self.log.printed()
        remarks = self.log.remarks()
        if not self.limits.races_are_fatal:
            remarks = [*(fault for fault in faults if fault.kind == "data_race"), *remarks]
            faults = [fault for fault in faults if fault.kind != "data_race"]
        if self.limits.unset_shared is not None:
            faults = [fault for fault in faults if not fault.unset_shared]
        lines = tuple(line for line, _ in self.lines.most_common() if line)
        if faults:
            return LaunchResult("fault", faults[0], self.instructions, lines, printed, tuple(faults), tuple(remarks))
        status = "limit" if self.limited else "done"
        return LaunchResult(status, None, self.instructions, lines, printed, remarks=tuple(remarks))


class _Spent:
    """Measures the time of a launch on `workers` workers, as LaunchResult.seconds defines it."""

    def __init__(self, workers: int) -> None:
        self._workers, self._wall, self._processor = workers, time.monotonic(), time.process_time()

    def seconds(self) -> float:
        of_each = (time.process_time() - self._processor) / self._workers
        return min(time.monotonic() - self._wall, of_each)


class _Watchdog:
    """A thread that stops launches at their time limit.

    There is only one: a timer per launch would start a thread each.
    """

    def __init__(self) -> None:
        self._watched: dict[_Spent, tuple[float, Callable[[], None]]] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    @contextmanager
    def watching(self, spent: _Spent, seconds: float, stop: Callable[[], None]) -> Iterator[None]:
        self._watched[spent] = (seconds, stop)
        try:
            yield
        finally:
            del self._watched[spent]

    def _watch(self) -> None:
        while True:
            time.sleep(_POLL_SECONDS)
            for spent, (seconds, stop) in list(self._watched.items()):
                if spent.seconds() > seconds:
                    stop()


_watchdog = cache(_Watchdog)


def _time_limit(spent: _Spent, seconds: float | None, stop: Callable[[], None]) -> AbstractContextManager[None]:
    """Calls `stop` once `seconds` are spent, unless the context has ended before."""
    return nullcontext() if seconds is None else _watchdog().watching(spent, seconds, stop)


def run_launch(
    translation: Translation,
    native: Native,
    driver: Native,
    geometry: Geometry,
    memory: Memory,
    limits: Limits,
    workers: int | None,
    journal: Journal | None = None,
    only_blocks: range | None = None,
    traces: Traces | None = None,
) -> LaunchResult:
    """Runs translated code over a grid, as `Module.launch` does; the parameters are already in `memory`."""
    if translation.uses_heap:
        # What is counted of an array is known when the launch begins.
        memory.heap.prepare(whole=translation.counting is not None)
    races = _start_watch(translation, geometry, memory)
    counters = _counters(translation, memory, traces)
    launch = _Launch(translation, native, driver, geometry, memory, limits, races, counters, journal, only_blocks)
    if geometry.cooperative:
        most = COOPERATIVE_BYTES // Arena(launch.shape, 0).bytes
        if launch.blocks > most:
            message = (
                f"a cooperative launch of {launch.blocks:,} blocks, which have to run at the same time; "
                f"of this kernel the emulator holds {most:,}"
            )
            refusal = Fault("launch_failure", message, kernel=translation.program.kernel)
            return LaunchResult("fault", refusal, faults=(refusal,))
    try:
        if journal is not None:
            # One worker only: the journal has one order.
            return launch.run(1)
        if counters is not None:
            # One worker only: which block reads a sector first has to be the same each time.
            return replace(launch.run(1), counts=counters.result())
        if translation.meets:
            # One worker only: which race shows depends on who of those that meet is the first. It changes blocks often.
            workers = 1
        if translation.spins:
            # One worker only: where the system takes the CPU from another, all blocks wait for the one that it had.
            workers = 1
        result = launch.run(max(1, min(workers or _cores(), launch.blocks)))
        if races is not None and races.rested:
            # First, because not all of many remarks are reported.
            result = replace(
                result, remarks=(Fault("", races.rested, kernel=translation.program.kernel), *result.remarks)
            )
        return result
    finally:
        if races is not None:
            memory.watch.end(races)


def _counters(translation: Translation, memory: Memory, traces: Traces | None) -> Counters | None:
    """Returns the counters of the launch, known to native code; None if its code does not count."""
    if translation.counting is None:
        return None
    counters = Counters(translation.counting, translation.storage, memory, traces)
    memory.show(counters.maps)
    return counters


def _start_watch(translation: Translation, geometry: Geometry, memory: Memory) -> LaunchRecords | None:
    """Starts watching the memory that the kernel can write to; returns None if its code has no checks."""
    if translation.checks is None:
        memory.watch.forget()
        return None
    written = written_slots(translation, memory)
    blocks = math.prod(geometry.grid)
    warps = -(-math.prod(geometry.block) // LANES)
    granule = translation.checks.global_granule
    places, races = memory.watch.begin(memory.sizes(), written, granule, blocks, warps)
    for site, instruction in enumerate(translation.sites[: races.stores.size]):
        if instruction.traits.is_store:
            races.stores[site] = layout.STRONG_STORE if is_strong(instruction) else layout.PLAIN_STORE
    memory.show(places)
    return races


def written_slots(translation: Translation, memory: Memory) -> set[int] | None:
    """Returns the slots of the arrays that the kernel may write to, from its parameters; None for all."""
    parameters = memory.at(layout.array_address(layout.PARAMETER_SLOT))
    if translation.written is None or parameters is None:
        return None
    storage, slots = translation.storage, set()
    for name, offset in translation.written:
        if name in storage.variables:
            slots.add(storage.variables[name])
        else:
            at = storage.parameters[name].at + offset
            slots.add(int.from_bytes(parameters.data[at : at + 8].tobytes(), "little") >> layout.SLOT_BITS)
    return slots
