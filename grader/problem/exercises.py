"""Exercises: faulty kernels of a problem, each with a story, to be mended with the smallest change.

An exercise NAME is `exercises/NAME.cu` in the problem's folder, the faulty text, and `exercises/NAME.toml` with
`title`, `story`, `expect` (what it is graded as, as worked files declare it), two `hints`, and `mend`: replacements of
`old` by `new` that make it right. The third hint is the judge's report.

Who begins an exercise gets the text with a comment above that names it; without that comment a submission is nobody's
mend, however near it comes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core import toml
from grader.core.errors import ProblemError
from grader.core.files import read_text_of_others

FOLDER = "exercises"
MARK = "// exercise: "
FIRST_LINES = 5
"""Lines in which the comment that names the exercise is looked for."""
KEYS = ("title", "story", "expect", "hints", "mend")
HINTS = 2
_HINT = "docs/practice.md shows the form"


@dataclass(frozen=True)
class Exercise:
    """A faulty text of the problem `problem`, and how its author mended it, each with the comment that names it."""

    problem: str
    name: str
    title: str
    story: str
    expect: str
    hints: tuple[str, ...]
    text: str
    mended: str
    file: Path

    @property
    def key(self) -> str:
        """What one types: "matmul/second-barrier"."""
        return f"{self.problem}/{self.name}"


def exercise_names(folder: Path) -> list[str]:
    """The names of a problem folder's exercises, sorted; nothing is read."""
    return sorted(path.stem for path in (folder / FOLDER).glob("*.toml"))


def file_of(folder: Path, name: str) -> Path:
    """The file with an exercise's faulty text."""
    return folder / FOLDER / f"{name}.cu"


def read_exercise(folder: Path, name: str) -> Exercise:
    """One exercise of a problem's folder. Raises ProblemError naming the file and the key."""
    source = file_of(folder, name)
    path = source.with_suffix(".toml")
    try:
        data = toml.loads(read_text_of_others(path))
        text = read_text_of_others(source)
    except (OSError, ValueError, RecursionError) as error:
        raise ProblemError(f"{path}: {error}", _HINT) from error
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ProblemError(f"{path}: its name has lower-case letters, digits and single hyphens only", _HINT)
    if set(data) != set(KEYS):
        raise ProblemError(f"{path}: it has {', '.join(data) or 'nothing'}; expected are {', '.join(KEYS)}", _HINT)
    title, story, expect = (_text(data, key, path) for key in KEYS[:3])
    # Lines of a paragraph are the author's; who shows them wraps anew.
    story = re.sub(r"(?<!\n)\n(?!\n)", " ", story)
    hints, mend = data["hints"], data["mend"]
    if not isinstance(hints, list) or len(hints) != HINTS or not all(isinstance(hint, str) for hint in hints):
        raise ProblemError(f"{path}: hints is {hints!r}; expected are {HINTS} texts", _HINT)
    if not isinstance(mend, list) or not mend:
        raise ProblemError(f"{path}: mend is {mend!r}; expected are tables with old and new", _HINT)
    mended = text
    for change in mend:
        old, new = (_text(change, key, path, empty=key == "new") for key in ("old", "new"))
        if mended.count(old) != 1:
            raise ProblemError(f"{path}: mend: {old!r} is {mended.count(old)} times in {source.name}; expected is once")
        mended = mended.replace(old, new)
    head = f"{MARK}{name}\n"
    return Exercise(folder.name, name, title, story, expect, tuple(hints), head + text, head + mended, source)


def named_exercise(text: str) -> str:
    """The exercise that a submission says to be a mend of; empty if it says none."""
    lines = (line.strip() for line in text.split("\n", FIRST_LINES)[:FIRST_LINES])
    return next((line.removeprefix(MARK).strip() for line in lines if line.startswith(MARK)), "")


def _text(data: object, key: str, path: Path, *, empty: bool = False) -> str:
    value: Any = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(value, str) or not (value.strip() or empty):
        raise ProblemError(f"{path}: {key} is {value!r}; expected is a text", _HINT)
    return value if empty or key == "old" else value.strip()
