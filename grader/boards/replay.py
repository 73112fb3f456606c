"""The part of a page that plays a recorded block: its title and its buttons. The script player.js does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.core.report import Replay

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
    "fault": Button("fault", "The fault", "To the fault", "f"),
    "first_wrong_write": Button("first_wrong_write", "First wrong write", "To the first wrong write", "w"),
    "race": Button("race", "The race", "To the race", "r"),
    "deadlock": Button("deadlock", "The deadlock", "To the deadlock", "d"),
}
_LAST = (Button("end", "End", "To the last step", "End"), Button("play", "Play", "Play, or stop", "k"))


@dataclass(frozen=True)
class ReplayView:
    """What the template `player.html` shows; `widths` are bytes of a lane's access by line, where they are known."""

    view: str
    title: str
    introduction: str
    replay: Replay
    buttons: tuple[Button, ...]
    widths: Mapping[int, int] = field(default_factory=dict)


def failure_view(replay: Replay) -> ReplayView:
    """The part of a failing report: "Watch it fail"."""
    introduction = f"{replay.subject}, step by step. A step is one warp at one line."
    marks = tuple(_MARKS[kind] for kind in replay.marks if kind in _MARKS)
    return ReplayView(FAILURE, "Watch it fail", introduction, replay, (*_MOVES, *marks, *_LAST))


def accesses_view(replay: Replay, widths: Mapping[int, int]) -> ReplayView:
    """The part of an explanation: a warp's accesses, moving over sectors and banks."""
    introduction = (
        f"{replay.subject}. What each line of the chosen thread's warp reads and writes, one after the other."
    )
    return ReplayView(ACCESSES, "Watch the accesses", introduction, replay, (*_MOVES, _ACCESS, *_LAST), widths)
