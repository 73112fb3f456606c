"""Makes steps of a journal's entries: which source lines each warp ran, who called whom, who waited."""

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
class Followed:
    """By entry of one block: its step, and for writes the stacks of the lanes.

    `apart` has a step for each lane, of entries whose lanes are at one line in functions called from different places.
    """

    steps: list[int] = field(default_factory=list)
    stacks: dict[int, list[Level]] = field(default_factory=dict)
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
        sites: Sequence[int],
        warps: Sequence[int],
        masks: Sequence[int],
        faults: dict[int, list[tuple[int, int]]],
        first_warp: int,
    ) -> Followed:
        """Adds the steps of one block's entries.

        `first_warp` is added to the warps. `faults`: by the number of entries before them, (warp, lanes) that they
        ended.
        """
        kernel = Level(-1, self.kernel, 0)
        stacks: dict[int, list[Level]] = {}
        current: dict[int, int] = {}
        apart: dict[int, list[int]] = {}
        """The step of each lane by warp, where lanes at one line were called from different places."""
        seen: dict[int, tuple[object, ...]] = {}
        visited: dict[int, set[int]] = {}
        waiting: dict[int, dict[int, int]] = {}
        """The lanes of each warp that wait, by barrier; under -1 the step of the last arrival."""
        found = Followed()
        for number, (site, warp, mask) in enumerate(zip(sites, warps, masks, strict=True)):
            note, warp = self.notes[site], warp + first_warp
            for ended, lanes in faults.get(number, ()):
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
            stack = stacks.setdefault(warp, [kernel] * LANES)
            if note.kind == noting.LINE:
                self._release(warp, mask, waiting)
                groups = _by_caller(stack, mask)
                here = (mask, note.line, note.function, *groups)
                if here != seen.get(warp) or note.pc in visited[warp]:
                    if len(self.warps) >= MOST_STEPS:
                        self.truncated = True
                        break
                    seen[warp], visited[warp] = here, set()
                    own = [0] * LANES
                    for call, lanes in groups.items():
                        for lane in _lanes(lanes):
                            own[lane] = len(self.warps)
                        self._add(warp, lanes, note, call)
                    current[warp] = len(self.warps) - 1
                    apart[warp] = own if len(groups) > 1 else []
                visited[warp].add(note.pc)
            elif note.kind == noting.CALL:
                called: dict[tuple[int, int], Level] = {}
                for lane in _lanes(mask):
                    old = stack[lane]
                    step = apart[warp][lane] if apart.get(warp) else current.get(warp, -1)
                    key = id(old), step
                    if key not in called:
                        # Lanes that go together have one stack, which is quick to compare.
                        caller = Level(old.step, note.function, old.base, old.caller)
                        base = old.base + self.frame_bytes.get(note.function, 0)
                        called[key] = Level(step, "", base, caller)
                    stack[lane] = called[key]
            elif note.kind == noting.RETURN:
                for lane in _lanes(mask):
                    stack[lane] = stack[lane].caller or kernel
            elif note.kind == noting.ARRIVE:
                self._arrive(current.get(warp, 0), warp, mask, note.barrier, waiting)
            elif note.kind == noting.EXIT:
                self._exit(current.get(warp, 0), warp, mask, waiting)
            elif note.kind == noting.WRITE and note.space in ("local", "generic"):
                found.stacks[number] = list(stack)
            found.steps.append(current.get(warp, -1))
            if apart.get(warp):
                found.apart[number] = apart[warp]
        for before, ends in faults.items():
            for ended, lanes in ends if before >= len(sites) else ():
                self._exit(current.get(ended + first_warp, len(self.warps) - 1), ended + first_warp, lanes, waiting)
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


def _by_caller(stack: Sequence[Level], mask: int) -> dict[int, int]:
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
