"""What native code tells Python while it runs: faults, failed assertions, printf.

Each thread has at most one fault, since it ends with it. Faults are gathered by instruction and array; the one of the
first block is told first, so that the report does not depend on which worker was quicker.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.memory import Memory
from grader.run.emulator.ops.common import types_of
from grader.run.emulator.printf import c_string, format_printf
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.translate.cfg import Program
from grader.run.emulator.translate.kernel import Translation
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
}


@dataclass
class _Seen:
    """One kind of fault at one instruction: its earliest block, in whose order of execution it came first."""

    order: tuple[int, int]
    fault: Fault
    threads: int


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
        self._lock = threading.Lock()
        self._seen: dict[tuple[int, int, str], _Seen] = {}
        self._count = 0
        self._printed: list[tuple[int, int, str]] = []
        self._printed_size = 0
        self._callback = _CALLBACK(self._event)
        self.callback_address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def faults(self) -> list[Fault]:
        """All faults, the one of the first block first."""
        ordered = sorted(self._seen.values(), key=lambda seen: seen.order)
        return [replace(seen.fault, threads=seen.threads) for seen in ordered]

    def printed(self) -> str:
        return "".join(text for _, _, text in sorted(self._printed, key=lambda entry: entry[:2]))

    def _event(self, context: int, warp: int, kind: int, site: int, bits: int) -> None:
        with self._lock:
            self._count += 1
            if kind == layout.EVENT_PRINTF:
                self._print(context, warp, bits)
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

    def _block_index(self, context: int) -> tuple[int, int, int]:
        x, y, z = (ctypes.c_int32.from_address(context + CONTEXT["ctaid"] + 4 * axis).value for axis in range(3))
        return x, y, z

    def _thread_index(self, warp: int, lane: int) -> tuple[int, int, int]:
        linear = 32 * ctypes.c_int32.from_address(warp + WARP["index"]).value + lane
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
