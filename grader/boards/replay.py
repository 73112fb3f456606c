"""The part of a page that plays a recorded block: the packed trace, and what is said without a script."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from grader.boards.words import several, sizes, triple
from grader.replay.model import DEADLOCK, DEBUG, FAULT, FIRST_WRONG_WRITE, GLOBAL, RACE, SHARED, VARIABLE
from grader.replay.packing import pack
from grader.replay.trace import Trace

FAILURE, ACCESSES = "failure", "accesses"
"""What is played: how a block fails, or what a warp accesses."""


@dataclass(frozen=True)
class Button:
    """A button of the player: its name in the script, its text, what it does in full, and its key."""

    name: str
    text: str
    title: str
    key: str


_MOVES = (
    Button("start", "Start", "To the first step", "Home"),
    Button("back", "Back", "One step back", "ArrowLeft"),
    Button("step", "Step", "One step forward", "ArrowRight"),
    Button("line_back", "Previous line", "To the previous line of this thread", "p"),
    Button("line", "Next line", "To the next line of this thread", "n"),
    Button("barrier", "Next barrier", "To the next barrier that lets threads go", "b"),
)
_ACCESS = Button("access", "Next access", "To the next access of this warp", "a")
_MARKS = {
    FAULT: Button(FAULT, "The fault", "To the fault", "f"),
    FIRST_WRONG_WRITE: Button(FIRST_WRONG_WRITE, "First wrong write", "To the first wrong write", "w"),
    RACE: Button(RACE, "The race", "To the race", "r"),
    DEADLOCK: Button(DEADLOCK, "The deadlock", "To the deadlock", "d"),
}
_LAST = (Button("end", "End", "To the last step", "End"), Button("play", "Play", "Play, or stop", "k"))


@dataclass(frozen=True)
class ReplayView:
    """What the template `player.html` shows: sentences, buttons, and the packed trace.

    `ending` says the last step in words, for readers without JavaScript. Without steps `packed` is empty.
    """

    view: str
    title: str
    introduction: str
    causes: tuple[str, ...]
    remarks: tuple[str, ...]
    ending: str
    buttons: tuple[Button, ...]
    packed: str


def failure_view(trace: Trace) -> ReplayView:
    """The part of a failing report: "Watch it fail"."""
    build = "with its debug information" if trace.build == DEBUG else "as it was graded"
    introduction = f"{_subject(trace)}, step by step, built {build}. A step is one warp at one line."
    marks = {mark.kind: _MARKS[mark.kind] for mark in trace.marks if mark.step >= 0}
    buttons = (*_MOVES, *marks.values(), *_LAST)
    return _view(trace, FAILURE, "Watch it fail", introduction, buttons)


def accesses_view(trace: Trace) -> ReplayView:
    """The part of an explanation: a warp's accesses, moving over sectors and banks."""
    introduction = f"{_subject(trace)}. Each line's request, one after the other, for the warp of the chosen thread."
    buttons = (*_MOVES, _ACCESS, *_LAST)
    return _view(trace, ACCESSES, "Watch the accesses", introduction, buttons)


def _view(trace: Trace, view: str, title: str, introduction: str, buttons: tuple[Button, ...]) -> ReplayView:
    return ReplayView(
        view=view,
        title=title,
        introduction=introduction,
        causes=tuple(mark.words for mark in trace.marks),
        remarks=trace.remarks,
        ending=_ending(trace),
        buttons=buttons,
        packed=b64encode(pack(trace)).decode() if len(trace) else "",
    )


def _subject(trace: Trace) -> str:
    blocks = " and ".join(triple(block) for block in trace.blocks)
    noun = "Blocks" if len(trace.blocks) > 1 else "Block"
    given = sizes({**trace.sizes, **trace.scalars})
    return f"{noun} {blocks} of {trace.kernel}{f' with {given}' if given else ''}"


def _ending(trace: Trace) -> str:
    """The step of the first mark in words, else the last one."""
    if not len(trace):
        return "No step was recorded."
    step = next((mark.step for mark in trace.marks if mark.step >= 0), len(trace) - 1)
    steps = trace.steps
    lanes = int(steps.mask[step]).bit_count()
    line = int(steps.line[step])
    lines = trace.files[int(steps.file[step])].lines if trace.files else ()
    text = f": {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""
    done = ", ".join(_done(trace, step))
    where = (
        f"Step {step + 1:,} of {len(trace):,}: {several(lanes, 'lane')} of warp {steps.warp[step]} at line {line}{text}"
    )
    return f"{where} – {done}." if done else f"{where}."


def _done(trace: Trace, step: int) -> Iterator[str]:
    """What the step's lanes read and wrote of arrays, by array."""
    arrays = {
        SHARED: [array.name for array in trace.shared],
        GLOBAL: [array.name for array in trace.arrays],
        VARIABLE: [],
    }
    for word, accesses in (("reads", trace.reads_in(step)), ("writes", trace.writes_in(step))):
        names = [arrays[each.space][each.target] for each in accesses if arrays[each.space]]
        for name in dict.fromkeys(names):
            yield f"{word} {several(names.count(name), 'element')} of {name}"
