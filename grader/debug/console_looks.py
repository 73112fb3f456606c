"""What the console shows of a position: the line, the stack, lanes, values, who wrote them."""

from __future__ import annotations

from pathlib import Path

from grader.debug.breakpoints import LINE, READ, READ_WRITE, WRITE
from grader.debug.c_types import Array, Struct, number_of, text_of
from grader.debug.debugger import Debugger
from grader.debug.expressions import parse_place
from grader.debug.scope import ThreadScope
from grader.debug.shown import can_open, children_of, count_of, text_of_value, type_name
from grader.debug.threads import dim3_text, thread_name
from grader.debug.values import EvaluationError
from grader.replay.model import AT_WORK, GLOBAL, GONE, LANES, READY, VARIABLE, WAITING, Frame
from grader.replay.trace import Trace

AROUND = 5
"""Lines listed to each side."""
MOST_OPENED, MOST_PLACES = 64, 4
SIGNS = {AT_WORK: "#", READY: "-", WAITING: "w", GONE: "."}


def position(debugger: Debugger) -> str:
    """The thread, the step, and the line it stands before."""
    stack = debugger.stack(debugger.thread)
    head = f"{debugger.name()}, {step_words(debugger)}"
    if not stack:
        return f"{head}: it did nothing"
    words = state_words(debugger, debugger.thread)
    return f"{head}{f', {words}' if words else ''}\n{_line(debugger, stack[0])}"


def state_words(debugger: Debugger, thread: int) -> str:
    """Why a thread does not go on: it has ended, or waits; "" for one that does."""
    trace, step = debugger.trace, max(debugger.step, 0)
    state = trace.state_of(thread, step)
    if state == WAITING:
        arrived = trace.waits_at(thread, step)
        return f"waits at the barrier in line {trace.steps.line[arrived]}" if arrived is not None else "waits"
    return "has ended" if state == GONE else ""


def step_words(debugger: Debugger) -> str:
    """Which step it stands before, counted from 1 as in a replay's page."""
    if debugger.at_end:
        return f"after all {len(debugger.trace):,} steps"
    return f"step {max(debugger.step, 0) + 1:,} of {len(debugger.trace):,}"


def _line(debugger: Debugger, frame: Frame) -> str:
    return f"{frame.line:5}  {text_of_line(debugger, frame.file, frame.line)}"


def text_of_line(debugger: Debugger, file: int, line: int) -> str:
    """The text of a line, "" for one that is not known."""
    files = debugger.trace.files
    lines = files[file].lines if 0 <= file < len(files) else ()
    return lines[line - 1] if 1 <= line <= len(lines) else ""


def stack(debugger: Debugger) -> str:
    """The functions that the thread is in, innermost first."""
    trace = debugger.trace
    lines = [debugger.name()]
    for at, frame in enumerate(debugger.stack(debugger.thread)):
        name = trace.functions[frame.function].name if frame.function >= 0 else "?"
        file = Path(trace.files[frame.file].name).name if 0 <= frame.file < len(trace.files) else "?"
        lines.append(f"  {at}  {name} at {file}:{frame.line}")
    return "\n".join(lines)


def listing(debugger: Debugger, line: int | None) -> str:
    """The source around a line, the thread's own if none is given; > is where it stands, * a breakpoint."""
    frames = debugger.stack(debugger.thread)
    file, here = (frames[0].file, frames[0].line) if frames else (0, 1)
    middle = line or here
    lines = debugger.trace.files[file].lines if 0 <= file < len(debugger.trace.files) else ()
    marked = {one.line for one in debugger.breakpoints.values() if one.kind == LINE and one.file == file}
    first, last = max(middle - AROUND, 1), min(middle + AROUND, len(lines))
    if first > last:
        raise EvaluationError(f"there is no line {middle}; the file has {len(lines)}")
    return "\n".join(
        f"{'>' if at == here else ' '}{'*' if at in marked else ' '}{at:4}  {lines[at - 1]}"
        for at in range(first, last + 1)
    )


