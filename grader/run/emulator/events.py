"""Handles the events of native code while it runs: faults, races, failed assertions, printf.

A thread ends with its first fault; races and reads of unwritten memory leave it running.
"""

from __future__ import annotations

import ctypes
import threading

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault
from grader.run.emulator.findings import Finding, Findings
from grader.run.emulator.journal import Journal
from grader.run.emulator.meeting_events import MeetingEvents
from grader.run.emulator.memory import Memory
from grader.run.emulator.printf import c_string, format_printf
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.race_events import RaceEvents
from grader.run.emulator.races import access_of, element_bytes
from grader.run.emulator.reader_planes import ReaderPlanes
from grader.run.emulator.state import Shape, State, lanes_of
from grader.run.emulator.translation import Translation
from grader.run.emulator.value_events import ValueEvents
from grader.run.emulator.where import Place, Where

_PRINT_LIMIT = 1 << 20
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_uint32)
_KINDS = {
    layout.EVENT_OUT_OF_BOUNDS: "out_of_bounds",
    layout.EVENT_MISALIGNED: "misaligned",
    layout.EVENT_TRAP: "trap",
    layout.EVENT_ASSERT: "trap",
    layout.EVENT_STACK: "launch_failure",
    layout.EVENT_BAD_CALL: "illegal_instruction",
    layout.EVENT_WARP: "barrier_divergence",
    layout.EVENT_APART: "barrier_divergence",
}
_MEMORY_FAULTS = (layout.EVENT_OUT_OF_BOUNDS, layout.EVENT_MISALIGNED)
_ABOUT_THE_GONE = (layout.EVENT_LEFT, layout.EVENT_ABSENT)


