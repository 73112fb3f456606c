"""Where threads wait for each other: barriers of the block, and the operations between the lanes of a warp."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .ptx import Instruction
from .state import Frame, Group, Index
from .threads import Threads
from .words import integer, mask


class Meetings(Threads):
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
        operation = next(m for m in mods if m in REDUCTIONS)
        total = {"add": total + n, "min": min(total, n), "max": max(total, n), "and": total & n, "or": total | n,
                 "xor": total ^ n}[operation]  # fmt: skip
    return {lane: (total & mask(32),) for lane in lanes}


REDUCTIONS = ("add", "min", "max", "and", "or", "xor")
