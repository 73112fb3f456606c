"""Tracks: ordered ways through the problems, each step with the reason why it comes next.

They stand in the file `tracks.toml` of a folder of problems, as tables `[[track]]` with `name`, `title`, `about` and
`steps`, a list of tables with `problem` and `why`, or `exercise` and `why`, where an exercise is PROBLEM/NAME. A
problem may be a step of several tracks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core import toml
from grader.core.errors import ProblemError
from grader.core.files import read_text_of_others

FILE = "tracks.toml"
DIFFICULTIES = ("easy", "medium", "hard")
_HINT = "docs/practice.md shows the form"


@dataclass(frozen=True)
class Step:
    """A problem of a track, or an exercise of that problem, and in one sentence why it comes there."""

    problem: str
    why: str
    exercise: str = ""

    @property
    def key(self) -> str:
        """The problem's name, or PROBLEM/NAME of the exercise."""
        return f"{self.problem}/{self.exercise}" if self.exercise else self.problem


@dataclass(frozen=True)
class Track:
    """A way through some problems. `name` is what one types."""

    name: str
    title: str
    about: str
    steps: tuple[Step, ...]

    def solved(self, solved: Collection[str]) -> int:
        """How many of its steps are among these problems and exercises."""
        return sum(step.key in solved for step in self.steps)


def find_tracks(roots: Sequence[Path], problems: Collection[str]) -> tuple[Track, ...]:
    """The tracks of the first root that has some, without the steps whose problems are not among these.

    Raises ProblemError for a file that can't be read.
    """
    path = next((root / FILE for root in roots if (root / FILE).is_file()), None)
    if path is None:
        return ()
    tracks = [
        Track(track.name, track.title, track.about, tuple(step for step in track.steps if step.problem in problems))
        for track in read_tracks(path)
    ]
    return tuple(track for track in tracks if track.steps)


def read_tracks(path: Path) -> tuple[Track, ...]:
    """The tracks in this file. Raises ProblemError naming the file, the track and the key."""
    try:
        data = toml.loads(read_text_of_others(path))
    except (OSError, ValueError, RecursionError) as error:
        raise ProblemError(f"{path}: {error}", _HINT) from error
    tables = data.get("track")
    if set(data) != {"track"} or not isinstance(tables, list):
        raise ProblemError(f"{path}: it has {_words(data)}; expected are tables [[track]] alone", _HINT)
    tracks = tuple(_track(table, f"{path}: track {number}") for number, table in enumerate(tables, 1))
    names = [track.name for track in tracks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProblemError(f"{path}: two tracks have the name {twice!r}", "give one of them another name")
    return tracks


def next_step(tracks: Sequence[Track], solved: Collection[str], after: str = "") -> tuple[Track, Step] | None:
    """The first step that is not solved yet: of a track with the step `after`, else of the first unfinished track.

    In a track with `after` the steps that follow it come before those that were left out.
    """
    for track in sorted(tracks, key=lambda track: after not in [step.key for step in track.steps]):
        keys = [step.key for step in track.steps]
        start = keys.index(after) if after in keys else 0
        for step in (*track.steps[start:], *track.steps[:start]):
            if step.key not in solved:
                return track, step
    return None


def sort_key(tracks: Sequence[Track], name: str, difficulty: str) -> tuple[int, int, int, str]:
    """Sorts problems by the first track with them, then by their place there; others last, the easy ones first."""
    for number, track in enumerate(tracks):
        for place, step in enumerate(track.steps):
            if step.key == name:
                return number, place, 0, name
    hardness = DIFFICULTIES.index(difficulty) if difficulty in DIFFICULTIES else len(DIFFICULTIES)
    return len(tracks), 0, hardness, name


def _track(table: object, place: str) -> Track:
    name, title, about = (_text(table, key, place) for key in ("name", "title", "about"))
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ProblemError(f"{place}: name is {name!r}; it has lower-case letters, digits and single hyphens", _HINT)
    assert isinstance(table, Mapping)
    steps = table.get("steps")
    if set(table) != {"name", "title", "about", "steps"} or not isinstance(steps, list) or not steps:
        raise ProblemError(f"{place}: it has {_words(table)}; expected are name, title, about and steps", _HINT)
    places = [f"{place}, step {number}" for number in range(1, len(steps) + 1)]
    read = tuple(_step(step, at) for step, at in zip(steps, places, strict=True))
    return Track(name, title, about, read)


def _step(table: object, place: str) -> Step:
    if isinstance(table, Mapping) and "exercise" in table:
        problem, slash, exercise = _text(table, "exercise", place).partition("/")
        if not slash or "problem" in table:
            raise ProblemError(f'{place}: it has {_words(table)}; expected is exercise = "PROBLEM/NAME"', _HINT)
        return Step(problem, _text(table, "why", place), exercise)
    return Step(_text(table, "problem", place), _text(table, "why", place))


def _text(table: object, key: str, place: str) -> str:
    value: Any = table.get(key) if isinstance(table, Mapping) else None
    if not isinstance(value, str) or not value.strip():
        raise ProblemError(f"{place}: {key} is {value!r}; expected is a text", _HINT)
    return value.strip()


def _words(data: Mapping[str, object]) -> str:
    return ", ".join(data) or "nothing"
