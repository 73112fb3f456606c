"""A debugger's position in a Trace: a step, a thread, and the ways to other steps, forward and back.

The protocol's server and the terminal are two fronts of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from grader.debug.breakpoints import DATA, LINE, MARK, Breakpoint, access_steps, function_steps, line_steps, mark_steps
from grader.debug.messages import message
from grader.debug.recorded import Recorded
from grader.debug.scope import ThreadScope
from grader.debug.threads import Focus, thread_name
from grader.debug.values import EvaluationError, Place
from grader.debug.walk import Walk
from grader.replay.model import DEADLOCK, FAULT, FIRST_WRONG_WRITE, RACE, Frame, Mark
from grader.replay.trace import Trace

ENTRY, STEP, BREAKPOINT, DATA_BREAKPOINT, EXCEPTION = ("entry", "step", "breakpoint", "data breakpoint", "exception")
END = "pause"
"""Why a debugger stopped, in the protocol's words; END where the recording or a thread begins or ends."""

FILTERS = {"faults": (FAULT, RACE, DEADLOCK), "wrong": (FIRST_WRONG_WRITE,)}
"""Which marks stop a run, by the name of the filter."""
MOST_LOGGED = 1000
"""Messages that one run prints."""


@dataclass(frozen=True)
class Stop:
    """Why it stopped: `reason` is one of the words above, `words` say it to a student, `hit` numbers breakpoints."""

    reason: str
    words: str = ""
    hit: tuple[int, ...] = ()
    mark: Mark | None = None


