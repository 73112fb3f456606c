"""Loads, stores and atomics on every kind of memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from . import ptx
from .ptx import SIZES, Instruction
from .scalar import semantics
from .state import LOCAL, PARAM, SHARED, WINDOW, Frame, Index
from .threads import Threads
from .words import integer, mask

SPACES = ("global", "shared", "local", "const", "param")


class Access(Threads):
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
            self.cell(space, t, a, size)
            for t, a in zip(who.tolist(), self.address(frame, operand, who).tolist(), strict=True)
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
            values = np.ascontiguousarray(loaded[:, i * size : (i + 1) * size]).view(
                f"{'i' if kind[0] == 's' else 'u'}{size}"
            )
            self.write(
                frame, target, who, values[:, 0].astype(np.int64 if kind[0] == "s" else np.uint64).view(np.uint64)
            )

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
