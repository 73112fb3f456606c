"""One session of the Debug Adapter Protocol: reads requests, answers each, tells of stops.

https://microsoft.github.io/debug-adapter-protocol/specification
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

from grader.core.errors import KgradeError
from grader.debug import looking, moving, stopping
from grader.debug.arguments import Arguments, RequestError
from grader.debug.debugger import Debugger
from grader.debug.framing import BrokenFrame, BrokenMessage, read_message, write_message
from grader.debug.launch import Launch, Recorder, launch_of
from grader.debug.state import State
from grader.debug.threads import OtherBlock
from grader.debug.values import EvaluationError

Answer = dict[str, Any] | None

UNSEEN = ("evaluate", "completions", "dataBreakpointInfo", "exceptionInfo", "scopes", "source", "variables")
"""Requests that a client makes by itself, such as for a word under the mouse: a refusal is no message to the user."""

CAPABILITIES = {
    "supportsBreakpointLocationsRequest": True,
    "supportsCompletionsRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsConfigurationDoneRequest": True,
    "supportsDataBreakpoints": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLoadedSourcesRequest": True,
    "supportsLogPoints": True,
    "supportsRestartRequest": True,
    "supportsStepBack": True,
    "supportsTerminateRequest": True,
    "supportTerminateDebuggee": False,
    "exceptionBreakpointFilters": [
        {
            "filter": "faults",
            "label": "Faults",
            "description": "Stop where the sanitizer found a fault, a race or a deadlock",
            "default": True,
        },
        {
            "filter": "wrong",
            "label": "First wrong write",
            "description": "Stop where a wrong value is first written to an output",
            "default": True,
        },
    ],
}


class Session:
    """Serves one client. `record` makes the Trace; `given` is the command line's launch, None if the client says."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, record: Recorder, given: Launch | None = None) -> None:
        self._reader, self._writer, self._sent = reader, writer, 0
        self._state = State(self._event, record, given)
        self._left = False

    def serve(self) -> None:
        """Answers requests until the client disconnects or its stream ends."""
        while not self._left:
            try:
                message = read_message(self._reader)
            except BrokenMessage as error:
                self._state.say(f"kgrade debug: {error}", "stderr")
                continue
            except BrokenFrame as error:
                self._state.say(f"kgrade debug: {error}; the connection ends", "stderr")
                return
            if message is None:
                return
            self._handle(message)

    def _handle(self, message: dict[str, Any]) -> None:
        number, command = message.get("seq"), message.get("command")
        if message.get("type") != "request":
            return
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(command, str):
            self._state.say("kgrade debug: a request has a number, seq, and a string, command", "stderr")
            return
        try:
            answer = self._answer(command, message.get("arguments"))
        except (RequestError, EvaluationError) as error:
            self._refuse(number, command, str(error))
        except KgradeError as error:
            self._refuse(number, command, f"{error.message}\n{error.hint}".strip())
        except OSError:
            raise
        except Exception as error:
            # A mistake of kgrade's own ends neither the session nor the editor's patience.
            self._refuse(number, command, f"kgrade debug has failed at {command[:60]}: {type(error).__name__}: {error}")
        else:
            self._respond(number, command, True, answer)
            self._follow()

    def _follow(self) -> None:
        later, self._state.later = self._state.later, None
        try:
            if later is not None:
                later()
        except (RequestError, EvaluationError) as error:
            self._state.say(f"kgrade debug: {error}", "stderr")

    def _answer(self, command: str, arguments: Any) -> Answer:
        handler = _HANDLERS.get(command)
        if handler is not None:
            return handler(self._state, Arguments(arguments, command))
        own = {"disconnect": self._leave, "terminate": self._terminate}.get(command)
        if own is None:
            raise RequestError(f"kgrade debug does not know the request {command[:60]!r}")
        return own()

    def _leave(self) -> Answer:
        self._left = True
        return None

    def _terminate(self) -> Answer:
        self._state.later = lambda: moving.end(self._state)
        return None

    def _refuse(self, number: int, command: str, words: str) -> None:
        # In a format, braces are variables.
        text = words.replace("{", "(").replace("}", ")")
        error = {"id": 1, "format": text, "showUser": command not in UNSEEN}
        self._respond(number, command, False, {"error": error}, words)

    def _respond(
        self, number: int, command: str, success: bool, body: dict[str, Any] | None, words: str | None = None
    ) -> None:
        response: dict[str, Any] = {"request_seq": number, "success": success, "command": command}
        if body is not None:
            response["body"] = body
        if words is not None:
            response["message"] = words
        self._send("response", response)

    def _event(self, name: str, body: dict[str, Any]) -> None:
        self._send("event", {"event": name, "body": body})

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        self._sent += 1
        write_message(self._writer, {"seq": self._sent, "type": kind, **content})


