"""From a journal's entries to steps: which source lines each warp ran, who called whom, who waited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.replay.model import ARRIVE, EXIT, LANES, RELEASE, WAITS
from grader.run.emulator.translate import noting
from grader.run.emulator.translate.noting import Note

MOST_STEPS = 40_000


@dataclass(frozen=True)
class Level:
    """One level of a thread's stack: the step of the call (-1 in the kernel), where its locals begin, its function.

    `function` is known of callers; the innermost one is the site's.
    """

    step: int
    function: str
    base: int
    caller: Level | None = None


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
        sites: Sequence[int],
        warps: Sequence[int],
        masks: Sequence[int],
        faults: dict[int, list[tuple[int, int]]],
        first_warp: int,
    ) -> tuple[list[int], dict[int, list[Level]]]:
        """Adds the steps of one block's entries; returns the step of each entry, and the lanes' stacks by entry.

        Stacks are of writes only. `first_warp` is added to the warps. `faults`: by the number of entries before them,
        (warp, lanes) that they ended.
        """
        kernel = Level(-1, self.kernel, 0)
        stacks: dict[int, list[Level]] = {}
        current: dict[int, int] = {}
        visited: dict[int, set[int]] = {}
        waiting: dict[int, dict[int, int]] = {}
        """By barrier, the lanes that wait of each warp, and under -1 the step of the last arrival."""
        step_of: list[int] = []
        levels: dict[int, list[Level]] = {}
        for number, (site, warp, mask) in enumerate(zip(sites, warps, masks, strict=True)):
            note, warp = self.notes[site], warp + first_warp
            for ended, lanes in faults.get(number, ()):
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
            stack = stacks.setdefault(warp, [kernel] * LANES)
            if note.kind == noting.LINE:
                self._release(warp, mask, waiting)
                at = current.get(warp)
                level = stack[(mask & -mask).bit_length() - 1]
                again = at is not None and (self.masks[at], self.lines[at], self.functions[at], self.parents[at]) == (
                    *(mask, note.line, note.function, level.step),
                )
                if not again or note.pc in visited[warp]:
                    if len(self.warps) >= MOST_STEPS:
                        self.truncated = True
                        break
                    current[warp] = len(self.warps)
                    visited[warp] = set()
                    self._add(warp, mask, note, level)
                visited[warp].add(note.pc)
            elif note.kind == noting.CALL:
                for lane in _lanes(mask):
                    old = stack[lane]
                    caller = Level(old.step, note.function, old.base, old.caller)
                    base = old.base + self.frame_bytes.get(note.function, 0)
                    stack[lane] = Level(current.get(warp, -1), "", base, caller)
            elif note.kind == noting.RETURN:
                for lane in _lanes(mask):
                    stack[lane] = stack[lane].caller or kernel
            elif note.kind == noting.ARRIVE:
                self._arrive(current.get(warp, 0), warp, mask, note.barrier, waiting)
            elif note.kind == noting.EXIT:
                self._exit(current.get(warp, 0), warp, mask, waiting)
            elif note.kind == noting.WRITE and note.space in ("local", "generic"):
                levels[number] = list(stack)
            step_of.append(current.get(warp, -1))
        for before, ends in faults.items():
            for ended, lanes in ends if before >= len(sites) else ():
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
        return step_of, levels

    def _add(self, warp: int, mask: int, note: Note, level: Level) -> None:
        self.warps.append(warp)
        self.masks.append(mask)
        self.lines.append(note.line)
        self.functions.append(note.function)
        self.parents.append(level.step)
        self.depths.append(0 if level.step < 0 else self.depths[level.step] + 1)

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


def _lanes(mask: int) -> list[int]:
    return [lane for lane in range(LANES) if mask >> lane & 1]
