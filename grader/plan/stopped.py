"""Describes recordings that ended before solve() returned: the verdict, what happened, and what to do about it.

Source lines come from grader.plan.host_lines.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.core.plan import Plan
from grader.core.verdict import FaultClass, Verdict
from grader.plan.advice import advice_for
from grader.plan.frames import CallError, Malformed, number, parse_error, places, text
from grader.plan.validate import Extent
from grader.sandbox import Ended

_OUT_OF_MEMORY = 2
"""cudaErrorMemoryAllocation"""

LAUNCHES = ("<<<>>>", "cudaLaunch")
"""Prefixes of the calls that launch a kernel."""

_COPY_HINT = "solve() runs on the host: use the array in a kernel, or copy it with cudaMemcpy()"


@dataclass(frozen=True)
class Stop:
    """The end of a recording that gave no plan. `at` is the call stack: offsets in the submission's library, innermost

    first. `earlier` is that of the earlier call that is to blame, such as the cudaFree() of the memory.
    """

    verdict: Verdict
    message: str
    fault: FaultClass | None = None
    hint: str = ""
    call: str = ""
    at: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()


class RecordingStopped(Exception):
    """solve() gives no plan: an outcome of the submission, so no KgradeError.

    `fault` is None if no FaultClass fits. `line` is the source line, `printed` the output of solve(), `begun` what it
    asked for before and no device has run yet.
    """

    def __init__(self, stop: Stop, line: int | None = None, printed: str = "", begun: Plan | None = None) -> None:
        super().__init__(stop.message)
        self.stop = stop
        self.verdict = stop.verdict
        self.fault = stop.fault
        self.message = stop.message
        self.hint = stop.hint
        self.call = stop.call
        self.line = line
        self.printed = printed
        self.begun = begun or Plan(())


def told_stop(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    """The Stop described by the recorder's own last frame. Raises Malformed."""
    kind = text(frame, "fault")
    word = _WORDS.get(kind)
    if word is None:
        raise Malformed("an end that no recorder tells")
    if kind in ("exit", "exception", "signal"):
        error = _error_before(frame)
        if error is not None and kind != "signal":
            return replace(failed_call(error), hint=f"after it, {_how(kind, frame)}")
    stop: Stop = word(frame, memory)
    return replace(stop, call=stop.call or text(frame, "call"), at=places(frame))


def failed_call(error: CallError) -> Stop:
    """The Stop for a launch or another call that returned an error."""
    out_of_memory = error.code == _OUT_OF_MEMORY
    detail = f": {error.message}" if error.message else ""
    return Stop(
        Verdict.MEMORY_LIMIT_EXCEEDED if out_of_memory else Verdict.RUNTIME_ERROR,
        f"{name_call(error.call)} fails with {error.words!r} ({error.name}){detail}",
        None if out_of_memory else FaultClass.LAUNCH_FAILURE,
        call=error.call,
        at=error.at,
        earlier=error.earlier,
    )


def told_with_line(stop: Stop, earlier: int | None) -> Stop:
    """Adds the line of the earlier call that is to blame to the message."""
    return stop if earlier is None else replace(stop, message=f"{stop.message} (line {earlier})")


def stop_of_death(ended: Ended, cpu_seconds: int | None, seconds: float) -> Stop:
    """The Stop for a process that exited or was killed without a last frame."""
    if ended.timed_out:
        return took_too_long(seconds)
    by = ended.signal or (signal.Signals(ended.returncode - 128) if _is_signal(ended.returncode - 128) else None)
    if by in (signal.SIGXCPU, signal.SIGKILL):
        message = f"solve() was stopped after {cpu_seconds} seconds of computing on the host"
        return Stop(Verdict.TIME_LIMIT_EXCEEDED, message)
    if by is not None:
        message = f"the process of solve() was ended by {by.name} before solve() returned"
        # assert() and abort() send a frame of their own.
        hint = "the C library ends a process so whose memory was freed twice or written beyond its end"
        return Stop(Verdict.RUNTIME_ERROR, message, hint=hint if by is signal.SIGABRT else "")
    message = f"the process of solve() ended with exit code {ended.returncode} before solve() returned"
    return Stop(Verdict.RUNTIME_ERROR, message, hint="return from solve() instead")


def took_too_long(seconds: float, compiling: str = "") -> Stop:
    """The Stop for a solve() that does not return; `compiling` is the function that was compiled at the end."""
    message = f"solve() did not return within {seconds:g} seconds on the host"
    if not compiling:
        return Stop(Verdict.TIME_LIMIT_EXCEEDED, message, hint="look for a loop that never ends")
    hint = "let a block have fewer elements, or more warps to share them: code grows with the elements of a thread"
    return Stop(Verdict.TIME_LIMIT_EXCEEDED, f"{message}: {compiling} was still being compiled", hint=hint)


def stop_of_forgery(error: Malformed) -> Stop:
    message = f"the host code of this file writes to the judge's channel ({error})"
    return Stop(Verdict.REJECTED, message, hint="leave descriptor 3 alone")