def _initialize(state: State, arguments: Arguments) -> Answer:
    state.first_line = int(arguments.flag("linesStartAt1", True))
    state.first_column = int(arguments.flag("columnsStartAt1", True))
    return dict(CAPABILITIES)


def _launch(state: State, arguments: Arguments) -> Answer:
    if state.launch is not None:
        raise RequestError("this session has been launched already; send restart to record it again")
    launch = launch_of(arguments, state.given)
    focus = moving.focus_of(arguments.object("focus"))
    state.stops_on_entry = arguments.flag("stopOnEntry")
    debugger = Debugger(state.record(launch, state.say), state.say)
    try:
        debugger.narrow(focus)
    except OtherBlock as other:
        launch = replace(launch, block=other.block)
        debugger = Debugger(state.record(launch, state.say), state.say)
        debugger.narrow(focus)
    state.launch, state.debugger = launch, debugger

    def ready() -> None:
        _introduce(state, debugger)
        state.send("initialized", {})

    state.later = ready
    return None


def _introduce(state: State, debugger: Debugger) -> None:
    """Says what is shown, and what this build does otherwise than the graded one."""
    trace = debugger.trace
    sizes = ",".join(f"{name}={size}" for name, size in trace.sizes.items())
    state.say(f"{trace.kernel} of {trace.problem}: {sizes}, {len(trace):,} steps")
    for remark in trace.remarks:
        state.say(remark)


def _configured(state: State, _: Arguments) -> Answer:
    state.needed()
    state.later = lambda: moving.begin(state)
    return None


def _restart(state: State, _: Arguments) -> Answer:
    """Records again, as the file may have been changed, and sets the breakpoints anew."""
    if state.launch is None:
        raise RequestError("nothing is debugged yet: send launch first")
    dropped = state.renew(state.launch)

    def again() -> None:
        moving.tell_dropped(state, dropped)
        moving.begin(state)

    state.later = again
    return None


_HANDLERS: dict[str, Callable[[State, Arguments], Answer]] = {
    "initialize": _initialize,
    "launch": _launch,
    "attach": _launch,
    "configurationDone": _configured,
    "restart": _restart,
    "setBreakpoints": stopping.set_breakpoints,
    "setFunctionBreakpoints": stopping.set_function_breakpoints,
    "setDataBreakpoints": stopping.set_data_breakpoints,
    "setExceptionBreakpoints": stopping.set_exception_breakpoints,
    "dataBreakpointInfo": stopping.data_breakpoint_info,
    "breakpointLocations": stopping.breakpoint_locations,
    "next": moving.step_over,
    "stepIn": moving.step_in,
    "stepOut": moving.step_out,
    "stepBack": moving.step_back,
    "continue": moving.run,
    "reverseContinue": moving.run_back,
    "pause": moving.pause,
    "kgrade/focus": moving.focus,
    "threads": looking.threads,
    "stackTrace": looking.stack_trace,
    "scopes": looking.scopes,
    "variables": looking.variables,
    "evaluate": looking.evaluate,
    "completions": looking.completions,
    "exceptionInfo": looking.exception_info,
    "source": looking.source,
    "loadedSources": looking.loaded_sources,
}
