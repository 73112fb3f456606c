"""The debugger's commands as words: step, back, break 12 if k == 3, watch C[5], print sum. For terminals and consoles.

Each command is a row of COMMANDS: what it does, what it takes, what it is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from grader.debug import console_looks as looks
from grader.debug.breakpoints import READ, READ_WRITE, WRITE, Breakpoint
from grader.debug.code_lines import line_to_break
from grader.debug.debugger import END, STEP, Debugger, Stop
from grader.debug.expressions import parse_place
from grader.debug.messages import check_message
from grader.debug.threads import Focus, find_thread, parse_index
from grader.debug.values import EvaluationError
from grader.replay.model import GLOBAL, SHARED, VARIABLE

MOST_TIMES = 1_000_000
_CONDITION = re.compile(r"(.*?)\s+if\s+(.+)", re.DOTALL)
_THREAD = re.compile(r"(.*?)\s*\bblock\b\s*(.+)", re.DOTALL)


class Console:
    """Carries out one command after the other, and prints to `write`, a line at a time."""

    def __init__(self, debugger: Debugger, write: Callable[[str], None], main_file: int = 0) -> None:
        self.debugger, self.write, self.main_file = debugger, write, main_file

    def execute(self, line: str) -> None:
        """Carries out one command. Raises EvaluationError with what to type instead."""
        word, _, rest = line.strip().partition(" ")
        found = COMMANDS.get(ALIASES.get(word, word))
        if found is None:
            near = get_close_matches(word, COMMANDS, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise EvaluationError(f"{word[:40]} is no command; {hint}help lists all")
        rest = rest.strip()
        if rest and not found.takes:
            raise EvaluationError(f"{word} takes nothing after it; here is {rest[:40]}")
        found.run(self, rest)

    def show_stop(self, stop: Stop) -> None:
        """Prints why it stopped, and the line."""
        if stop.words:
            self.write(stop.words)
        self.write(looks.position(self.debugger))


@dataclass(frozen=True)
class Command:
    """What a word does; `takes` and `words` are for help."""

    run: Callable[[Console, str], None]
    takes: str
    words: str


def _moving(way: Callable[[Debugger], Stop]) -> Callable[[Console, str], None]:
    """A command that steps once, or as often as a number says, and shows where that leads."""

    def move(console: Console, rest: str) -> None:
        stop = Stop(STEP)
        for _ in range(_times(rest)):
            stop = way(console.debugger)
            if stop.reason != STEP:
                break
        console.show_stop(stop)

    return move


def _times(rest: str) -> int:
    if not rest:
        return 1
    if not rest.isascii() or not rest.isdigit() or len(rest) > 7 or not 1 <= int(rest) <= MOST_TIMES:
        raise EvaluationError(f"{rest[:40]} is not how often; a number from 1 to {MOST_TIMES:,} is expected")
    return int(rest)


def _runs(way: Callable[[Debugger], Stop]) -> Callable[[Console, str], None]:
    return lambda console, _: console.show_stop(way(console.debugger))


def _barrier(console: Console, _: str) -> None:
    debugger = console.debugger
    found = debugger.trace.next_barrier(debugger.step)
    if found is None:
        raise EvaluationError("no barrier lets its threads go after this step")
    debugger.step = found + 1
    console.show_stop(Stop(END, "all threads of this barrier have arrived"))


def _goto(console: Console, rest: str) -> None:
    last = len(console.debugger.trace)
    if not rest.isascii() or not rest.isdigit() or len(rest) > 9 or not 1 <= int(rest) <= last:
        raise EvaluationError(f"{rest[:40] or 'nothing'} is no step; a number from 1 to {last} is expected")
    console.debugger.step = int(rest) - 1
    console.show_stop(Stop(STEP))


def _break(console: Console, rest: str) -> None:
    debugger = console.debugger
    where, condition = _split_condition(rest)
    if where.isascii() and where.isdigit() and len(where) < 8:
        found = line_to_break(debugger.trace, console.main_file, int(where))
        if found is None:
            raise EvaluationError(f"no recorded thread reaches line {where}")
        if found != int(where):
            console.write(f"no thread stops in line {int(where)}; the next one is line {found}")
        _added(console, debugger.break_at(console.main_file, found, condition))
    elif where:
        _added(console, debugger.break_in(where, condition))
    else:
        raise EvaluationError("a line or a function is expected, such as break 12 or break 12 if k == 3")


def _log(console: Console, rest: str) -> None:
    line, _, text = rest.partition(" ")
    if not line.isascii() or not line.isdigit() or len(line) > 7 or not text.strip():
        raise EvaluationError("a line and a message are expected, such as log 12 k={k} sum={sum}")
    check_message(text)
    found = line_to_break(console.debugger.trace, console.main_file, int(line))
    if found is None:
        raise EvaluationError(f"no recorded thread reaches line {line}")
    _added(console, console.debugger.break_at(console.main_file, found, log=text.strip()))


def _watch(access: str) -> Callable[[Console, str], None]:
    def watch(console: Console, rest: str) -> None:
        debugger = console.debugger
        name, condition = _split_condition(rest)
        value = parse_place(name)(debugger.scope())
        if value.place is None or value.place.space not in (VARIABLE, SHARED, GLOBAL):
            raise EvaluationError(
                f"{name[:40]} does not lie in memory; watched can be a variable or an element as C[5]"
            )
        if value.place.space == VARIABLE and access != WRITE:
            raise EvaluationError(f"reads of a thread's own variables are not recorded; type watch {name[:40]}")
        _added(console, debugger.watch(value.place, value.type.size, name, access, condition))

    return watch


def _split_condition(rest: str) -> tuple[str, str]:
    found = _CONDITION.fullmatch(rest)
    return (found[1].strip(), found[2]) if found else (rest.strip(), "")


def _added(console: Console, one: Breakpoint) -> None:
    often = f"{len(one.steps):,} step" + "s" * (len(one.steps) != 1)
    console.write(f"breakpoint {one.number}: {one.words}, in {often}")


def _delete(console: Console, rest: str) -> None:
    known = console.debugger.breakpoints
    if not rest.isascii() or not rest.isdigit() or len(rest) > 9 or int(rest) not in known:
        numbers = ", ".join(map(str, known)) or "none"
        raise EvaluationError(f"{rest[:40] or 'nothing'} is no breakpoint; there are: {numbers}")
    console.debugger.remove([int(rest)])
    console.write(f"breakpoint {int(rest)} is gone")


def _print(console: Console, rest: str) -> None:
    console.write(looks.printed(console.debugger.scope(), rest))


def _who(console: Console, rest: str) -> None:
    console.write(looks.writer(console.debugger, rest))


def _thread(console: Console, rest: str) -> None:
    debugger = console.debugger
    found = _THREAD.fullmatch(rest)
    index, block = (found[1], parse_index(found[2])) if found else (rest, None)
    if rest:
        if block is None:
            block = debugger.trace.block_index(debugger.thread)
        thread = find_thread(debugger.trace, parse_index(index), block)
        if not debugger.is_in_focus(thread):
            raise EvaluationError(f"the focus is on {debugger.focus.words()}; focus all lifts it")
        debugger.thread = thread
    console.write(looks.position(debugger))


def _focus(console: Console, rest: str) -> None:
    words = rest.split()
    if words == ["all"]:
        console.debugger.narrow(Focus())
    elif words:
        console.debugger.narrow(_parse_focus(words))
    console.write(f"focus: {console.debugger.focus.words()}")


def _parse_focus(words: list[str]) -> Focus:
    expected = "expected is such as focus warp 1, focus block 2,0 warp 1 lane 3, or focus all"
    if len(words) % 2:
        raise EvaluationError(f"{' '.join(words)[:60]} is no focus; {expected}")
    given: dict[str, int] = {}
    block = None
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "block":
            block = parse_index(value)
        elif name in ("warp", "lane") and value.isascii() and value.isdigit() and len(value) < 10:
            given[name] = int(value)
        else:
            raise EvaluationError(f"{name[:20]} {value[:20]} is no focus; {expected}")
    return Focus(block, given.get("warp"), given.get("lane"))


def _looks(text: Callable[[Debugger], str]) -> Callable[[Console, str], None]:
    return lambda console, _: console.write(text(console.debugger))


def _list(console: Console, rest: str) -> None:
    if rest and (not rest.isascii() or not rest.isdigit() or len(rest) > 7):
        raise EvaluationError(f"{rest[:40]} is no line; a number is expected, as in list 12")
    console.write(looks.listing(console.debugger, int(rest) if rest else None))


def _help(console: Console, rest: str) -> None:
    if rest and rest not in COMMANDS:
        raise EvaluationError(f"{rest[:40]} is no command; help lists all")
    shortened = {name: alias for alias, name in ALIASES.items()}
    for name, one in COMMANDS.items():
        if rest in ("", name):
            usage = f"{name} {one.takes}".strip() + (f" ({shortened[name]})" if name in shortened else "")
            console.write(f"  {usage:32} {one.words}")


COMMANDS: dict[str, Command] = {
    "step": Command(_moving(Debugger.step_in), "[TIMES]", "the thread's next line, into functions too"),
    "next": Command(_moving(Debugger.step_over), "[TIMES]", "the thread's next line, over calls"),
    "out": Command(_moving(Debugger.step_out), "[TIMES]", "on to the caller"),
    "back": Command(_moving(Debugger.step_back), "[TIMES]", "the thread's line before"),
    "continue": Command(_runs(Debugger.run), "", "on to the next breakpoint or fault, of any thread"),
    "rcontinue": Command(_runs(Debugger.run_back), "", "back to the last breakpoint or fault"),
    "barrier": Command(_barrier, "", "on to the next barrier that all have reached"),
    "goto": Command(_goto, "STEP", "to a step by its number"),
    "break": Command(_break, "LINE|FUNCTION [if COND]", "stop there, if a condition holds"),
    "watch": Command(_watch(WRITE), "EXPR [if COND]", "stop where it is written, such as watch C[5]"),
    "rwatch": Command(_watch(READ), "EXPR [if COND]", "stop where it is read"),
    "awatch": Command(_watch(READ_WRITE), "EXPR [if COND]", "stop where it is read or written"),
    "log": Command(_log, "LINE TEXT", "print there, such as log 12 k={k}"),
    "breakpoints": Command(_looks(looks.breakpoints), "", "list breakpoints, by number"),
    "delete": Command(_delete, "NUMBER", "remove a breakpoint"),
    "print": Command(_print, "EXPR", "the value of a C expression"),
    "locals": Command(_looks(looks.local_values), "", "the variables of the function"),
    "who": Command(_who, "EXPR", "who wrote it last, such as who C[5]"),
    "where": Command(_looks(looks.stack), "", "the thread's stack"),
    "list": Command(_list, "[LINE]", "the source around the line"),
    "lanes": Command(_looks(looks.lanes), "", "what the lanes of each warp do"),
    "thread": Command(_thread, "[X,Y,Z] [block X,Y,Z]", "look at another thread"),
    "focus": Command(_focus, "[block B] [warp W] [lane L]", "attend to these threads only; focus all lifts it"),
    "help": Command(_help, "[COMMAND]", "this list"),
}
ALIASES = {
    "finish": "out",
    "bt": "where",
    "rc": "rcontinue",
    "s": "step",
    "n": "next",
    "c": "continue",
    "b": "break",
    "p": "print",
    "l": "list",
    "t": "thread",
}
