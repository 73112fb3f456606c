"""Makes steps of a journal's entries: which source lines each warp ran, who called whom, who waited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grader.replay.model import ARRIVE, EXIT, LANES, RELEASE, WAITS
from grader.run.emulator.translate import noting
from grader.run.emulator.translate.noting import Note

MOST_STEPS = 40_000
FOLLOWED = (noting.LINE, noting.CALL, noting.RETURN, noting.ARRIVE, noting.EXIT)

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """One level of a thread's stack: the step of the call (-1 in the kernel), where its locals begin, its function.

    `function` is known of callers; the innermost one is the site's. Levels are the same only if they are one object,
    which is quick to compare.
    """

    step: int
    function: str
    base: int
    caller: Level | None = None


Stack = tuple[Level, ...]
"""A Level for each lane of a warp."""


@dataclass
class Followed:
    """Of one block: each entry's step, as far as steps were made, and by entry the stacks of the lanes that write.

    `apart` has a step for each lane, by the step of entries whose lanes are at one line in functions called from
    different places.
    """

    steps: Numbers
    stacks: dict[int, Stack] = field(default_factory=dict)
    apart: dict[int, list[int]] = field(default_factory=dict)


@dataclass
class Stepper:
    """Follows the entries of one block after the other. `frame_bytes`: the local memory of each function."""

    notes: Sequence[Note]
    kernel: str
    frame_bytes: dict[str, int]
    warps: list[int] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    waits: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Step, warp, mask, kind, barrier."""
    truncated: bool = False

    def run(
        self,
        sites: Numbers,
        warps: Numbers,
        masks: Numbers,
        faults: dict[int, list[tuple[int, int]]],
        first_warp: int,
    ) -> Followed:
        """Adds the steps of one block's entries.

        `first_warp` is added to the warps. `faults`: by the number of entries before them, (warp, lanes) that they
        ended.
        """
        kernel = Level(-1, self.kernel, 0)
        stacks: dict[int, Stack] = {}
        current: dict[int, int] = {}
        seen: dict[int, tuple[object, ...]] = {}
        visited: dict[int, set[int]] = {}
        waiting: dict[int, dict[int, int]] = {}
        """The lanes of each warp that wait, by barrier; under -1 the step of the last arrival."""
        callers: dict[int, tuple[Stack, int, dict[int, int]]] = {}
        """What `_by_caller` said of each warp last, and of what."""
        found = Followed(np.zeros(0, np.int64))
        # Most entries are accesses, which belong to the step that their warp is in.
        leads = np.array([_leads(note) for note in self.notes], bool)[sites]
        leads[[number for number in faults if number < len(sites)]] = True
        numbers, end = np.flatnonzero(leads), len(sites)
        steps: list[int] = []
        for number, site, own_warp, mask in zip(
            numbers.tolist(), sites[numbers].tolist(), warps[numbers].tolist(), masks[numbers].tolist(), strict=True
        ):
            note, warp = self.notes[site], own_warp + first_warp
            for ended, lanes in faults.get(number, ()):
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
            stack = stacks.get(warp) or stacks.setdefault(warp, (kernel,) * LANES)
            if note.kind == noting.LINE:
                self._release(warp, mask, waiting)
                known = callers.get(warp)
                if known is None or known[0] is not stack or known[1] != mask:
                    known = callers[warp] = stack, mask, _by_caller(stack, mask)
                groups = known[2]
                here = (mask, note.line, note.function, *groups)
                if here != seen.get(warp) or note.pc in visited[warp]:
                    if len(self.warps) >= MOST_STEPS:
                        self.truncated = True
                        end = number
                        break
                    seen[warp], visited[warp] = here, set()
                    apart = [0] * LANES
                    for call, lanes in groups.items():
                        for lane in _lanes(lanes) if len(groups) > 1 else ():
                            apart[lane] = len(self.warps)
                        self._add(warp, lanes, note, call)
                    current[warp] = len(self.warps) - 1
                    if len(groups) > 1:
                        found.apart[current[warp]] = apart
                visited[warp].add(note.pc)
            elif note.kind == noting.CALL:
                called: dict[tuple[int, int], Level] = {}
                changed, step = list(stack), current.get(warp, -1)
                of_lanes = found.apart.get(step)
                for lane in _lanes(mask):
                    old = stack[lane]
                    key = id(old), of_lanes[lane] if of_lanes else step
                    if key not in called:
                        # Lanes that go together have one stack.
                        caller = Level(old.step, note.function, old.base, old.caller)
                        base = old.base + self.frame_bytes.get(note.function, 0)
                        called[key] = Level(key[1], "", base, caller)
                    changed[lane] = called[key]
                stacks[warp] = tuple(changed)
            elif note.kind == noting.RETURN:
                changed = list(stack)
                for lane in _lanes(mask):
                    changed[lane] = stack[lane].caller or kernel
                stacks[warp] = tuple(changed)
            elif note.kind == noting.ARRIVE:
                self._arrive(current.get(warp, 0), warp, mask, note.barrier, waiting)
            elif note.kind == noting.EXIT:
                self._exit(current.get(warp, 0), warp, mask, waiting)
            elif note.kind == noting.WRITE:
                found.stacks[number] = stack
            steps.append(current.get(warp, -1))
        for before, ends in faults.items():
            for ended, lanes in ends if before >= len(sites) else ():
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
        found.steps = _carried(numbers[: len(steps)], np.array(steps, np.int64), warps[:end])
        return found

    def _add(self, warp: int, mask: int, note: Note, call: int) -> None:
        self.warps.append(warp)
        self.masks.append(mask)
        self.lines.append(note.line)
        self.functions.append(note.function)
        self.parents.append(call)
        self.depths.append(0 if call < 0 else self.depths[call] + 1)

    def _wait(self, step: int, warp: int, mask: int, kind: str, barrier: int) -> None:
        self.waits.append((step, warp, mask, WAITS.index(kind), barrier))

    def _arrive(self, step: int, warp: int, mask: int, barrier: int, waiting: dict[int, dict[int, int]]) -> None:
        here = waiting.setdefault(barrier, {})
        here[warp] = here.get(warp, 0) | mask
        here[-1] = step
        self._wait(step, warp, mask, ARRIVE, barrier)

    def _exit(self, step: int, warp: int, mask: int, waiting: dict[int, dict[int, int]]) -> None:
        self._wait(max(step, 0), warp, mask, EXIT, -1)
        for here in waiting.values():
            # The last that a barrier waited for may be one that exits.
            here[-1] = max(here.get(-1, 0), step)

    def _release(self, warp: int, mask: int, waiting: dict[int, dict[int, int]]) -> None:
        """A lane that waited runs again: then its barrier has let all go, after the last arrival."""
        for barrier, here in list(waiting.items()):
            if here.get(warp, 0) & mask:
                step = here.pop(-1)
                for released, lanes in here.items():
                    self._wait(step, released, lanes, RELEASE, barrier)
                del waiting[barrier]


