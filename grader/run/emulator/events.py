"""What native code tells Python while it runs: faults, failed assertions, printf.

Each thread has at most one fault, since it ends with it. Faults are gathered by instruction and array; the one of the
first block is told first, so that the report does not depend on which worker was quicker.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault, Index3
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.memory import Memory
from grader.run.emulator.native.cells import SITE_MASK, SITE_SHIFT
from grader.run.emulator.ops.common import types_of
from grader.run.emulator.printf import c_string, format_printf
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.races import Access, Order
from grader.run.emulator.translate.cfg import Program
from grader.run.emulator.translate.kernel import Translation
from grader.run.emulator.where import Place, Where

_PRINT_LIMIT = 1 << 20
MOST_RACES = 256
"""Races of one worker's blocks that are looked at, of a launch."""
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_uint32)
_KINDS = {
    layout.EVENT_OUT_OF_BOUNDS: "out_of_bounds",
    layout.EVENT_MISALIGNED: "misaligned",
    layout.EVENT_TRAP: "trap",
    layout.EVENT_ASSERT: "trap",
    layout.EVENT_STACK: "launch_failure",
    layout.EVENT_BAD_CALL: "illegal_instruction",
    layout.EVENT_RACE: "data_race",
    layout.EVENT_UNINITIALIZED: "uninitialized_read",
    layout.EVENT_SAME_VALUE: "data_race",
}


@dataclass
class _Seen:
    """One kind of fault at one instruction: its earliest block, in whose order of execution it came first."""

    order: tuple[int, int]
    fault: Fault
    threads: int
    within_warp: bool = False
    """A race of two lanes of a warp: one between warps says more."""


def _lanes(bits: int) -> list[int]:
    return [lane for lane in range(32) if bits >> lane & 1]


def access_of(instruction: Instruction) -> tuple[str, int]:
    """("read", "write" or "atomic", bytes) of a memory instruction."""
    verb = {"ld": "read", "ldu": "read", "st": "write"}.get(instruction.opcode, "atomic")
    kinds = types_of(instruction)
    width = kinds[-1].bytes if kinds else 0
    count = next((int(m[1]) for m in instruction.modifiers if m in ("v2", "v4", "v8")), 1)
    return verb, width * count


