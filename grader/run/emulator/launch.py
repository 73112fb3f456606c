"""Runs one launch: worker threads that drive native code, blocks that are set aside for others, and how it ends."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, replace

import numpy as np

from grader.run.emulator import layout
from grader.run.emulator.arena import Arena, LaunchShape, thread_indices
from grader.run.emulator.counters import Counters
from grader.run.emulator.engine import Native
from grader.run.emulator.events import EventLog
from grader.run.emulator.faults import Fault, LaunchResult, Limits
from grader.run.emulator.memory import Memory
from grader.run.emulator.state import Shape
from grader.run.emulator.stuck import Polls, deadlock_of, lines_of
from grader.run.emulator.translate.kernel import Translation
from grader.run.emulator.watch import LaunchRecords

# Blocks of one worker that may be in flight at the same time, as on a GPU with many multiprocessors: a block may wait
# for one with a higher number. Their memory is bounded too.
RESIDENT_BLOCKS = 1024
RESIDENT_BYTES = 1 << 28
COOPERATIVE_BYTES = 1 << 30
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Geometry:
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
    ) -> None:
        self.translation = translation
        self.limits = limits
        self.blocks = geometry.grid[0] * geometry.grid[1] * geometry.grid[2]
        self.stop = np.zeros(1, np.int32)
        self.next_block = np.zeros(1, np.int64)
        self.remaining = np.full(1, limits.instructions, np.int64)
        self.log = EventLog(translation, Shape(geometry.grid, geometry.block), geometry.shared_bytes, memory)
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
        )
        self.cooperative = geometry.cooperative
        self._run_blocks = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(driver.address)
        self.lock = threading.Lock()
        self.instructions = 0
        self.lines: Counter[int] = Counter()
        self.limited = False
        self.deadlock: Fault | None = None
        self.errors: list[BaseException] = []

    def worker(self, number: int) -> None:
        try:
            self._work(number)
        except BaseException as error:
            self.errors.append(error)
            self.stop[0] = 1

    def _work(self, number: int) -> None:
        waiting: deque[Arena] = deque()
        arena = Arena(self.shape, number)
        # All blocks of a cooperative launch wait for each other; what that takes has been checked.
        most = self.blocks if self.cooperative else max(2, min(RESIDENT_BLOCKS, RESIDENT_BYTES // arena.bytes))
        executed = 0
        polls = Polls(self.translation)
        while True:
            before = arena.instructions
            status = self._run_blocks(arena.address)
            executed += arena.instructions - before
            if status == layout.POLLING:
                if not polls.last_for_ever(arena):
                    arena.go_on(polls.patience)
                    continue
                status = layout.DEADLOCK
            if status == layout.SUSPENDED:
                waiting.append(arena)
                started = int(self.next_block[0]) >= self.blocks or len(waiting) >= most
                arena = waiting.popleft() if started else Arena(self.shape, number)
                if started:
                    # What the block waits for may be on a worker that has no processor at the moment.
                    os.sched_yield()
                    arena.resume()
                continue
            if status == layout.DONE and waiting:
                arena = waiting.popleft()
                arena.resume()
                continue
            self._end(status, [arena, *waiting])
            break
        with self.lock:
            self.instructions += executed

    def _end(self, status: int, arenas: list[Arena]) -> None:
        if status == layout.DONE:
            return
        with self.lock:
            if status == layout.DEADLOCK:
                found = deadlock_of(arenas[0])
                if self.deadlock is None or (found.block or (0,)) < (self.deadlock.block or (0,)):
                    self.deadlock = found
            elif status == layout.LIMIT:
                self.limited = True
            if status in (layout.LIMIT, layout.STOPPED):
                for arena in arenas:
                    self.lines += lines_of(arena)
        self.stop[0] = 1

    def run(self, workers: int) -> LaunchResult:
        threads = [threading.Thread(target=self.worker, args=(n,), daemon=True) for n in range(workers)]
        deadline = None if self.limits.seconds is None else time.monotonic() + self.limits.seconds
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_POLL_SECONDS)
                    if deadline is not None and time.monotonic() > deadline and not self.limited:
                        self.limited = True
                        self.stop[0] = 1
        except BaseException:
            self.stop[0] = 1
            for thread in threads:
                thread.join()
            raise
        errors = [*self.errors, *self.log.errors]
        if errors:
            raise errors[0]
        return self._result()

    def _result(self) -> LaunchResult:
        faults = self.log.faults()
        if self.deadlock is not None:
            faults = [*faults, self.deadlock]
        printed = self.log.printed()
        remarks = self.log.remarks()
        if not self.limits.races_are_fatal:
            remarks = [*(fault for fault in faults if fault.kind == "data_race"), *remarks]
            faults = [fault for fault in faults if fault.kind != "data_race"]
        lines = tuple(line for line, _ in self.lines.most_common() if line)
        if faults:
            return LaunchResult("fault", faults[0], self.instructions, lines, printed, tuple(faults), tuple(remarks))
        status = "limit" if self.limited else "done"
        return LaunchResult(status, None, self.instructions, lines, printed, remarks=tuple(remarks))


def run_launch(
    translation: Translation,
    native: Native,
    driver: Native,
    geometry: Geometry,
    memory: Memory,
    limits: Limits,
    workers: int | None,
) -> LaunchResult:
    races = _watched(translation, geometry, memory)
    counters = _counters(translation, memory)
    launch = _Launch(translation, native, driver, geometry, memory, limits, races, counters)
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
        if counters is not None:
            # One after the other: what a block reads first, and for which warp, has to be the same each time.
            return replace(launch.run(1), counts=counters.result())
        return launch.run(max(1, min(workers or _cores(), launch.blocks)))
    finally:
        if races is not None:
            memory.watch.end(races)


def _counters(translation: Translation, memory: Memory) -> Counters | None:
    """What the launch is counted in, known to native code; None where its code does not count."""
    if translation.counting is None:
        return None
    counters = Counters(translation.counting, translation.storage, memory)
    memory.show(counters.maps)
    return counters


def _watched(translation: Translation, geometry: Geometry, memory: Memory) -> LaunchRecords | None:
    """Has the memory watched, as far as the kernel can write to it; None where its code has no checks."""
    if translation.checks is None:
        memory.watch.forget()
        return None
    written = _written_slots(translation, memory)
    blocks = geometry.grid[0] * geometry.grid[1] * geometry.grid[2]
    places, races = memory.watch.begin(memory.sizes(), written, translation.checks.global_granule, blocks)
    memory.show(places)
    return races


def _written_slots(translation: Translation, memory: Memory) -> set[int] | None:
    """The slots of the arrays that the kernel may write to, by the values of its parameters; None for all."""
    parameters = memory.at(layout.array_address(layout.PARAMETER_SLOT))
    if translation.written is None or parameters is None:
        return None
    storage, slots = translation.storage, set()
    for name, offset in translation.written:
        if name in storage.variables:
            slots.add(storage.variables[name])
        else:
            at = storage.parameters[name] + offset
            slots.add(int.from_bytes(parameters.data[at : at + 8].tobytes(), "little") >> layout.SLOT_BITS)
    return slots
