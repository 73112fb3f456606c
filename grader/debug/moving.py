"""Requests that move: each answers at once, and tells where it stopped afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.debug.arguments import Arguments, RequestError
from grader.debug.breakpoints import Breakpoint
from grader.debug.debugger import END, ENTRY, Debugger, Stop
from grader.debug.state import State
from grader.debug.threads import Focus, OtherBlock, dim3_text, parse_index
from grader.debug.values import EvaluationError
from grader.replay.model import Dim3


def begin(state: State) -> None:
    """Runs to the first stop, or stops before the first step."""
    debugger = state.needed()
    debugger.step = -1
    if state.stops_on_entry:
        debugger.step = 0
        state.moved(Stop(ENTRY))
    else:
        state.moved(_run(state, debugger))


def step_in(state: State, arguments: Arguments) -> None:
    """Answers `stepIn`: goes to the thread's next line, in a function that is called too."""
    _step(state, arguments, Debugger.step_in)


def step_over(state: State, arguments: Arguments) -> None:
    """Answers `next`: goes to the thread's next line in the same function, or in its caller."""
    _step(state, arguments, Debugger.step_over)


def step_out(state: State, arguments: Arguments) -> None:
    """Answers `stepOut`: goes to where the thread is back in the function that called this one."""
    _step(state, arguments, Debugger.step_out)


def step_back(state: State, arguments: Arguments) -> None:
    """Answers `stepBack`: goes to the line of the same function that the thread ran before."""
    _step(state, arguments, Debugger.step_back)


def run(state: State, _: Arguments) -> dict[str, Any]:
    """Answers `continue`: goes to the next stop, and from the end of the recording ends the session."""
    debugger = state.needed()
    state.later = lambda: end(state) if debugger.at_end else state.moved(_run(state, debugger))
    return {"allThreadsContinued": True}


def run_back(state: State, _: Arguments) -> None:
    """Answers `reverseContinue`: goes back to the last step at which it would have stopped."""
    debugger = state.needed()
    state.later = lambda: state.moved(debugger.run_back())


def pause(state: State, _: Arguments) -> None:
    """Answers `pause`: nothing runs between requests, so that it has always stopped."""
    state.needed()
    state.later = lambda: state.moved(Stop(END, "nothing was running"))


def focus(state: State, arguments: Arguments) -> dict[str, Any]:
    """kgrade's own request: attend to some threads only. `block` is such as "2,0", `warp` and `lane` are numbers.

    A block that was not recorded is recorded in place of the one that was.
    """
    wanted = focus_of(arguments)
    try:
        state.needed().narrow(wanted)
    except OtherBlock as other:
        enter(state, other.block)
        state.needed().narrow(wanted)
    debugger = state.needed()
    return {"focus": debugger.focus.words(), "threadId": debugger.thread + 1}


def enter(state: State, block: Dim3) -> None:
    """Records another block of the launch, stands before its first step, and tells the client so afterwards."""
    dropped = state.enter(block)

    def tell() -> None:
        tell_dropped(state, dropped)
        state.moved(Stop(ENTRY, f"block {dim3_text(block)} begins here"))

    state.later = tell


def tell_dropped(state: State, dropped: Sequence[Breakpoint]) -> None:
    """Tells the client of breakpoints at which no recorded thread stops any more."""
    for one in dropped:
        body = {"id": one.number, "verified": False, "message": f"{one.words}: no recorded thread gets there now"}
        state.send("breakpoint", {"reason": "changed", "breakpoint": body})


def focus_of(arguments: Arguments) -> Focus:
    """The focus that these arguments describe. Raises RequestError."""
    try:
        return Focus(
            parse_index(arguments.text("block")) if arguments.has("block") else None,
            arguments.integer("warp") if arguments.has("warp") else None,
            arguments.integer("lane") if arguments.has("lane") else None,
        )
    except EvaluationError as error:
        raise RequestError(str(error)) from None


def end(state: State) -> None:
    """Ends the session; the connection goes on until the client leaves."""
    state.ended = True
    state.send("exited", {"exitCode": 0})
    state.send("terminated", {})


def _step(state: State, arguments: Arguments, way: Callable[[Debugger], Stop]) -> None:
    debugger = state.needed()
    debugger.thread = state.thread_of(arguments)
    state.later = lambda: state.moved(way(debugger))


def _run(state: State, debugger: Debugger) -> Stop:
    stop = debugger.run()
    for one in debugger.breakpoints.values():
        if one.trouble:
            state.say(
                f"breakpoint {one.number}, {one.words}: its condition has no value in some threads: {one.trouble}"
            )
            one.trouble = ""
    return stop