class EventLog:
    """Takes the events of one launch, from any worker."""

    def __init__(
        self, translation: Translation, block: tuple[int, int, int], dynamic_shared: int, memory: Memory
    ) -> None:
        self._sites = translation.sites
        self._program: Program = translation.program
        self._where = Where(memory, translation.storage, dynamic_shared)
        self._block = block
        self._order: Order | None = None
        self._lock = threading.Lock()
        self._seen: dict[tuple[int, int, str], _Seen] = {}
        self._count = 0
        self._printed: list[tuple[int, int, str]] = []
        self._printed_size = 0
        self._callback = _CALLBACK(self._event)
        self.callback_address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def faults(self) -> list[Fault]:
        """All faults, the one of the first block first."""
        found = self._told(lambda kind: kind != layout.EVENT_SAME_VALUE)
        raced = {fault.array for fault in found if fault.kind == "data_race"}
        # Who reads too soon may read what is not written yet: the race is what is wrong.
        return [fault for fault in found if fault.kind != "uninitialized_read" or fault.array not in raced]

    def remarks(self) -> list[Fault]:
        """What is no fault by itself."""
        return self._told(lambda kind: kind == layout.EVENT_SAME_VALUE)

    def _told(self, wanted: Callable[[int], bool]) -> list[Fault]:
        ordered = sorted((seen for key, seen in self._seen.items() if wanted(key[0])), key=lambda seen: seen.order)
        return [replace(seen.fault, threads=seen.threads) for seen in ordered]

    def printed(self) -> str:
        return "".join(text for _, _, text in sorted(self._printed, key=lambda entry: entry[:2]))

    def _event(self, context: int, warp: int, kind: int, site: int, bits: int) -> None:
        with self._lock:
            self._count += 1
            if kind == layout.EVENT_PRINTF:
                self._print(context, warp, bits)
            elif kind == layout.EVENT_BARRIER:
                self._barriers(context, warp)
            elif kind >= layout.EVENT_RACE:
                self._shared_access(context, warp, kind, site, bits)
            else:
                self._fault(context, warp, kind, site, bits)

    def _fault(self, context: int, warp: int, kind: int, site: int, bits: int) -> None:
        lanes = _lanes(bits)
        instruction = self._sites[site]
        block = ctypes.c_int64.from_address(context + CONTEXT["block"]).value
        place = Place()
        if kind in (layout.EVENT_OUT_OF_BOUNDS, layout.EVENT_MISALIGNED):
            address = self._scratch(warp, "scratch", lanes[0])
            place = self._where.locate(instruction, address, access_of(instruction)[1])
        key = (kind, site, place.array)
        seen = self._seen.get(key)
        order = (block, self._count)
        if seen is not None:
            seen.threads += len(lanes)
            if seen.order[0] <= block:
                return
        threads = seen.threads if seen else len(lanes)
        fault = self._describe(context, warp, kind, instruction, lanes[0], place)
        self._seen[key] = _Seen(order, fault, threads)

    def _describe(self, context: int, warp: int, kind: int, instruction: Instruction, lane: int, place: Place) -> Fault:
        verb, size = access_of(instruction)
        where = "in memory that has been freed:" if place.freed else "outside of"
        messages = {
            layout.EVENT_OUT_OF_BOUNDS: f"{verb} of {size} bytes {where} {place.words}",
            layout.EVENT_MISALIGNED: f"{verb} of {size} bytes, not at a multiple of {size} bytes: {place.words}",
            layout.EVENT_TRAP: "the kernel executed a trap instruction",
            layout.EVENT_STACK: f"recursion needs more than the {layout.STACK_BYTES} bytes of a thread's stack",
            layout.EVENT_BAD_CALL: "a call through a pointer that holds no function",
        }
        message = messages[kind] if kind in messages else self._assertion(warp, lane)
        memory_fault = kind in (layout.EVENT_OUT_OF_BOUNDS, layout.EVENT_MISALIGNED)
        return Fault(
            _KINDS[kind],
            message,
            line=instruction.line,
            kernel=self._program.kernel,
            access=verb if memory_fault else "",
            bytes=size if memory_fault else 0,
            array=place.array,
            index=place.index,
            extent=place.extent,
            itemsize=place.itemsize,
            block=self._block_index(context),
            thread=self._thread_index(warp, lane),
            instruction=instruction.text,
        )

    def _barriers(self, context: int, warp: int) -> None:
        """Threads of a block that wait for each other at different barriers of the program."""
        counters = [ctypes.c_uint32.from_address(context + CONTEXT[n]).value for n in ("other_access", "other_thread")]
        first, second = (self._program.blocks[counter - 1].instructions[-1] for counter in counters)
        if first.line == second.line:
            # The compiler may have made two of one.
            return
        block = ctypes.c_int64.from_address(context + CONTEXT["block"]).value
        key = (layout.EVENT_BARRIER, counters[1], "")
        if key in self._seen and self._seen[key].order[0] <= block:
            return
        places = (ctypes.c_uint32 * 32).from_address(warp + WARP["pc"])
        lane = list(places).index(counters[1])
        message = (
            f"threads of a block wait at the barrier of line {first.line}, others at that of line {second.line}: "
            "all have to come to the same one; move it out of the branch"
        )
        fault = Fault(
            "barrier_divergence",
            message,
            line=second.line,
            kernel=self._program.kernel,
            block=self._block_index(context),
            thread=self._thread_index(warp, lane),
            instruction=second.text,
        )
        self._seen[key] = _Seen((block, self._count), fault, 1)

    def _shared_access(self, context: int, warp: int, kind: int, site: int, bits: int) -> None:
        """A race in shared memory, or a read of what nobody wrote: the thread goes on."""
        sanitize = ctypes.c_int32.from_address(context + CONTEXT["sanitize"])
        # Only the first are told: a block that races everywhere must not take long.
        sanitize.value += 1
        if sanitize.value > MOST_RACES:
            sanitize.value = 0
        instruction, lane = self._sites[site], _lanes(bits)[0]
        block = ctypes.c_int64.from_address(context + CONTEXT["block"]).value
        address = ctypes.c_uint64.from_address(context + CONTEXT["at"]).value
        verb, size = access_of(instruction)
        place = self._where.in_shared(address, size)
        key = (kind, site, place.array)
        seen = self._seen.get(key)
        if seen is not None:
            seen.threads += 1
            if seen.order[0] < block or (seen.order[0] == block and not seen.within_warp):
                return
        here = Access(verb, instruction, self._thread_index(warp, lane), self._linear(warp, lane))
        within_warp = False
        if kind == layout.EVENT_UNINITIALIZED:
            message = f"read of {size} bytes that no thread of the block has written: {place.words}"
        else:
            self._order = self._order or Order(self._program, math.prod(self._block))
            race = self._order.race(here, self._other_access(context))
            here, message = race.second, race.message(place.words, kind == layout.EVENT_SAME_VALUE)
            within_warp = race.within_warp
            if seen is not None and within_warp and seen.order[0] == block:
                return
        fault = Fault(
            _KINDS[kind],
            message,
            line=here.line,
            kernel=self._program.kernel,
            access=here.verb,
            bytes=size,
            array=place.array,
            index=place.index,
            extent=place.extent,
            itemsize=place.itemsize,
            block=self._block_index(context),
            thread=here.thread,
            instruction=here.instruction.text,
        )
        order = seen.order if seen is not None and seen.order[0] == block else (block, self._count)
        self._seen[key] = _Seen(order, fault, 1 if seen is None else seen.threads, within_warp)

    def _other_access(self, context: int) -> Access:
        linear = ctypes.c_uint32.from_address(context + CONTEXT["other_thread"]).value
        known = ctypes.c_uint32.from_address(context + CONTEXT["other_access"]).value
        instruction = self._sites[known >> SITE_SHIFT & SITE_MASK]
        return Access(access_of(instruction)[0], instruction, self._thread(linear), linear)

    def _block_index(self, context: int) -> tuple[int, int, int]:
        x, y, z = (ctypes.c_int32.from_address(context + CONTEXT["ctaid"] + 4 * axis).value for axis in range(3))
        return x, y, z

    def _thread_index(self, warp: int, lane: int) -> tuple[int, int, int]:
        return self._thread(self._linear(warp, lane))

    def _linear(self, warp: int, lane: int) -> int:
        return 32 * ctypes.c_int32.from_address(warp + WARP["index"]).value + lane

    def _thread(self, linear: int) -> Index3:
        x, y, _ = self._block
        return linear % x, linear // x % y, linear // (x * y)

    def _scratch(self, warp: int, name: str, lane: int) -> int:
        return ctypes.c_uint64.from_address(warp + WARP[name] + 8 * lane).value

    def _local(self, context: int, warp: int, lane: int) -> bytes:
        stride = ctypes.c_uint64.from_address(context + CONTEXT["local_stride"]).value
        size = ctypes.c_uint64.from_address(context + CONTEXT["local_bytes"]).value
        base = ctypes.c_uint64.from_address(warp + WARP["local"]).value + lane * stride
        return ctypes.string_at(base, size)

    def _bytes_at(self, context: int, warp: int, lane: int, address: int) -> bytes:
        if address >> layout.SLOT_BITS == layout.LOCAL_WINDOW >> layout.SLOT_BITS:
            return self._local(context, warp, lane)[address - layout.LOCAL_WINDOW :]
        return self._where.memory.bytes_from(address)

    def _assertion(self, warp: int, lane: int) -> str:
        """`__assertfail(message, file, line, function, size)`: its message and line."""
        message = c_string(self._where.memory.bytes_from(self._scratch(warp, "scratch", lane)))
        return f"assertion failed: {message}"

    def _print(self, context: int, warp: int, bits: int) -> None:
        block = ctypes.c_int64.from_address(context + CONTEXT["block"]).value
        for lane in _lanes(bits):
            if self._printed_size > _PRINT_LIMIT:
                return
            pattern = c_string(self._where.memory.bytes_from(self._scratch(warp, "scratch", lane)))
            buffer = self._bytes_at(context, warp, lane, self._scratch(warp, "scratch2", lane))
            text = format_printf(pattern, buffer, self._where.memory.bytes_from)
            self._printed.append((block, self._count, text))
            self._printed_size += len(text)
