"""The steps of one thread, and which of them is the next line, the caller's, the line before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from grader.debug.breakpoints import goes_on
from grader.debug.threads import thread_name
from grader.replay.model import FIRST_WRONG_WRITE, GONE, WAITING
from grader.replay.trace import Trace


class Walk:
    """One thread's way through a Trace. A step given is the debugger's; None means that there is no such step."""

    def __init__(self, trace: Trace, thread: int) -> None:
        self._trace, self._thread = trace, thread
        self.steps: list[int] = trace.steps_of(thread).tolist()
        self._depths: list[int] = trace.steps.depth[self.steps].tolist() if self.steps else []
        lines = trace.steps.line[self.steps] if self.steps else ()
        self._lines: list[int] = list(map(int, lines))

    def into(self, step: int) -> int | None:
        """The next line, in a function that is called too."""
        return self._ahead(step, lambda at: not self._goes_on(at))

    def over(self, step: int) -> int | None:
        """The next line in the same function, or in its caller."""
        depth = self._depth(step)
        return self._ahead(step, lambda at: self._depths[at] <= depth and not self._goes_on(at))

    def out(self, step: int) -> int | None:
        """Back in the function that called this one."""
        depth = self._depth(step)
        return self._ahead(step, lambda at: self._depths[at] < depth)

    def back(self, step: int) -> int | None:
        """The line of the same function, or of its caller, that ran before."""
        at = self._at(step)
        if at == len(self.steps):
            at -= 1
            depth = self._depths[at] if at >= 0 else 0
        else:
            depth, at = self._depths[at], at - 1
        at = self._rise(at, depth)
        # The rest of a line after a call begins where the line begins.
        while at >= 0 and self._goes_on(at):
            at = self._rise(at - 1, self._depths[at])
        return self.steps[at] if at >= 0 else None

    def end(self, step: int) -> int:
        """The step after the thread's last one."""
        return max(step, self.steps[-1] + 1 if self.steps else 0)

    def end_words(self) -> str:
        """Why the thread goes no further."""
        name = thread_name(self._trace, self._thread)
        if not self.steps:
            return f"{name} did nothing that was recorded"
        last = self.steps[-1]
        line = int(self._trace.steps.line[last])
        faults = [mark for mark in self._trace.marks if mark.step == last and mark.kind != FIRST_WRONG_WRITE]
        if faults:
            return faults[0].words
        state = self._trace.state_of(self._thread, last + 1)
        if state == GONE:
            return f"{name} has ended, after line {line}"
        if state == WAITING:
            return f"{name} waits at the barrier in line {line}; nothing was recorded of it after that"
        return f"the recording of {name} ends here, after line {line}"

    def _ahead(self, step: int, wanted: Callable[[int], bool]) -> int | None:
        for at in range(self._at(step) + 1, len(self.steps)):
            if wanted(at):
                return self.steps[at]
        return None

    def _rise(self, at: int, depth: int) -> int:
        """The last step up to `at` that is in no function called from this depth."""
        while at >= 0 and self._depths[at] > depth:
            at -= 1
        return at

    def _goes_on(self, at: int) -> bool:
        if not at or self._depths[at - 1] < self._depths[at]:
            return False
        if self._depths[at - 1] == self._depths[at] and self._lines[at - 1] != self._lines[at]:
            return False
        return goes_on(self._trace, self.steps[at - 1], self.steps[at])

    def _depth(self, step: int) -> int:
        at = self._at(step)
        return self._depths[at] if at < len(self._depths) else 0

    def _at(self, step: int) -> int:
        return bisect_left(self.steps, max(step, 0))
