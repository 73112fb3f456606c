"""Runs a kernel: threads of a block as NumPy lanes, each with its own program counter, blocks by turns.

Threads at the same instruction of the same call run together, the smallest program counter first; every so
often the group that has waited longest gets a turn, so that spinning threads do not starve the others.
It finds no faults of programs: a wrong address ends in a Python exception.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import ptx
from .floats import F16, BF16, F32, F64, FORMATS
from .lanes import vector
from .ptx import SIZES, Function, Instruction
from .scalar import integer, mask, semantics

Lanes = NDArray[np.uint64]
Index = NDArray[np.intp]

SHARED, LOCAL, PARAM, GLOBAL = 0x0100_0000, 0x0200_0000, 0x0300_0000, 0x10_0000_0000
WINDOW = 0x0100_0000
LOCAL_BYTES = 1 << 15
TURN = 64
"""Instructions between two looks at who has waited longest, and the length of a turn then given."""

SLICE = 4000
"""Instructions that a block runs before the next block's turn."""


class Trap(Exception):
    """The kernel stopped itself."""


class Stuck(Exception):
    """Every thread that is left waits, or the launch ran for too long."""


class Memory:
    """Global memory: named arrays far apart, with the kernel's own variables among them."""

    def __init__(self) -> None:
        self.arrays: dict[str, tuple[int, NDArray[Any]]] = {}
        self.functions: list[str] = []
        self._next = GLOBAL

    def place(self, name: str, array: NDArray[Any]) -> int:
        """Copies the array in; returns its address."""
        address = self._next
        self.arrays[name] = (address, array.copy())
        self._next += -(-array.nbytes // 256) * 256 + 256
        return address

    def read(self, name: str) -> NDArray[Any]:
        return self.arrays[name][1]

    def at(self, address: int, size: int) -> NDArray[np.uint8]:
        for base, array in self.arrays.values():
            if base <= address and address + size <= base + array.nbytes:
                return array.reshape(-1).view(np.uint8)[address - base :][:size]
        raise IndexError(f"no array holds {size} bytes at {address:#x}")

    def text(self, address: int) -> str:
        base, array = next(v for v in self.arrays.values() if v[0] <= address < v[0] + v[1].nbytes)
        return array.reshape(-1).view(np.uint8)[address - base :].tobytes().split(b"\0")[0].decode("latin1")


@dataclass(eq=False)
class Frame:
    """One call of a function by the threads that made it together."""

    number: int
    function: Function
    depth: int
    local_base: int
    threads: int
    parent: Frame | None = None
    return_to: int = 0
    returns: tuple[str, ...] = ()
    registers: dict[str, Lanes] = field(default_factory=dict)
    params: dict[str, NDArray[np.uint8]] = field(default_factory=dict)

    def register(self, name: str) -> Lanes:
        if name not in self.registers:
            self.registers[name] = np.zeros(self.threads, np.uint64)
        return self.registers[name]

    def param(self, name: str, size: int) -> NDArray[np.uint8]:
        if name not in self.params:
            self.params[name] = np.zeros((self.threads, size), np.uint8)
        return self.params[name]


def layout(variables: Iterable[ptx.Variable], start: int = 0) -> tuple[dict[str, int], int]:
    """Offsets of variables laid out in order, and the end."""
    places, at = {}, start
    for v in variables:
        at = -(-at // v.align) * v.align
        places[v.name] = at
        at += v.size
    return places, at


Group = tuple[int, int]
"""A frame's number and a program counter."""


class Block:
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

    # Scheduling

    def join(self, frame: Frame, pc: int, who: Index) -> None:
        key = (frame.number, pc)
        if key in self.groups:
            who = np.union1d(self.groups[key], who)
        self.groups[key] = who
        self.since.setdefault(key, self.steps)

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

    # Operands

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

    # Computation

    def compute(self, frame: Frame, who: Index, ins: Instruction) -> None:
        opcode, operands = ins.opcode, ins.operands
        kind = ins.mods[-1] if ins.mods else ""
        if ins.base == "mov" and ("{" in operands[0] or "{" in operands[1]):
            self.move_vector(frame, who, operands, SIZES[kind])
            return
        carries = "cc" in ins.mods or ins.base in ("addc", "subc", "madc")
        inputs = [self.read(frame, o, who, kind) for o in operands[1:]]
        if carries:
            inputs.append(frame.register("%CC")[who])
        fast = vector(opcode) if "|" not in operands[0] else None
        if fast:
            with np.errstate(all="ignore"):
                self.write(frame, operands[0], who, fast(*inputs))
            return
        rule = semantics(opcode)
        results = [rule(*values) for values in zip(*(i.tolist() for i in inputs), strict=True)]
        targets = operands[0].split("|")
        if isinstance(results[0], tuple):
            if carries:
                targets = [operands[0], "%CC" if "cc" in ins.mods else "_"]
            for place, target in enumerate(targets):
                self.write(frame, target.strip(), who, np.array([r[place] for r in results], np.uint64))
        else:
            self.write(frame, operands[0], who, np.array(results, np.uint64))

    def move_vector(self, frame: Frame, who: Index, operands: tuple[str, ...], size: int) -> None:
        """Packs `{a, b}` into one register or unpacks one into them; the first element is the lowest."""
        to, source = operands
        parts = ptx.split((to if "{" in to else source).strip("{} "))
        n = size * 8 // len(parts)
        if "{" in to:
            value = self.read(frame, source, who)
            for i, part in enumerate(parts):
                self.write(frame, part, who, value >> np.uint64(n * i) & np.uint64(mask(n)))
        else:
            total = np.zeros(who.size, np.uint64)
            for i, part in enumerate(parts):
                total |= (self.read(frame, part, who) & np.uint64(mask(n))) << np.uint64(n * i)
            self.write(frame, to, who, total)

    def convert_address(self, frame: Frame, who: Index, ins: Instruction) -> None:
        value = self.read(frame, ins.operands[1], who)
        space = next((m for m in ins.mods if m.split("::")[0] in ("shared", "local", "param")), "")
        base = np.uint64({"shared": SHARED, "local": LOCAL, "param": PARAM}.get(space.split("::")[0], 0))
        self.write(frame, ins.operands[0], who, value - base if "to" in ins.mods else value + base)

    def is_space(self, frame: Frame, who: Index, ins: Instruction) -> None:
        address = self.read(frame, ins.operands[1], who)
        bases = {"shared": SHARED, "local": LOCAL, "param": PARAM}
        window = address // np.uint64(WINDOW) * np.uint64(WINDOW)
        wanted = ins.mods[0].split("::")[0]
        inside = window == bases[wanted] if wanted in bases else address >= GLOBAL
        self.write(frame, ins.operands[0], who, inside.astype(np.uint64))

    # Memory

    def cell(self, space: str, thread: int, address: int, size: int) -> NDArray[np.uint8]:
        if space == "generic":
            space = {SHARED: "shared", LOCAL: "local", PARAM: "param"}.get(address // WINDOW * WINDOW, "global")
            address = address % WINDOW if space != "global" else address
        if address % size:
            raise ValueError(f"{address:#x} is not a multiple of {size}")
        buffers = {"shared": self.shared, "local": self.local[thread], "param": self.launch.arguments}
        cell = self.launch.memory.at(address, size) if space in ("global", "const") else buffers[space][address:][:size]
        if cell.size != size:
            raise IndexError(f"{size} bytes at {address:#x} of {space} memory")
        return cell

    def cells(self, frame: Frame, who: Index, ins: Instruction, operand: str, size: int) -> list[NDArray[np.uint8]]:
        space = next((m.split("::")[0] for m in ins.mods if m.split("::")[0] in SPACES), "generic")
        name, _, offset = operand.strip("[]").partition("+")
        if space == "param" and (frame.depth or ins.base == "st" or name.strip() in frame.params):
            store = frame.param(name.strip(), self.param_size(frame, name.strip()))
            return [store[t, int(offset or 0) :][:size] for t in who]
        return [
            self.cell(space, t, a, size) for t, a in zip(who.tolist(), self.address(frame, operand, who).tolist(), strict=True)
        ]

    def param_size(self, frame: Frame, name: str) -> int:
        declared = [*frame.function.params, *frame.function.returns, *frame.function.variables]
        return next(v.size for v in declared if v.name == name)

    def load(self, frame: Frame, who: Index, ins: Instruction) -> None:
        kind = ins.mods[-1]
        size = SIZES[kind]
        targets = ptx.split(ins.operands[0].strip("{}"))
        loaded = np.array(self.cells(frame, who, ins, ins.operands[1], size * len(targets)), np.uint8)
        for i, target in enumerate(targets):
            values = np.ascontiguousarray(loaded[:, i * size : (i + 1) * size]).view(f"{'i' if kind[0] == 's' else 'u'}{size}")
            self.write(frame, target, who, values[:, 0].astype(np.int64 if kind[0] == "s" else np.uint64).view(np.uint64))

    def store(self, frame: Frame, who: Index, ins: Instruction) -> None:
        kind = ins.mods[-1]
        size = SIZES[kind]
        sources = ptx.split(ins.operands[1].strip("{}"))
        values = [self.read(frame, s, who, kind).astype(f"u{size}").reshape(-1, 1).view(np.uint8) for s in sources]
        stored = np.concatenate(values, axis=1)
        for row, cell in enumerate(self.cells(frame, who, ins, ins.operands[0], size * len(sources))):
            cell[:] = stored[row]

    def atomic(self, frame: Frame, who: Index, ins: Instruction) -> None:
        kind = ins.mods[-1]
        size = SIZES[kind]
        operands = ins.operands if ins.base == "atom" else ("_", *ins.operands)
        operation = next(m for m in ins.mods if m in ATOMICS)
        inputs = [self.read(frame, o, who, kind).tolist() for o in operands[2:]]
        old = np.zeros(who.size, np.uint64)
        for row, cell in enumerate(self.cells(frame, who, ins, operands[1], size)):
            before = int.from_bytes(cell.tobytes(), "little")
            after = ATOMICS[operation](kind, before, *(i[row] & mask(8 * size) for i in inputs))
            cell[:] = np.frombuffer((after & mask(8 * size)).to_bytes(size, "little"), np.uint8)
            old[row] = before
        self.write(frame, operands[0], who, old)

    # Control

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

    # Barriers of the block

    def barrier(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        if "warp" in ins.mods:
            return self.meet(frame, pc, who, ins)
        reduces = "red" in ins.mods
        operands = ins.operands[1:] if reduces else ins.operands
        ids = self.read(frame, operands[0], who)
        counted = len(operands) - reduces > 1
        values = self.read(frame, operands[-1], who, "pred") if reduces else np.zeros(who.size, np.uint64)
        for barrier in np.unique(ids).tolist():
            at = ids == barrier
            self.arrived[barrier].append((frame, ins, pc, who[at], values[at]))
            if counted:
                self.expected[barrier] = int(self.read(frame, operands[1], who)[at][0])
            if "arrive" in ins.mods:
                self.join(frame, pc + 1, who[at])
            self.release()
        return None

    def release(self) -> bool:
        """Opens each barrier that enough threads have reached; without a count, all that have not left."""
        opened = False
        for barrier, groups in list(self.arrived.items()):
            needed = self.expected.get(barrier) or self.threads - int(self.left.sum())
            if not groups or sum(g[3].size for g in groups) < needed:
                continue
            values = np.concatenate([g[4] for g in groups])
            results = {"popc": int(values.sum()), "and": int(values.all()), "or": int(values.any())}
            del self.arrived[barrier]
            self.expected.pop(barrier, None)
            opened = True
            for frame, ins, pc, who, _ in groups:
                if "arrive" in ins.mods:
                    continue
                if "red" in ins.mods:
                    value = next(v for k, v in results.items() if k in ins.mods)
                    self.write(frame, ins.operands[0], who, np.full(who.size, value, np.uint64))
                self.join(frame, pc + 1, who)
        return opened

    # Meetings of a warp's lanes

    def meet(self, frame: Frame, pc: int, who: Index, ins: Instruction) -> Group | None:
        """Lanes wait until every lane named in their mask has come to an operation of the same kind."""
        members = self.read(frame, ins.operands[-1], who) & np.uint64(mask(32))
        for thread, named in zip(who.tolist(), members.tolist(), strict=True):
            self.in_warp[thread // 32, named, ins.opcode].append((thread, frame, ins, pc))
        self.check_warps()
        return None

    def check_warps(self) -> None:
        for (warp, named, opcode), waiting in list(self.in_warp.items()):
            here = {t % 32 for t, *_ in waiting}
            needed = {i for i in range(32) if named >> i & 1 and warp * 32 + i < self.threads}
            if not needed <= here | {i for i in needed if self.left[warp * 32 + i]}:
                continue
            del self.in_warp[warp, named, opcode]
            self.exchange(sorted(waiting, key=lambda w: w[0]))
            places = dict.fromkeys((frame, pc) for _, frame, _, pc in waiting)
            for frame, pc in places:
                self.join(frame, pc + 1, np.array([t for t, f, _, p in waiting if (f, p) == (frame, pc)]))

    def exchange(self, waiting: list[tuple[int, Frame, Instruction, int]]) -> None:
        lanes = [t % 32 for t, *_ in waiting]
        base, mods = waiting[0][2].base, waiting[0][2].mods

        def values(place: int) -> dict[int, int]:
            return {t % 32: int(self.read(f, i.operands[place], np.array([t]), "pred")[0]) for t, f, i, _ in waiting}

        if base in ("bar", "barrier"):
            return
        rule = {"shfl": shuffle, "vote": vote, "match": match_lanes, "redux": reduce_lanes}[base]
        results = rule(lanes, mods, values)
        for thread, frame, ins, _ in waiting:
            for target, value in zip(ins.operands[0].split("|"), results[thread % 32], strict=False):
                self.write(frame, target.strip(), np.array([thread]), np.array([value], np.uint64))

    def active_mask(self, frame: Frame, who: Index, ins: Instruction) -> None:
        masks = [sum(1 << int(o) % 32 for o in who if o // 32 == t // 32) for t in who]
        self.write(frame, ins.operands[0], who, np.array(masks, np.uint64))

    def nothing(self, frame: Frame, who: Index, ins: Instruction) -> None:
        """Fences order what is already in order here."""


Values = Callable[[int], dict[int, int]]
Results = dict[int, tuple[int, ...]]


def shuffle(lanes: list[int], mods: tuple[str, ...], values: Values) -> Results:
    a, b, c = values(1), values(2), values(3)
    results: Results = {}
    for lane in lanes:
        limit, segment = c[lane] & 31, c[lane] >> 8 & 31
        highest = (lane & segment) | (limit & ~segment & 31)
        lowest = lane & segment
        by = b[lane] & 31
        if "up" in mods:
            source, inside = lane - by, lane - by >= highest
        elif "down" in mods:
            source, inside = lane + by, lane + by <= highest
        elif "bfly" in mods:
            source, inside = lane ^ by, lane ^ by <= highest
        else:
            source = lowest | (by & ~segment & 31)
            inside = source <= highest
        if not inside:
            source = lane
        results[lane] = (a.get(source, 0) & mask(32), int(inside))
    return results


def vote(lanes: list[int], mods: tuple[str, ...], values: Values) -> Results:
    ballot = {lane: v & 1 for lane, v in values(1).items()}
    answers = {
        "all": int(all(ballot.values())),
        "any": int(any(ballot.values())),
        "uni": int(len(set(ballot.values())) == 1),
        "ballot": sum(v << lane for lane, v in ballot.items()),
    }
    return {lane: (next(answers[m] for m in mods if m in answers),) for lane in lanes}


def match_lanes(lanes: list[int], mods: tuple[str, ...], values: Values) -> Results:
    bits = mask(64 if "b64" in mods else 32)
    a = {lane: v & bits for lane, v in values(1).items()}
    everyone = sum(1 << lane for lane in lanes)
    if "all" in mods:
        same = len(set(a.values())) == 1
        return {lane: (everyone if same else 0, int(same)) for lane in lanes}
    return {lane: (sum(1 << o for o in lanes if a[o] == a[lane]),) for lane in lanes}


def reduce_lanes(lanes: list[int], mods: tuple[str, ...], values: Values) -> Results:
    kind = mods[-1]
    numbers = [integer(v, kind.replace("b", "u")) for v in values(1).values()]
    total = numbers[0]
    for n in numbers[1:]:
        operation = next(m for m in mods if m in ATOMICS)
        total = {"add": total + n, "min": min(total, n), "max": max(total, n), "and": total & n, "or": total | n,
                 "xor": total ^ n}[operation]  # fmt: skip
    return {lane: (total & mask(32),) for lane in lanes}


def _add(kind: str, old: int, value: int) -> int:
    return int(semantics(f"add.{kind}")(old, value))  # type: ignore[arg-type]


ATOMICS: dict[str, Callable[..., int]] = {
    "add": _add,
    "min": lambda kind, old, v: min(integer(old, kind), integer(v, kind)),
    "max": lambda kind, old, v: max(integer(old, kind), integer(v, kind)),
    "and": lambda kind, old, v: old & v,
    "or": lambda kind, old, v: old | v,
    "xor": lambda kind, old, v: old ^ v,
    "exch": lambda kind, old, v: v,
    "cas": lambda kind, old, compare, v: v if old == compare else old,
    "inc": lambda kind, old, v: 0 if old >= v else old + 1,
    "dec": lambda kind, old, v: v if old == 0 or old > v else old - 1,
}

SPACES = ("global", "shared", "local", "const", "param")


def _constant(value: Callable[[Block], int]) -> Callable[[Block], Lanes]:
    return lambda block: np.full(block.threads, value(block), np.uint64)


def _lane(function: Callable[[int], int]) -> Callable[[Block], Lanes]:
    return lambda block: np.array([function(t % 32) for t in range(block.threads)], np.uint64)


SPECIAL: dict[str, Callable[[Block], Lanes]] = {
    "%laneid": _lane(lambda lane: lane),
    "%lanemask_eq": _lane(lambda lane: 1 << lane),
    "%lanemask_lt": _lane(lambda lane: mask(lane)),
    "%lanemask_le": _lane(lambda lane: mask(lane + 1)),
    "%lanemask_gt": _lane(lambda lane: mask(32) & ~mask(lane + 1)),
    "%lanemask_ge": _lane(lambda lane: mask(32) & ~mask(lane)),
    "%warpid": lambda block: np.arange(block.threads, dtype=np.uint64) // np.uint64(32),
    "%nwarpid": _constant(lambda block: -(-block.threads // 32)),
    "%smid": _constant(lambda block: 0),
    "WARP_SZ": _constant(lambda block: 32),
}
for _i, _axis in enumerate("xyz"):
    SPECIAL[f"%tid.{_axis}"] = lambda block, i=_i: block.thread[i].astype(np.uint64)  # type: ignore[misc]
    SPECIAL[f"%ntid.{_axis}"] = _constant(lambda block, i=_i: block.launch.block[i])  # type: ignore[misc]
    SPECIAL[f"%ctaid.{_axis}"] = _constant(lambda block, i=_i: block.index[i])  # type: ignore[misc]
    SPECIAL[f"%nctaid.{_axis}"] = _constant(lambda block, i=_i: block.launch.grid[i])  # type: ignore[misc]

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


def _printf(block: Block, who: Index, arguments: list[NDArray[np.uint8]]) -> None:
    memory = block.launch.memory
    for thread in who.tolist():
        text, values = (int(a[thread].view(np.uint64)[0]) for a in arguments)
        block.launch.printed += format_c(memory.text(text), block, thread, values)


def format_c(text: str, block: Block, thread: int, address: int) -> str:
    """C's printf over a buffer of arguments, each at its natural alignment."""
    at = address

    def take(size: int) -> int:
        nonlocal at
        at = -(-at // size) * size
        value = int.from_bytes(block.cell("generic", thread, at, size).tobytes(), "little")
        at += size
        return value

    def one(match: re.Match[str]) -> str:
        flags, long, letter = match[1], match[2], match[3]
        if letter == "%":
            return "%"
        wide = 8 if "ll" in long or long == "l" or letter in "spfeEgG" else 4
        value: Any = take(wide)
        if letter in "fFeEgG":
            value = struct.unpack("<d", value.to_bytes(8, "little"))[0]
        elif letter == "s":
            value = block.launch.memory.text(value)
        elif letter in "di":
            value = integer(value, f"s{8 * wide}")
        return f"%{flags}{'d' if letter == 'u' else letter}" % (value & 255 if letter == "c" else value)

    return re.sub(r"%([-+ #0-9.]*)(l{0,2}|h{0,2})([diuxXoscfeEgGp%])", one, text)


def _assert_fail(block: Block, who: Index, arguments: list[NDArray[np.uint8]]) -> None:
    raise Trap(block.launch.memory.text(int(arguments[0][who[0]].view(np.uint64)[0])))


BUILTIN: dict[str, Callable[[Block, Index, list[NDArray[np.uint8]]], None]] = {
    "vprintf": _printf,
    "__assertfail": _assert_fail,
}


def local_variables(function: Function) -> list[ptx.Variable]:
    return [v for v in function.variables if v.space == "local"]


@dataclass
class Launch:
    module: ptx.Module
    kernel: Function
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    memory: Memory
    arguments: NDArray[np.uint8]
    shared: dict[str, int]
    shared_end: int
    symbols: dict[str, int]
    params: dict[str, int]
    printed: str = ""

    def function_address(self, name: str) -> int:
        if name not in self.memory.functions:
            self.memory.functions.append(name)
        return PARAM + 1 + self.memory.functions.index(name)


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


__all__ = ["BF16", "F16", "F32", "F64", "FORMATS", "Memory", "Stuck", "Trap", "run"]