class EventLog:
    """Records the events of one launch, from any worker."""

    def __init__(
        self,
        translation: Translation,
        shape: Shape,
        dynamic_shared: int,
        memory: Memory,
        journal: Journal | None = None,
    ) -> None:
        self._journal = journal
        self._sites = translation.sites
        self._kernel = translation.program.kernel
        self._where = Where(memory, translation.storage, dynamic_shared)
        self._shape = shape
        self._lock = threading.Lock()
        self._findings = Findings()
        self._races = RaceEvents(translation, shape, self._where, self._findings, memory.compilers_own)
        self._meetings = MeetingEvents(translation, shape, self._findings)
        self._values = ValueEvents(translation, self._findings)
        self._planes = ReaderPlanes()
        self._ended: set[int] = set()
        """Blocks in which a fault has ended threads."""
        self._count = 0
        self.errors: list[Exception] = []
        """Exceptions of this module: native code calls it and cannot propagate them."""
        self._printed: list[tuple[int, int, str]] = []
        self._printed_size = 0
        self._callback = _CALLBACK(self._event)
        self.callback_address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def faults(self) -> list[Fault]:
        """Returns all faults, ordered by block."""
        return self._findings.faults()

    def remarks(self) -> list[Fault]:
        """Returns what is no fault by itself."""
        return self._findings.remarks()

    def printed(self) -> str:
        """Returns the output of printf, ordered by block."""
        return "".join(text for _, _, text in sorted(self._printed, key=lambda entry: entry[:2]))

    def _event(self, context: int, warp: int, kind: int, site: int, bits: int) -> None:
        with self._lock:
            self._count += 1
            try:
                self._take(State(self._shape, context, warp), kind, site, bits)
            except Exception as error:
                self.errors.append(error)

    def _take(self, state: State, kind: int, site: int, bits: int) -> None:
        if kind in _ABOUT_THE_GONE and state.block in self._ended:
            # Those that are missing may be the ones that a fault has ended, which is told already.
            return
        if kind == layout.EVENT_PRINTF:
            self._print(state, bits)
        elif kind == layout.EVENT_BARRIER:
            self._meetings.different(state, self._count)
        elif kind == layout.EVENT_PAST:
            self._meetings.past(state, self._count)
        elif kind == layout.EVENT_LEFT:
            self._meetings.left(state, self._count)
        elif kind == layout.EVENT_MASK:
            self._meetings.outside_mask(state, site, lanes_of(bits)[0], self._count)
        elif kind == layout.EVENT_ABSENT:
            self._meetings.from_the_absent(state, site, lanes_of(bits)[0], self._count)
        elif kind == layout.EVENT_UNSET:
            self._values.unset(state, site, lanes_of(bits), self._count)
        elif kind == layout.EVENT_READERS:
            self._planes.make(state)
        elif kind == layout.EVENT_MALLOC:
            self._give(state, bits)
        elif kind == layout.EVENT_FREE:
            self._take_back(state, site, bits)
        elif kind >= layout.EVENT_RACE:
            self._races.access(state, kind, site, lanes_of(bits)[0], self._count)
        else:
            self._fault(state, kind, site, bits)

    def _give(self, state: State, bits: int) -> None:
        lanes, places = lanes_of(bits), state.scratches("scratch")
        sizes, aligns = list(places), list(state.scratches("scratch2"))
        for lane, address in zip(
            lanes, self._where.memory.heap.give([(sizes[n], aligns[n]) for n in lanes]), strict=True
        ):
            places[lane] = address

    def _take_back(self, state: State, site: int, bits: int) -> None:
        lanes, addresses = lanes_of(bits), list(state.scratches("scratch"))
        wrong = self._where.memory.heap.take([addresses[lane] for lane in lanes])
        for lane, message in zip(lanes, wrong, strict=True):
            key = (layout.EVENT_TRAP, site, message)
            if message and self._findings.add(key, state.block, 1):
                instruction = self._sites[site]
                fault = Fault(
                    "trap",
                    message,
                    line=instruction.line,
                    kernel=self._kernel,
                    block=state.block_index,
                    thread=state.thread_index(lane),
                    instruction=instruction.text,
                )
                if self._journal is not None:
                    self._journal.add_fault(fault, state.block, state.linear(0) // 32, 1 << lane)
                self._findings.put(key, Finding((state.block, self._count), fault, 1))

    def _fault(self, state: State, kind: int, site: int, bits: int) -> None:
        lanes = lanes_of(bits)
        self._ended.add(state.block)
        instruction = self._sites[site]
        place = Place()
        if kind in _MEMORY_FAULTS:
            place = self._where.locate(instruction, state.scratch("scratch", lanes[0]), element_bytes(instruction))
        if self._journal is not None:
            fault = self._describe(state, kind, instruction, lanes[0], place)
            self._journal.add_fault(fault, state.block, state.linear(0) // 32, bits)
        key = (kind, site, place.array)
        if self._findings.add(key, state.block, len(lanes)):
            fault = self._describe(state, kind, instruction, lanes[0], place)
            self._findings.put(key, Finding((state.block, self._count), fault, len(lanes)))

    def _describe(self, state: State, kind: int, instruction: Instruction, lane: int, place: Place) -> Fault:
        verb, size = access_of(instruction)
        where = "in memory that has been freed:" if place.freed else "outside of"
        if place.read_only:
            where = "in memory that kernels can only read:"
        messages = {
            layout.EVENT_OUT_OF_BOUNDS: f"{verb} of {size} bytes {where} {place.words}",
            layout.EVENT_MISALIGNED: f"{verb} of {size} bytes, not at a multiple of {size} bytes: {place.words}",
            layout.EVENT_TRAP: "the kernel executed a trap instruction",
            layout.EVENT_STACK: f"recursion needs more than the {layout.STACK_BYTES} bytes of a thread's stack",
            layout.EVENT_BAD_CALL: "a call through a pointer that holds no function",
            layout.EVENT_WARP: (
                "a matrix instruction takes all 32 threads of a warp together, and some of this one have exited, or "
                "were never there"
            ),
            layout.EVENT_APART: (
                "threads of a warp give a matrix instruction different addresses, or different strides: all have to "
                "give those of the whole matrix"
            ),
        }
        message = messages[kind] if kind in messages else self._assertion(state, lane)
        return Fault(
            _KINDS[kind],
            message,
            line=instruction.line,
            kernel=self._kernel,
            access=verb if kind in _MEMORY_FAULTS else "",
            bytes=size if kind in _MEMORY_FAULTS else 0,
            array=place.array,
            index=place.index,
            extent=place.extent,
            itemsize=place.itemsize,
            block=state.block_index,
            thread=state.thread_index(lane),
            instruction=instruction.text,
        )

    def _bytes_at(self, state: State, lane: int, address: int) -> bytes:
        if address >> layout.SLOT_BITS == layout.LOCAL_WINDOW >> layout.SLOT_BITS:
            return state.local(lane)[address - layout.LOCAL_WINDOW :]
        return self._where.memory.bytes_from(address)

    def _assertion(self, state: State, lane: int) -> str:
        """Returns the message of `__assertfail(message, file, line, function, size)`."""
        message = c_string(self._where.memory.bytes_from(state.scratch("scratch", lane)))
        return f"assertion failed: {message}"

    def _print(self, state: State, bits: int) -> None:
        for lane in lanes_of(bits):
            if self._printed_size > _PRINT_LIMIT:
                return
            pattern = c_string(self._where.memory.bytes_from(state.scratch("scratch", lane)))
            buffer = self._bytes_at(state, lane, state.scratch("scratch2", lane))
            text = format_printf(pattern, buffer, self._where.memory.bytes_from)
            self._printed.append((state.block, self._count, text))
            self._printed_size += len(text)
