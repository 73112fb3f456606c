"""Runs a kernel: threads of a block as NumPy lanes, each with its own program counter, blocks by turns.

Threads at the same instruction of the same call run together, the smallest program counter first; every so
often the group that has waited longest gets a turn, so that spinning threads do not starve the others.
It finds no faults of programs: a wrong address ends in a Python exception.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import ptx
from .access import Access
from .compute import Compute
from .meetings import Meetings
from .printing import BUILTIN
from .ptx import Instruction
from .state import PARAM, Frame, Group, Index, Launch, Memory, Stuck, Trap, layout
from .words import mask

TURN = 64
"""Instructions between two looks at who has waited longest, and the length of a turn then given."""

SLICE = 4000
"""Instructions that a block runs before the next block's turn."""


class Block(Compute, Access, Meetings):
    """Scheduling, branches and calls."""

    def run(self, steps: int) -> bool:
        """Advances by up to `steps` instructions; True once every thread has left."""
        turn: Group | None = None
        turn_ends = 0
        for _ in range(steps):
            if not self.groups:
                if self.left.all():
                    return True
                if not self.release():
                    return False
                continue
            if turn not in self.groups or self.steps >= turn_ends:
                turn = None
                if self.steps % TURN == 0:
                    turn, turn_ends = min(self.groups, key=lambda k: self.since[k]), self.steps + TURN
            key = turn or min(self.groups, key=lambda k: (-self.frames[k[0]].depth, k))
            who = self.groups.pop(key)
            self.since.pop(key)
            self.steps += 1
            frame = self.frames[key[0]]
            follow = self.execute(frame, key[1], who)
            if turn and follow is not None:
                turn = follow
        return False

    def execute(self, frame: Frame, pc: int, who: Index) -> Group | None:
        """Runs one instruction; returns where its threads are now, if they stayed together."""
        if pc >= len(frame.function.body):
            return self.leave(frame, who)
        ins = frame.function.body[pc]
        if ins.guard:
            holds = self.read(frame, ins.guard, who, "pred").astype(bool)
            if not holds.all():
                self.join(frame, pc + 1, who[~holds])
                who = who[holds]
                if not who.size:
                    return None
        base = ins.base
        control = CONTROL.get(base)
        if control:
            return control(self, frame, pc, who, ins)
        MEMORY.get(base, Block.compute)(self, frame, who, ins)
        self.join(frame, pc + 1, who)
        return frame.number, pc + 1

    def branch(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        target = frame.function.labels[ins.operands[0]]
        self.join(frame, target, who)
        return frame.number, target

    def branch_indexed(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        table = frame.function.tables[ins.operands[1]]
        choice = self.read(frame, ins.operands[0], who)
        for index in np.unique(choice).tolist():
            # Labels of a table stand in the scope of the table.
            label = table[index]
            suffix = ins.operands[1].partition("@")[2]
            place = frame.function.labels.get(f"{label}@{suffix}", frame.function.labels.get(label))
            assert place is not None
            self.join(frame, place, who[choice == index])
        return None

    def invoke(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        operands = list(ins.operands)
        returns = tuple(ptx.split(operands.pop(0).strip("()"))) if operands[0].startswith("(") else ()
        target = operands.pop(0)
        passed = ptx.split(operands.pop(0).strip("()")) if operands else []
        if target in BUILTIN:
            arguments = [frame.param(p, self.param_size(frame, p)) for p in passed]
            BUILTIN[target](self, who, arguments)
            for r in returns:
                frame.param(r, self.param_size(frame, r))
            self.join(frame, pc + 1, who)
            return None
        addresses = self.read(frame, target, who)
        for address in np.unique(addresses).tolist():
            callers = who[addresses == address]
            name = self.launch.memory.functions[address - PARAM - 1] if target[0] == "%" else target
            callee = self.launch.module.functions[name]
            called = self.call(callee, frame, pc + 1, returns)
            for formal, actual in zip(callee.params, passed, strict=True):
                store = called.param(formal.name, formal.size)
                source = frame.param(actual, self.param_size(frame, actual))
                n = min(store.shape[1], source.shape[1])
                store[callers, :n] = source[callers, :n]
            self.join(called, 0, callers)
        return None

    def leave(self, frame: Frame, who: Index, *_: Any) -> Group | None:
        if not frame.parent:
            self.left[who] = True
            self.check_warps()
            return None
        for formal, actual in zip(frame.function.returns, frame.returns, strict=True):
            store = frame.parent.param(actual, self.param_size(frame.parent, actual))
            source = frame.param(formal.name, formal.size)
            n = min(store.shape[1], source.shape[1])
            store[who, :n] = source[who, :n]
        self.join(frame.parent, frame.return_to, who)
        return None

    def exit(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        self.left[who] = True
        self.check_warps()
        return None

    def ret(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        return self.leave(frame, who)

    def trap(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        raise Trap("trap")


CONTROL: dict[str, Callable[[Block, Frame, int, Index, Instruction], Group | None]] = {
    "bra": Block.branch, "brx": Block.branch_indexed, "call": Block.invoke, "ret": Block.ret, "exit": Block.exit,
    "trap": Block.trap, "bar": Block.barrier, "barrier": Block.barrier, "shfl": Block.meet, "vote": Block.meet,
    "match": Block.meet, "redux": Block.meet,
}  # fmt: skip
MEMORY: dict[str, Callable[[Block, Frame, Index, Instruction], None]] = {
    "ld": Block.load, "ldu": Block.load, "st": Block.store, "atom": Block.atomic, "red": Block.atomic,
    "cvta": Block.convert_address, "isspacep": Block.is_space, "activemask": Block.active_mask,
    "membar": Block.nothing, "fence": Block.nothing, "nanosleep": Block.nothing, "prefetch": Block.nothing,
}  # fmt: skip


def run(
    text: str,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: list[bytes],
    memory: Memory,
    shared_bytes: int = 0,
    steps: int = 2_000_000,
) -> str:
    """Runs the kernel to its end and returns what it printed.

    Raises `Trap` where the kernel stopped itself, `Stuck` where nothing moves or `steps` a block are used up.
    """
    module = ptx.parse(text)
    entry = module.functions[kernel]
    every = [*module.variables.values(), *(v for f in module.functions.values() for v in f.variables)]
    static = [v for v in every if v.space == "shared" and v.size]
    shared, end = layout(static)
    end = -(-end // 16) * 16
    shared.update({v.name: end for v in every if v.space == "shared" and not v.size})
    params, size = layout(entry.params)
    buffer = np.zeros(size, np.uint8)
    for variable, value in zip(entry.params, arguments, strict=True):
        buffer[params[variable.name] :][: variable.size] = np.frombuffer(value, np.uint8)
    launch = Launch(module, entry, grid, block, memory, buffer, shared, end + shared_bytes, {}, params)
    variables = [v for v in every if v.space in ("global", "const")]
    for v in variables:
        launch.symbols[v.name] = memory.place(v.name, np.zeros(v.size, np.uint8))
    for v in variables:
        place_initial(launch, v)
    waiting = [Block(launch, (x, y, z)) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    spent = 0
    while waiting:
        before = [b.steps for b in waiting]
        waiting = [b for b in waiting if not b.run(SLICE)]
        spent += SLICE
        if waiting and (spent > steps or before == [b.steps for b in waiting]):
            raise Stuck(f"{len(waiting)} blocks do not end")
    return launch.printed


def place_initial(launch: Launch, variable: ptx.Variable) -> None:
    data = launch.memory.read(variable.name)
    for offset, value in variable.initial:
        if isinstance(value, str):
            name, _, plus = value.partition("+")
            known = launch.symbols.get(name)
            value = (launch.function_address(name) if known is None else known) + int(plus or 0)
        data[offset : offset + variable.itemsize] = np.frombuffer(
            (value & mask(8 * variable.itemsize)).to_bytes(variable.itemsize, "little"), np.uint8
        )
