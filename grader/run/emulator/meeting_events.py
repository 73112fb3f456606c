"""Reports how threads fail to meet: at different barriers, not at all, or outside of their own mask."""

from __future__ import annotations

import math

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault
from grader.run.emulator.findings import Finding, Findings
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.state import Shape, State
from grader.run.emulator.translation import Translation


class MeetingEvents:
    """The findings of one launch about barriers and masks."""

    def __init__(self, translation: Translation, shape: Shape, findings: Findings) -> None:
        self._sites = translation.sites
        self._program = translation.program
        self._threads = math.prod(shape.block)
        self._findings = findings

    def different(self, state: State, count: int) -> None:
        """Reports threads of a block that wait for each other at different barriers of the program."""
        first, second = (self._barrier(state, name) for name in ("other_access", "other_thread"))
        if first.line == second.line:
            # The compiler may have duplicated the barrier.
            return
        message = (
            f"threads of a block wait at the barrier of line {first.line}, others at that of line {second.line}: "
            "all have to come to the same one; move it out of the branch"
        )
        self._add(layout.EVENT_BARRIER, state, count, second, self._waiting(state), message)

    def past(self, state: State, count: int) -> None:
        """Reports threads of the block that have skipped a barrier at which others wait."""
        first, second = (self._barrier(state, name) for name in ("other_access", "other_thread"))
        if first.line != second.line:
            # Reported already: they wait at different barriers.
            return
        message = (
            f"threads of a block go past the barrier of line {second.line} at which others wait: all have to come to "
            "it equally often; move it out of the branch, or give all threads as many rounds of the loop"
        )
        self._add(layout.EVENT_PAST, state, count, second, self._waiting(state), message)

    def left(self, state: State, count: int) -> None:
        """Reports threads of the block that exited before a barrier."""
        barrier = self._barrier(state, "other_thread")
        gone = self._threads - state.word("alive")
        have = "has" if gone == 1 else "have"
        message = (
            f"{gone} of the block's {self._threads} threads {have} exited before the barrier of line {barrier.line}: "
            "GPUs count them as arrived, but the programming guide asks all threads of a block to come to it"
        )
        self._add(layout.EVENT_LEFT, state, count, barrier, self._waiting(state), message)

    def outside_mask(self, state: State, site: int, lane: int, count: int) -> None:
        """Reports a lane that takes part in an operation whose mask does not name it."""
        instruction = self._sites[site]
        message = (
            f"lane {lane} executes a warp operation whose mask does not name it: that is undefined; "
            f"the mask of line {instruction.line} has to name all lanes that come there, and no others"
        )
        self._add(layout.EVENT_MASK, state, count, instruction, lane, message)

    def from_the_absent(self, state: State, site: int, lane: int, count: int) -> None:
        """Reports a lane that takes a shuffled value from one that has exited, never existed, or is not in its mask."""
        instruction = self._sites[site]
        message = (
            f"lane {lane} takes the value of a lane that has left the kernel, or that its mask does not name: it is "
            "undefined; let the mask name all lanes that give or take a value, keep them until after the shuffle, and "
            "give those beyond the end a neutral value"
        )
        self._add(layout.EVENT_ABSENT, state, count, instruction, lane, message, undefined=True)

    def _barrier(self, state: State, name: str) -> Instruction:
        return self._program.blocks[state.word(name) - 1].instructions[-1]

    def _waiting(self, state: State) -> int:
        """Returns the first lane that waits at the barrier of `_barrier("other_thread")`."""
        return state.counters().index(state.word("other_thread"))

    def _add(
        self, kind: int, state: State, count: int, at: Instruction, lane: int, message: str, undefined: bool = False
    ) -> None:
        key = (kind, at.line, at.text)
        if self._findings.add(key, state.block, 1):
            fault = Fault(
                "barrier_divergence",
                message,
                line=at.line,
                kernel=self._program.kernel,
                block=state.block_index,
                thread=state.thread_index(lane),
                instruction=at.text,
                undefined=undefined,
            )
            self._findings.put(key, Finding((state.block, count), fault, 1))
