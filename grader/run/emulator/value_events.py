"""Reports uses of unset local variables, at the line of the submission that they come from."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault
from grader.run.emulator.findings import Finding, Findings
from grader.run.emulator.state import State
from grader.run.emulator.translation import Translation
from grader.run.emulator.unset_names import UnsetNames

_MOST_CALLS = 64


class ValueEvents:
    """The findings of one launch about unset local variables."""

    def __init__(self, translation: Translation, findings: Findings) -> None:
        self._translation = translation
        self._uses = translation.uses or {}
        self._names = (
            UnsetNames(translation.program, translation.storage, translation.followed)
            if translation.followed is not None
            else None
        )
        self._findings = findings

    def unset(self, state: State, site: int, lanes: list[int], count: int) -> None:
        """Reports lanes that use an unset local variable."""
        line = self._line(state, site, lanes[0])
        key = (layout.EVENT_UNSET, line, "")
        if line and self._findings.add(key, state.block, len(lanes)):
            message = (
                f"{self._words(state, site, lanes[0])}: give it one where it is declared, or on every path that leads "
                "here"
            )
            fault = Fault(
                "uninitialized_read",
                message,
                line=line,
                kernel=self._translation.program.kernel,
                access="read",
                block=state.block_index,
                thread=state.thread_index(lanes[0]),
                instruction=self._translation.sites[site].text,
            )
            self._findings.put(key, Finding((state.block, count), fault, len(lanes)))

    def _words(self, state: State, site: int, lane: int) -> str:
        name = ""
        if self._names is not None:
            name = self._names.words(state, lane, self._translation.sites[site], self._uses[site])
        if name:
            return f"the local variable {name} is read before it has a value"
        return "a local variable is used that has no value yet"

    def _line(self, state: State, site: int, lane: int) -> int:
        """Returns the line of the use or, in a header's function, of the call that led there; 0 if there is none."""
        translation = self._translation
        line, function = translation.sites[site].line, self._uses[site].function
        for _ in range(_MOST_CALLS):
            if line or function == translation.program.kernel:
                break
            back = state.lane_word(translation.storage.frames[function].return_pc, lane)
            call = translation.program.blocks[back - 1]
            line, function = call.instructions[-1].line, call.function
        return line
