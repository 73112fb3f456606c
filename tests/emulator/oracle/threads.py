"""The threads of a block: their registers, and what the operands of an instruction stand for."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from . import ptx
from .ptx import Function, Instruction
from .state import LOCAL_BYTES, Frame, Group, Index, Lanes, Launch, layout, local_variables
from .words import mask


class Threads:
    """State of one block. `groups` are the threads that can go on, by call and program counter."""

    def __init__(self, launch: Launch, index: tuple[int, int, int]) -> None:
        self.launch, self.index = launch, index
        bx, by, bz = launch.block
        self.threads = bx * by * bz
        linear = np.arange(self.threads)
        self.thread = (linear % bx, linear // bx % by, linear // (bx * by))
        self.shared = np.zeros(launch.shared_end, np.uint8)
        self.local = np.zeros((self.threads, LOCAL_BYTES), np.uint8)
        self.frames: dict[int, Frame] = {}
        self.groups: dict[Group, Index] = {}
        self.since: dict[Group, int] = {}
        self.left = np.zeros(self.threads, bool)
        self.steps = 0
        self.arrived: dict[int, list[tuple[Frame, Instruction, int, Index, Lanes]]] = defaultdict(list)
        self.expected: dict[int, int] = {}
        self.in_warp: dict[tuple[int, int, str], list[tuple[int, Frame, Instruction, int]]] = defaultdict(list)
        entry = self.call(launch.kernel, None, 0, ())
        self.join(entry, 0, linear)

    def call(self, function: Function, parent: Frame | None, return_to: int, returns: tuple[str, ...]) -> Frame:
        base = 0
        if parent:
            base = -(-layout(local_variables(parent.function), parent.local_base)[1] // 16) * 16
        frame = Frame(len(self.frames), function, parent.depth + 1 if parent else 0, base, self.threads, parent,
                      return_to, returns)  # fmt: skip
        self.frames[frame.number] = frame
        return frame

    def join(self, frame: Frame, pc: int, who: Index) -> None:
        key = (frame.number, pc)
        if key in self.groups:
            who = np.union1d(self.groups[key], who)
        self.groups[key] = who
        self.since.setdefault(key, self.steps)

    def read(self, frame: Frame, operand: str, who: Index, kind: str = "") -> Lanes:
        if operand[0] == "!":
            return 1 - self.read(frame, operand[1:], who, kind)
        if operand in frame.registers:
            return frame.registers[operand][who]
        if operand in SPECIAL:
            return SPECIAL[operand](self)[who]
        value = ptx.number(operand)
        if value is None:
            value = self.symbol(frame, operand)
        if value is None and operand[-1].isdigit() and "." in operand and "%" not in operand:
            form = "<f" if kind == "f32" else "<d"
            value = int.from_bytes(struct.pack(form, float(operand)), "little")
        if value is None:
            return frame.register(operand)[who]
        return np.full(who.size, value & mask(64), np.uint64)

    def write(self, frame: Frame, operand: str, who: Index, values: Lanes) -> None:
        if operand != "_":
            frame.register(operand)[who] = values

    def symbol(self, frame: Frame, text: str) -> int | None:
        """The address of `name` or `name+offset` in its own space."""
        match = re.fullmatch(r"([\w$@%]+?)\s*(?:\+\s*(-?\d+))?", text)
        if not match:
            return None
        name, offset = match[1], int(match[2] or 0)
        locals_, _ = layout(local_variables(frame.function), frame.local_base)
        for places, base in ((locals_, 0), (self.launch.shared, 0), (self.launch.symbols, 0), (self.launch.params, 0)):
            if name in places:
                return base + places[name] + offset
        if name in self.launch.module.functions:
            return self.launch.function_address(name) + offset
        return None

    def address(self, frame: Frame, operand: str, who: Index) -> Lanes:
        inner = operand.strip("[]").strip()
        match = re.fullmatch(r"(%[\w$@]+)\s*(?:\+\s*(-?\w+))?", inner)
        if not match:
            return self.read(frame, inner, who)
        offset = ptx.number(match[2]) if match[2] else 0
        return self.read(frame, match[1], who) + np.uint64((offset or 0) & mask(64))


def _constant(value: Callable[[Threads], int]) -> Callable[[Threads], Lanes]:
    return lambda block: np.full(block.threads, value(block), np.uint64)


def _lane(function: Callable[[int], int]) -> Callable[[Threads], Lanes]:
    return lambda block: np.array([function(t % 32) for t in range(block.threads)], np.uint64)


def _slots(block: Threads) -> Lanes:
    """Returns the place of each thread's warp among the 48 of a multiprocessor."""
    warps, (x, y, z), (width, height, _) = -(-block.threads // 32), block.index, block.launch.grid
    begin = (x + width * (y + height * z) + 1) * (warps + 1)
    return (np.arange(block.threads, dtype=np.uint64) // np.uint64(32) + np.uint64(begin)) % np.uint64(48)


SPECIAL: dict[str, Callable[[Threads], Lanes]] = {
    "%laneid": _lane(lambda lane: lane),
    "%lanemask_eq": _lane(lambda lane: 1 << lane),
    "%lanemask_lt": _lane(lambda lane: mask(lane)),
    "%lanemask_le": _lane(lambda lane: mask(lane + 1)),
    "%lanemask_gt": _lane(lambda lane: mask(32) & ~mask(lane + 1)),
    "%lanemask_ge": _lane(lambda lane: mask(32) & ~mask(lane)),
    "%warpid": _slots,
    "%nwarpid": _constant(lambda block: 48),
    "%clock": _constant(lambda block: block.steps),
    "%clock64": _constant(lambda block: block.steps),
    "WARP_SZ": _constant(lambda block: 32),
}
for _i, _axis in enumerate("xyz"):
    SPECIAL[f"%tid.{_axis}"] = lambda block, i=_i: block.thread[i].astype(np.uint64)  # type: ignore[misc]
    SPECIAL[f"%ntid.{_axis}"] = _constant(lambda block, i=_i: block.launch.block[i])  # type: ignore[misc]
    SPECIAL[f"%ctaid.{_axis}"] = _constant(lambda block, i=_i: block.index[i])  # type: ignore[misc]
    SPECIAL[f"%nctaid.{_axis}"] = _constant(lambda block, i=_i: block.launch.grid[i])  # type: ignore[misc]