@dataclass
class Debugger:
    """Stands before `step` of a Trace (-1: before the first was looked at), and looks at `thread`.

    `log` receives the messages of logpoints.
    """

    trace: Trace
    log: Callable[[str], None] = lambda text: None
    step: int = -1
    thread: int = 0
    focus: Focus = field(default_factory=Focus)
    breakpoints: dict[int, Breakpoint] = field(default_factory=dict)
    filters: tuple[str, ...] = tuple(FILTERS)

    def __post_init__(self) -> None:
        self.memory = Recorded(self.trace)
        self._numbers = 0
        self._walks: dict[int, Walk] = {}

    @property
    def at_end(self) -> bool:
        return self.step >= len(self.trace)

    def scope(self, frame: int = 0, thread: int | None = None) -> ThreadScope:
        """What names mean in the thread it looks at, or in another, `frame` levels up."""
        return ThreadScope(self.memory, max(self.step, 0), self.thread if thread is None else thread, frame)

    def stack(self, thread: int) -> list[Frame]:
        return self.trace.stack_at(max(self.step, 0), thread)

    def threads(self) -> list[int]:
        """The threads in focus."""
        return self.focus.threads(self.trace)

    def narrow(self, focus: Focus) -> None:
        """Only the threads in focus hit breakpoints from now on; it looks at one of them. Raises EvaluationError."""
        chosen = focus.threads(self.trace)
        self.focus = focus
        for one in self.breakpoints.values():
            one.forget()
        if self.thread not in chosen:
            self.thread = chosen[0]

    def break_at(self, file: int, line: int, condition: str = "", count: str = "", log: str = "") -> Breakpoint:
        """Adds a breakpoint at a line. Raises EvaluationError for a condition or a count that can't be read."""
        made = self._make(LINE, f"line {line}", line_steps(self.memory, file, line), condition, count)
        return self.adopt(replace(made, file=file, line=line, log=log))

    def break_in(self, name: str, condition: str = "", count: str = "") -> Breakpoint:
        """Adds a breakpoint at a function's first line. Raises EvaluationError, also if no thread calls it."""
        functions = self.trace.functions
        numbers = [number for number, one in enumerate(functions) if name in (one.name, one.name.split("(")[0])]
        threads = function_steps(self.memory, numbers)
        if not threads:
            known = ", ".join(sorted({one.name for one in functions})[:20])
            raise EvaluationError(f"no recorded thread calls {name[:60]}; there are {known}")
        return self.adopt(self._make(LINE, name, threads, condition, count))

    def watch(
        self, place: Place, size: int, words: str, access: str, condition: str = "", count: str = ""
    ) -> Breakpoint:
        """Adds a breakpoint on `size` bytes at a place. Raises EvaluationError as `break_at`."""
        made = self._make(DATA, words, access_steps(self.memory, place, size, access), condition, count)
        return self.adopt(replace(made, place=place, size=size, access=access))

    def adopt(self, one: Breakpoint) -> Breakpoint:
        """Adds a breakpoint that was made for this recording."""
        self._numbers = max(self._numbers, one.number)
        self.breakpoints[one.number] = one
        return one

    def remove(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.breakpoints.pop(number, None)

    def is_in_focus(self, thread: int) -> bool:
        return self.focus.has(self.trace, thread)

    def _make(
        self, kind: str, words: str, threads: dict[int, tuple[int, ...]], condition: str, count: str
    ) -> Breakpoint:
        number = self._numbers + 1
        return Breakpoint(number, kind, words, self.memory, threads, self.is_in_focus, condition, count)

    def step_in(self) -> Stop:
        """Goes to the thread's next line, which may lie in a function that is called."""
        return self._go(Walk.into)

    def step_over(self) -> Stop:
        """Goes to the thread's next line in the same function, or in its caller."""
        return self._go(Walk.over)

    def step_out(self) -> Stop:
        """Back into the function that called this one."""
        return self._go(Walk.out)

    def step_back(self) -> Stop:
        """Goes back to the line of the same function, or of its caller, that the thread ran before."""
        found = self.walk().back(self.step)
        if found is None:
            # Its first line may be steps ahead, where others run before it: back is never ahead.
            return Stop(END, f"{self.name()} begins here")
        self.step = found
        return Stop(STEP)

    def walk(self) -> Walk:
        """The steps of the thread it looks at."""
        if self.thread not in self._walks:
            self._walks[self.thread] = Walk(self.trace, self.thread)
        return self._walks[self.thread]

    def name(self) -> str:
        return thread_name(self.trace, self.thread)

    def _go(self, way: Callable[[Walk, int], int | None]) -> Stop:
        walk, before = self.walk(), self.step
        found = way(walk, before)
        self.step = walk.end(before) if found is None else found
        self._log_between(before, self.step)
        return Stop(END, walk.end_words()) if found is None else Stop(STEP)

    def run(self) -> Stop:
        """Goes on to the next step in which a breakpoint is hit or something is marked, or to the end."""
        before = self.step
        hits = self._nearest(lambda steps: _after(steps, before), min)
        self.step = hits[0][0] if hits else len(self.trace)
        self._log_between(before, self.step)
        return self._stopped(hits) if hits else Stop(END, self._words_at_end())

    def run_back(self) -> Stop:
        """Back to the last step in which a breakpoint is hit or something is marked; to the begin if there is none."""
        before = self.step
        hits = self._nearest(lambda steps: _before(steps, before), max)
        self.step = hits[0][0] if hits else 0
        return self._stopped(hits) if hits else Stop(END, "the recording begins here")

    def _nearest(
        self, order: Callable[[list[int]], Iterator[int]], nearer: Callable[[int, int], int]
    ) -> list[tuple[int, Breakpoint]]:
        """The breakpoints that are hit in the nearest step in which one is, with that step."""
        found: list[tuple[int, Breakpoint]] = []
        for one in [self._marked(), *self.breakpoints.values()]:
            for step in order(one.steps) if not one.log else ():
                if found and nearer(step, found[0][0]) != step:
                    break
                if one.hits_in(step):
                    found = [*(hit for hit in found if hit[0] == step), (step, one)]
                    break
        return found

    def _marked(self) -> Breakpoint:
        # A fault matters wherever it is, in focus or not.
        return Breakpoint(0, MARK, "a fault", self.memory, mark_steps(self.memory, self._kinds()))

    def _kinds(self) -> tuple[str, ...]:
        return tuple(kind for name in self.filters for kind in FILTERS[name])

    def _stopped(self, hits: list[tuple[int, Breakpoint]]) -> Stop:
        step, one = hits[0]
        threads = one.hits_in(step)
        if self.thread not in threads:
            self.thread = threads[0]
        numbers = tuple(hit.number for _, hit in hits if hit.number)
        if one.kind == MARK:
            mark = next(mark for mark in self.trace.marks if mark.step == step and mark.kind in self._kinds())
            return Stop(EXCEPTION, mark.words, numbers, mark)
        if one.kind == DATA:
            return Stop(DATA_BREAKPOINT, self._access_words(one, step), numbers)
        return Stop(BREAKPOINT, f"breakpoint {one.number}, {one.words}: {self.name()}", numbers)

    def _access_words(self, one: Breakpoint, step: int) -> str:
        place, line = one.place, int(self.trace.steps.line[step])
        writes = place is not None and any(
            (write.thread, write.space, write.target) == (self.thread, place.space, place.target)
            for write in self.trace.writes_in(step)
        )
        return f"breakpoint {one.number}: {self.name()} {'writes' if writes else 'reads'} {one.words} in line {line}"

    def _words_at_end(self) -> str:
        words = ["the recording ends here" if self.trace.truncated else "the block has ended"]
        return "; ".join(words + [mark.words for mark in self.trace.marks if mark.step < 0])

    def _log_between(self, before: int, step: int) -> None:
        """Prints what logpoints say of the steps after `before` up to `step`."""
        found = sorted(
            (at, one.number)
            for one in self.breakpoints.values()
            if one.log
            for at in one.steps[bisect_right(one.steps, before) : bisect_right(one.steps, step)]
        )
        printed = 0
        for at, number in found:
            one = self.breakpoints[number]
            for thread in one.hits_in(at):
                if printed == MOST_LOGGED:
                    self.log(f"and more: {MOST_LOGGED} messages are printed at a time")
                    return
                self.log(message(one.log, ThreadScope(self.memory, at, thread)))
                printed += 1


def _after(steps: list[int], step: int) -> Iterator[int]:
    return (steps[at] for at in range(bisect_right(steps, step), len(steps)))


def _before(steps: list[int], step: int) -> Iterator[int]:
    return (steps[at] for at in range(bisect_left(steps, step) - 1, -1, -1))