def _leads(note: Note) -> bool:
    """Whether an entry says more than what its warp's step accessed."""
    return note.kind in FOLLOWED or (note.kind == noting.WRITE and note.space in ("local", "generic"))


def _carried(numbers: Numbers, steps: Numbers, warps: Numbers) -> Numbers:
    """The step of each entry, of those known by number: that of its warp's last known entry, -1 before the first."""
    known = np.full(len(warps), -1)
    known[numbers] = np.arange(len(numbers))
    order = np.argsort(warps, kind="stable")
    # Numbers of known entries only grow along a warp's entries; the warp before may have had larger ones.
    begins = np.flatnonzero(np.diff(warps[order], prepend=-1))
    base = np.repeat(begins, np.diff([*begins, len(order)]))
    last = np.maximum.accumulate(np.where(known[order] >= 0, np.arange(len(order)), -1))
    carried = np.full(len(warps), -1)
    own = last >= base
    carried[order[own]] = steps[known[order[last[own]]]]
    return carried


def _by_caller(stack: Stack, mask: int) -> dict[int, int]:
    """The lanes (bits) of a mask by the step that called the function they are in."""
    first = stack[(mask & -mask).bit_length() - 1]
    if stack.count(first) == len(stack):
        return {first.step: mask}
    groups: dict[int, int] = {}
    for lane in _lanes(mask):
        groups[stack[lane].step] = groups.get(stack[lane].step, 0) | 1 << lane
    return groups


def _lanes(mask: int) -> list[int]:
    return [lane for lane in range(LANES) if mask >> lane & 1]
