"""Requests that look: threads, stacks, scopes, variables, expressions, texts. None of them moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.debug.arguments import Arguments, RequestError
from grader.debug.console import Console
from grader.debug.console_looks import state_words
from grader.debug.debugger import STEP, Stop
from grader.debug.expressions import parse_place
from grader.debug.moving import enter
from grader.debug.scope import ThreadScope
from grader.debug.shown import Child, can_open, children_of, count_of, text_of_value, type_name
from grader.debug.state import Opened, State
from grader.debug.threads import OtherBlock, thread_name
from grader.debug.values import EvaluationError, Value
from grader.replay.model import FIRST_WRONG_WRITE

COMMAND_SIGN = ":"
"""The sign that begins a command of the terminal, such as :lanes, in an editor's console."""
MOST_FRAMES = 200
MOST_COMPLETIONS = 100


def threads(state: State, _: Arguments) -> dict[str, Any]:
    """Answers `threads`: those in focus, by number and name."""
    debugger = state.needed()
    trace = debugger.trace
    return {"threads": [{"id": one + 1, "name": thread_name(trace, one)} for one in debugger.threads()]}


def stack_trace(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `stackTrace`: the functions that a thread is in, the innermost first."""
    debugger, thread = state.needed(), state.thread_of(arguments)
    start, levels = arguments.integer("startFrame", 0), arguments.integer("levels", 0) or MOST_FRAMES
    stack, words = debugger.stack(thread), state_words(debugger, thread)
    frames = []
    for at, frame in enumerate(stack[start : start + min(levels, MOST_FRAMES)], start):
        name = debugger.trace.functions[frame.function].name if frame.function >= 0 else "?"
        shown: dict[str, Any] = {
            "id": state.frame_number(thread, at),
            "name": f"{name} ({words})" if at == 0 and words else name,
            "line": max(frame.line - 1, 0) + state.first_line if frame.line else 0,
            "column": state.first_column,
        }
        frames.append(shown | ({"source": state.source(frame.file)} if frame.line else {}))
    return {"stackFrames": frames, "totalFrames": len(stack)}


def scopes(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `scopes`: a frame's locals, parameters, shared memory, arrays, and the launch's built-in variables."""
    scope = state.scope_of(arguments)
    return {
        "scopes": [
            {
                "name": name,
                "variablesReference": state.open_number(Opened(scope, named=tuple(values))),
                "namedVariables": len(values),
                "expensive": name in ("Shared", "Arrays"),
                **({"presentationHint": hint} if hint else {}),
            }
            for name, hint, values in _scopes(scope)
            if values
        ]
    }


def _scopes(scope: ThreadScope) -> list[tuple[str, str, list[tuple[str, Value]]]]:
    trace, memory = scope.memory.trace, scope.memory
    own = [
        (trace.variables[number].storage, (name, memory.variable(number, scope.thread, scope.frame)))
        for name, number in scope.variables().items()
    ]
    return [
        ("Locals", "locals", [value for storage, value in own if storage == "local"]),
        ("Parameters", "arguments", [value for storage, value in own if storage == "parameter"]),
        ("Shared", "", [(one.name, memory.shared(at, scope.thread)) for at, one in enumerate(trace.shared)]),
        ("Arrays", "", [(one.name, memory.array(at, scope.thread)) for at, one in enumerate(trace.arrays)]),
        ("Launch", "registers", [(name, memory.built_in(name, scope.thread)) for name in memory.built_ins()]),
    ]


def variables(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `variables`: the members or elements of a scope, structure or array, or a part of them."""
    opened = _opened(state, arguments)
    start, count = arguments.integer("start", 0), arguments.integer("count", 0)
    if arguments.text("filter", "") == "indexed" and not (opened.value and count_of(opened.scope, opened.value)):
        return {"variables": []}
    return {"variables": [_variable(state, opened.scope, one) for one in children(opened, start, count)]}


def children(opened: Opened, start: int = 0, count: int = 0) -> list[Child]:
    """The members or elements of a scope, structure or array, `count` of them from `start` on; 0 for all."""
    if opened.value is not None:
        return children_of(opened.scope, opened.value, opened.expression, start, count)
    end = start + count if count else None
    return [Child(name, value, name) for name, value in opened.named[start:end]]


def _opened(state: State, arguments: Arguments) -> Opened:
    state.needed()
    number = arguments.integer("variablesReference")
    if number not in state.opened:
        raise RequestError(f"{number} is of an earlier stop; ask for the scopes again")
    return state.opened[number]


def _variable(state: State, scope: ThreadScope, child: Child) -> dict[str, Any]:
    return {
        "name": child.name,
        "value": text_of_value(scope, child.value),
        "type": type_name(child.value),
        "evaluateName": child.expression,
        **_opening(state, scope, child.value, child.expression),
    }


def _opening(state: State, scope: ThreadScope, value: Value, expression: str) -> dict[str, Any]:
    if not can_open(value):
        return {"variablesReference": 0}
    elements = count_of(scope, value)
    number = state.open_number(Opened(scope, value, expression))
    return {"variablesReference": number, **({"indexedVariables": elements} if elements else {})}


def evaluate(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `evaluate`: the value of a C expression; in the console also what a command of the terminal prints."""
    scope, text = state.scope_of(arguments), arguments.text("expression")
    if text.startswith(COMMAND_SIGN) and arguments.text("context", "") == "repl":
        return _command(state, text[1:])
    try:
        value = parse_place(text)(scope)
    except EvaluationError as error:
        raise RequestError(str(error)) from None
    return {
        "result": text_of_value(scope, value),
        "type": type_name(value),
        **_opening(state, scope, value, text.strip()),
    }


def _command(state: State, line: str) -> dict[str, Any]:
    """A command of the terminal, typed into an editor's console; the editor is told if it moved."""
    debugger = state.needed()
    before, printed = (debugger.step, debugger.thread), list[str]()
    try:
        Console(debugger, printed.append, state.main_file()).execute(line)
    except OtherBlock as other:
        enter(state, other.block)
        Console(state.needed(), printed.append, state.main_file()).execute(line)
        return {"result": "\n".join(printed), "variablesReference": 0}
    if (debugger.step, debugger.thread) != before:
        state.later = lambda: state.moved(Stop(STEP))
    return {"result": "\n".join(printed), "variablesReference": 0}


def completions(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `completions`: names in scope that begin with the word before the cursor."""
    scope, text = state.scope_of(arguments), arguments.text("text")
    before = text[: max(arguments.integer("column") - state.first_column, 0)]
    word = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")) :]
    found = [name for name in scope.names() if name.startswith(word)][:MOST_COMPLETIONS]
    return {"targets": [{"label": name, "type": "variable", "length": len(word)} for name in found]}


def exception_info(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `exceptionInfo`: the fault, race or wrong write at the step where the debugger has stopped, in words."""
    debugger, thread = state.needed(), state.thread_of(arguments)
    mark = state.stop.mark if state.stop is not None else None
    if mark is None:
        mark = next((each for each in debugger.trace.marks if each.step == debugger.step), None)
    if mark is None:
        raise RequestError("nothing is wrong at this step")
    name = mark.kind.replace("_", " ")
    details = {"typeName": name, "message": mark.words}
    if thread != mark.thread and mark.thread >= 0:
        details["message"] += f" ({thread_name(debugger.trace, mark.thread)})"
    return {
        "exceptionId": name,
        "description": mark.words,
        "breakMode": "always" if mark.kind == FIRST_WRONG_WRITE else "unhandled",
        "details": details,
    }


def source(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `source`: the text of a recorded file, which need not be on disk."""
    number = arguments.object("source").integer("sourceReference", arguments.integer("sourceReference", 0))
    files = state.needed().trace.files
    if not 1 <= number <= len(files):
        raise RequestError(f"there is no source {number}")
    suffix = Path(files[number - 1].name).suffix
    kind = {"mimeType": "text/x-python"} if suffix == ".py" else {"mimeType": "text/x-c++src"}
    return {"content": "\n".join(files[number - 1].lines) + "\n", **kind}


def loaded_sources(state: State, _: Arguments) -> dict[str, Any]:
    """Answers `loadedSources`: the files whose lines were recorded."""
    return {"sources": [state.source(file) for file in range(len(state.needed().trace.files))]}