def _unsupported(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    call, said = text(frame, "call"), text(frame, "message")
    message = f"{name_call(call)} is not supported here" + (f": {said}" if said else "")
    hint = text(frame, "hint") or advice_for(call)
    return Stop(Verdict.RUNTIME_ERROR, message, FaultClass.UNSUPPORTED_CALL, hint)


def _host_pointer(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    message = f"{name_call(text(frame, 'call'))} can't be done: {text(frame, 'message')}"
    hint = text(frame, "hint") or "the host's side of a copy is an array, a std::vector or what malloc() gave"
    return Stop(Verdict.RUNTIME_ERROR, message, FaultClass.UNSUPPORTED_CALL, hint)


def _signal(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    which = number(frame, "signal", 64)
    address = number(frame, "address")
    does = {"read": "reads", "write": "writes"}.get(text(frame, "access"), "uses")
    if which == signal.SIGXCPU:
        return Stop(Verdict.TIME_LIMIT_EXCEEDED, "solve() computed on the host for too long")
    if which == signal.SIGFPE:
        return Stop(Verdict.RUNTIME_ERROR, "solve() divides an integer by zero on the host")
    if which not in (signal.SIGSEGV, signal.SIGBUS):
        name = signal.Signals(which).name if _is_signal(which) else str(which)
        return Stop(Verdict.RUNTIME_ERROR, f"solve() crashed on the host ({name})")
    if frame.get("stack") is True:
        message = "solve() overflows the host's stack"
        return Stop(Verdict.RUNTIME_ERROR, message, hint="make large local arrays a std::vector; end recursion")
    if address < 4096:
        hint = "a call before it has failed, or the pointer was never set"
        return Stop(Verdict.RUNTIME_ERROR, f"solve() {does} host memory through a null pointer", hint=hint)
    for extent in memory:
        if extent.address <= address < extent.address + extent.size:
            what = f"the device array {extent.name}" if extent.name else "device memory of cudaMalloc()"
            message = f"solve() {does} {what} on the host"
            return Stop(Verdict.RUNTIME_ERROR, message, hint=_COPY_HINT)
    message = f"solve() {does} host memory at {address:#x}, where there is none"
    return Stop(
        Verdict.RUNTIME_ERROR, message, hint="look for an index beyond a host array, or a pointer of the device"
    )


def _exit(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    if text(frame, "call") == "assert":
        return Stop(Verdict.RUNTIME_ERROR, _how("exit", frame))
    return Stop(Verdict.RUNTIME_ERROR, f"{_how('exit', frame)} before it returned", hint="return from solve() instead")


def _exception(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    # Of threads in C++, or of anything else that the sandbox keeps from Python.
    refused = "Operation not permitted" in text(frame, "message")
    hint = "host code can start no threads and no other programs here, and has no files" if refused else ""
    # The frame's `call` is the exception's type, not a function that failed.
    return Stop(Verdict.RUNTIME_ERROR, _how("exception", frame), hint=hint, call="throw")


def _memory(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    message = f"solve() needs more memory of the host than it may have: {text(frame, 'message')}"
    return Stop(Verdict.MEMORY_LIMIT_EXCEEDED, message, hint="arrays belong to the device: use cudaMalloc()")


def _steps(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    hint = "look for a loop that never ends"
    return Stop(Verdict.TIME_LIMIT_EXCEEDED, f"solve() does not come to an end: {text(frame, 'message')}", hint=hint)


def _bytes(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    hint = "leave the arrays on the device"
    return Stop(Verdict.MEMORY_LIMIT_EXCEEDED, f"solve() copies too much: {text(frame, 'message')}", hint=hint)


def _load(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    return Stop(Verdict.RUNTIME_ERROR, f"the compiled file can't be loaded: {text(frame, 'message')}")


def _compile(frame: Mapping[str, Any], memory: list[Extent]) -> Stop:
    return Stop(Verdict.COMPILE_ERROR, text(frame, "message"), hint=text(frame, "hint"))


_WORDS: Mapping[str, Any] = {
    "compile": _compile,
    "unsupported_call": _unsupported,
    "host_pointer": _host_pointer,
    "signal": _signal,
    "exit": _exit,
    "exception": _exception,
    "memory": _memory,
    "steps": _steps,
    "bytes": _bytes,
    "load": _load,
}
"""What each `fault` in the recorder's frame means (grader/plan/recorder/*.cpp)."""


def _how(kind: str, frame: Mapping[str, Any]) -> str:
    if kind == "exception":
        name, said = text(frame, "call") or "an exception", text(frame, "message")
        who = "a constructor of a global variable" if text(frame, "left") == "constructor" else "solve()"
        why = (
            "in a function that lets no exception out"
            if text(frame, "left") == "noexcept"
            else "and catches it nowhere"
        )
        return f"{who} throws {name}{f' ({said})' if said else ''} {why}"
    call = text(frame, "call")
    if call == "assert":
        return f"solve() ended at an assert() that does not hold ({text(frame, 'message')})"
    if call in ("abort", "pthread_exit", "std::terminate"):
        return f"solve() called {call}()"
    return f"solve() ended the process by {call}({number(frame, 'code', 2**32)})"


def _error_before(frame: Mapping[str, Any]) -> CallError | None:
    given = frame.get("failure") or frame.get("error")
    return parse_error(given) if given else None


def name_call(call: str) -> str:
    """The name of a call for use in a sentence."""
    if call == "<<<>>>":
        return "the launch"
    return call if call.startswith("__") else f"{call}()"


def _is_signal(value: int) -> bool:
    return value in set(signal.Signals)
