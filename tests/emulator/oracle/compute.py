"""Instructions that only read and write registers."""

from __future__ import annotations

import numpy as np

from . import ptx, video
from .lanes import vector
from .ptx import SIZES, Instruction
from .scalar import semantics
from .state import GLOBAL, LOCAL, PARAM, SHARED, WINDOW, Frame, Index
from .threads import Threads
from .words import mask


class Compute(Threads):
    def compute(self, frame: Frame, who: Index, ins: Instruction) -> None:
        opcode, operands = ins.opcode, ins.operands
        parts: tuple[str, ...] = ()
        if ins.base in video.NAMES:
            operands, parts = zip(*map(video.part_of, operands), strict=True)
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
        rule = video.video(opcode, (*parts, "")) if parts else semantics(opcode)
        results = [rule(*values) for values in zip(*(i.tolist() for i in inputs), strict=True)]
        targets = operands[0].split("|")
        if isinstance(results[0], tuple):
            if carries:
                targets = [operands[0], "%CC" if "cc" in ins.mods else "_"]
            for place, target in enumerate(targets):
                self.write(
                    frame, target.strip(), who, np.array([r[place] for r in results if isinstance(r, tuple)], np.uint64)
                )
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

    def active_mask(self, frame: Frame, who: Index, ins: Instruction) -> None:
        masks = [sum(1 << int(o) % 32 for o in who if o // 32 == t // 32) for t in who]
        self.write(frame, ins.operands[0], who, np.array(masks, np.uint64))

    def nothing(self, frame: Frame, who: Index, ins: Instruction) -> None:
        """Fences order what is already in order here."""