def lanes(debugger: Debugger) -> str:
    """A strip of 32 for each warp in focus."""
    trace, step = debugger.trace, max(debugger.step, 0)
    lines = ["# at work in this step, - has its turn later, w waits at a barrier, . has ended"]
    warps: dict[int, list[int]] = {}
    for thread in debugger.threads():
        warps.setdefault(thread // LANES, []).append(thread)
    for warp, members in warps.items():
        strip = "".join(SIGNS[trace.state_of(thread, step)] for thread in members)
        block = dim3_text(trace.block_index(members[0]))
        name = f"block {block} warp {warp % trace.block_warps}"
        places = list(dict.fromkeys(_line_of(trace, step, thread) for thread in members))
        more = ", …" if len(places) > MOST_PLACES else ""
        shown = ", ".join(places[:MOST_PLACES]) + more
        lines.append(f"  {name}  {strip:{LANES}}  line{'s' if len(places) > 1 else ''} {shown}")
    return "\n".join(lines)


def _line_of(trace: Trace, step: int, thread: int) -> str:
    """The line at which a thread waits, or else stands."""
    waits = trace.waits_at(thread, step)
    if waits is not None:
        return str(trace.steps.line[waits])
    frames = trace.stack_at(step, thread)
    return str(frames[0].line) if frames else "?"


def printed(scope: ThreadScope, expression: str) -> str:
    """A value, with its type; an array or a structure with a line for each of its parts."""
    value = parse_place(expression)(scope)
    shown = text_of_value(scope, value)
    if not can_open(value) or not isinstance(value.type, (Struct, Array)):
        return f"{expression} = {shown} ({type_name(value)})"
    children = children_of(scope, value, expression, 0, MOST_OPENED)
    lines = [f"{expression} ({type_name(value)})"]
    lines += [f"  {one.name} = {text_of_value(scope, one.value)}" for one in children]
    if count_of(scope, value) > MOST_OPENED:
        lines.append(f"  … {count_of(scope, value) - MOST_OPENED:,} more")
    return "\n".join(lines)


def local_values(debugger: Debugger) -> str:
    """The variables in scope, one a line."""
    scope = debugger.scope()
    lines = []
    for name, number in scope.variables().items():
        value = debugger.memory.variable(number, debugger.thread)
        lines.append(f"  {name} = {text_of_value(scope, value)} ({type_name(value)})")
    return "\n".join(lines) or "  no variables are in scope here"


def writer(debugger: Debugger, expression: str) -> str:
    """Who wrote a value last, before this step, and which value."""
    value = parse_place(expression)(debugger.scope())
    if value.place is None or value.place.space == "built-in":
        raise EvaluationError(f"{expression[:40]} does not lie in memory; name a variable or an element, such as C[5]")
    place, trace = value.place, debugger.trace
    space = place.space
    owner = place.thread if space == VARIABLE or len(trace.blocks) > 1 else None
    found = trace.who_wrote(space, place.target, place.offset, max(debugger.step, 0), owner)
    if found is None:
        known = space == GLOBAL and not can_open(value) and text_of_value(debugger.scope(), value)
        before = f": it is {known} since before this launch" if known else ""
        return f"nobody has written {expression} before this step{before}"
    line = int(trace.steps.line[found.step])
    wrote = ""
    if found.size == value.type.size and not can_open(value):
        wrote = f" = {text_of(number_of(found.value, value.type), value.type)}"
    return f"{thread_name(trace, found.thread)} wrote {expression}{wrote} in line {line}, step {found.step + 1:,}"


def breakpoints(debugger: Debugger) -> str:
    """All breakpoints, one a line."""
    lines, accesses = [], {WRITE: "watch ", READ: "rwatch ", READ_WRITE: "awatch "}
    for number, one in debugger.breakpoints.items():
        condition = f" if {one.condition}" if one.condition else ""
        lines.append(
            f"  {number}  {accesses.get(one.access, '')}{one.words}{condition}{': ' + one.log if one.log else ''}"
        )
    return "\n".join(lines) or "  there are no breakpoints"
