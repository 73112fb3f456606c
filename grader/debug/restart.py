"""Carries breakpoints over to a new recording, whose file may have been changed in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.debug.breakpoints import DATA, READ_WRITE, Breakpoint, access_steps, function_steps, line_steps
from grader.debug.debugger import Debugger
from grader.debug.values import EvaluationError, Place
from grader.replay.model import GLOBAL, SHARED
from grader.replay.trace import Trace


def restarted(old: Debugger, trace: Trace) -> tuple[Debugger, list[Breakpoint]]:
    """A debugger of the new Trace with the old one's breakpoints and focus, and the breakpoints that fit no more."""
    new = Debugger(trace, old.log, filters=old.filters)
    try:
        new.narrow(old.focus)
    except EvaluationError:
        old.log("the focus is on all threads again: another block was recorded")
    if old.thread in trace.threads() and new.focus.has(trace, old.thread):
        new.thread = old.thread
    dropped = []
    for one in old.breakpoints.values():
        threads, place = _threads(old, new, one)
        new.adopt(_moved(one, new, threads, place))
        if not threads:
            dropped.append(one)
    return new, dropped


def _moved(one: Breakpoint, new: Debugger, threads: dict[int, tuple[int, ...]], place: Place | None) -> Breakpoint:
    """The same breakpoint in another recording."""
    return replace(
        one, memory=new.memory, threads=threads, allowed=new.is_in_focus, place=place, _hits={}, _ordinals={}
    )


def _threads(old: Debugger, new: Debugger, one: Breakpoint) -> tuple[dict[int, tuple[int, ...]], Place | None]:
    if one.kind == DATA and one.place is not None:
        place = _place(old, new, one.place)
        access = one.access or READ_WRITE
        return ({} if place is None else access_steps(new.memory, place, one.size, access)), place
    if one.line:
        file = _index([file.name for file in new.trace.files], old.trace.files[one.file].name)
        return ({} if file is None else line_steps(new.memory, file, one.line)), None
    functions = [at for at, each in enumerate(new.trace.functions) if one.words in (each.name, each.name.split("(")[0])]
    return function_steps(new.memory, functions), None


def _place(old: Debugger, new: Debugger, place: Place) -> Place | None:
    """The same offset in the variable or array of the same name."""

    def names(trace: Trace) -> list[str]:
        known: Sequence[object] = {SHARED: trace.shared, GLOBAL: trace.arrays}.get(place.space, trace.variables)
        return [str(getattr(each, "name", "")) for each in known]

    target = _index(names(new.trace), names(old.trace)[place.target])
    return None if target is None else Place(place.space, target, place.offset, place.thread)


def _index(names: list[str], name: str) -> int | None:
    return names.index(name) if name in names else None
