"""Requests that set breakpoints: on lines, functions, data, and what is marked as a fault."""

from __future__ import annotations

import re
from typing import Any

from grader.debug.arguments import Arguments, RequestError
from grader.debug.breakpoints import DATA, LINE, READ, READ_WRITE, WRITE, Breakpoint
from grader.debug.code_lines import line_to_break
from grader.debug.debugger import FILTERS, Debugger
from grader.debug.expressions import parse_place
from grader.debug.looking import children
from grader.debug.messages import check_message
from grader.debug.state import State
from grader.debug.values import EvaluationError, Place
from grader.replay.model import GLOBAL, SHARED, VARIABLE

MOST_BREAKPOINTS = 1000
_DATA = re.compile(
    rf"({VARIABLE}|{SHARED}|{GLOBAL}):(\d{{1,9}}):(\d{{1,15}}):(\d{{1,9}}):(\d{{1,9}}):(.{{1,200}})", re.S
)
LARGEST_WATCHED = 1 << 20


def set_breakpoints(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `setBreakpoints`: replaces the breakpoints at lines of a file."""
    debugger, source = state.needed(), arguments.object("source")
    wanted = _limited(arguments.objects("breakpoints"))
    file = state.file_of(source)
    debugger.remove(
        [n for n, one in debugger.breakpoints.items() if one.kind == LINE and one.file == file and one.line]
    )
    return {"breakpoints": [_line(state, debugger, file, one) for one in wanted]}


def _line(state: State, debugger: Debugger, file: int | None, wanted: Arguments) -> dict[str, Any]:
    line = wanted.integer("line") - state.first_line + 1
    if file is None:
        return {"verified": False, "message": "this file is not part of what is debugged"}
    found = line_to_break(debugger.trace, file, line)
    if found is None:
        return {"verified": False, "message": "no recorded thread reaches this line"}
    condition, count = wanted.text("condition", ""), wanted.text("hitCondition", "")
    log = wanted.text("logMessage", "")
    try:
        check_message(log)
        one = debugger.break_at(file, found, condition, count, log)
    except EvaluationError as error:
        return {"verified": False, "message": str(error)}
    return _told(state, one)


def set_function_breakpoints(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `setFunctionBreakpoints`: replaces the breakpoints at functions' first lines."""
    debugger = state.needed()
    wanted = _limited(arguments.objects("breakpoints"))
    debugger.remove([n for n, one in debugger.breakpoints.items() if one.kind == LINE and not one.line])
    return {"breakpoints": [_function(state, debugger, one) for one in wanted]}


def _function(state: State, debugger: Debugger, wanted: Arguments) -> dict[str, Any]:
    try:
        one = debugger.break_in(wanted.text("name"), wanted.text("condition", ""), wanted.text("hitCondition", ""))
    except EvaluationError as error:
        return {"verified": False, "message": str(error)}
    return {"id": one.number, "verified": True}


def _told(state: State, one: Breakpoint) -> dict[str, Any]:
    told = {"id": one.number, "verified": True, "line": one.line - 1 + state.first_line}
    return told | {"source": state.source(one.file)}


def breakpoint_locations(state: State, arguments: Arguments) -> dict[str, Any]:
    """The lines of a range that a recorded thread ran."""
    trace, file = state.needed().trace, state.file_of(arguments.object("source"))
    first = arguments.integer("line")
    last = min(arguments.integer("endLine", first), first + 10_000)
    shift = state.first_line - 1
    lines = set(trace.steps.line[trace.steps.file == file].tolist()) if file is not None else set()
    return {"breakpoints": [{"line": line} for line in range(first, last + 1) if line - shift in lines]}


def data_breakpoint_info(state: State, arguments: Arguments) -> dict[str, Any]:
    """Whether a variable or an element can be watched, and the name to watch it by."""
    scope, name = state.scope_of(arguments), arguments.text("name")
    try:
        if number := arguments.integer("variablesReference", 0):
            if number not in state.opened:
                raise RequestError(f"{number} is of an earlier stop; ask for the scopes again")
            opened = state.opened[number]
            scope = opened.scope
            found = next((child for child in children(opened) if child.name == name), None)
            value = parse_place(name)(scope) if found is None else found.value
            name = name if found is None else found.expression
        else:
            value = parse_place(name)(scope)
    except EvaluationError as error:
        return {"dataId": None, "description": str(error)}
    place = value.place
    if place is None or place.space not in (VARIABLE, SHARED, GLOBAL):
        return {"dataId": None, "description": f"{name} is computed; watched can be what lies in memory, such as C[5]"}
    size = min(value.type.size, LARGEST_WATCHED)
    # Reads of a thread's own variables are not recorded.
    accesses = [WRITE] if place.space == VARIABLE else [READ, WRITE, READ_WRITE]
    return {
        "dataId": f"{place.space}:{place.target}:{place.offset}:{size}:{place.thread}:{name[:200]}",
        "description": name,
        "accessTypes": accesses,
        "canPersist": False,
    }


def set_data_breakpoints(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `setDataBreakpoints`: replaces all elements of arrays and shared memory that are watched."""
    debugger = state.needed()
    wanted = _limited(arguments.objects("breakpoints"))
    debugger.remove([number for number, one in debugger.breakpoints.items() if one.kind == DATA])
    return {"breakpoints": [_data(debugger, one) for one in wanted]}


def _data(debugger: Debugger, wanted: Arguments) -> dict[str, Any]:
    found = _DATA.fullmatch(wanted.text("dataId"))
    access = wanted.text("accessType", WRITE)
    if found is None or access not in (READ, WRITE, READ_WRITE):
        return {"verified": False, "message": "this is not what dataBreakpointInfo answered; ask it again"}
    place = Place(found[1], int(found[2]), int(found[3]), int(found[5]))
    trace = debugger.trace
    known = {VARIABLE: trace.variables, SHARED: trace.shared, GLOBAL: trace.arrays}[place.space]
    if place.target >= len(known) or int(found[4]) > LARGEST_WATCHED:
        return {
            "verified": False,
            "message": "there is no such variable in this recording; ask dataBreakpointInfo again",
        }
    try:
        one = debugger.watch(
            *(place, int(found[4]), found[6], access), wanted.text("condition", ""), wanted.text("hitCondition", "")
        )
    except EvaluationError as error:
        return {"verified": False, "message": str(error)}
    return {"id": one.number, "verified": True}


def set_exception_breakpoints(state: State, arguments: Arguments) -> dict[str, Any]:
    """Answers `setExceptionBreakpoints`: chooses which kinds of marks (faults, races, …) stop a run."""
    filters = arguments.texts("filters")
    unknown = [name for name in filters if name not in FILTERS]
    if unknown:
        raise RequestError(f"there is no filter {unknown[0][:40]!r}; there are {', '.join(FILTERS)}")
    state.needed().filters = tuple(dict.fromkeys(filters))
    return {"breakpoints": [{"verified": True} for _ in filters]}


def _limited(wanted: list[Arguments]) -> list[Arguments]:
    if len(wanted) > MOST_BREAKPOINTS:
        raise RequestError(f"{len(wanted)} breakpoints in one request; {MOST_BREAKPOINTS} is the most")
    return wanted
