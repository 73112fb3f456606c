"""The doctor's vocabulary: a part to look for, what was found of it, and how a part is missing.

It knows no part itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import KgradeError
from grader.store.workspace import Workspace


@dataclass(frozen=True)
class Part:
    """One row of the doctor's table. `required` parts must be there for any grading.

    `look` says what was found, as a version or a path; None leaves the row out, where this machine can't need
    the part. It raises Missing where nothing was found, and Misfit for what can't be used together.
    """

    name: str
    look: Callable[[Workspace], str | None]
    costs: str
    get: str
    required: bool = False


class Missing(Exception):
    """A part is not there. The message says what was seen instead, `get` what to type where that depends on it."""

    def __init__(self, found: str = "", get: str = "") -> None:
        super().__init__(found)
        self.get = get


class Misfit(Missing):
    """A part is there, and another one can't be used with it."""


@dataclass(frozen=True)
class Finding:
    """What the doctor saw of one part. `costs` and `get` are empty for a part that is there and `fits`."""

    name: str
    here: bool
    required: bool
    found: str
    costs: str = ""
    get: str = ""
    fits: bool = True


def look_for(part: Part, workspace: Workspace) -> Finding | None:
    """None where this machine can't need the part."""
    get, fits = part.get, True
    try:
        seen = part.look(workspace)
        return None if seen is None else Finding(part.name, True, part.required, seen)
    except Missing as missing:
        found, get, fits = str(missing), missing.get or get, not isinstance(missing, Misfit)
    except KgradeError as error:
        found, get = error.message, error.hint.removeprefix("type: ") or get
    except Exception as error:
        # A broken installation fails in any way it likes; what it said is what the person needs.
        found = f"{type(error).__name__}: {error}".splitlines()[0]
    return Finding(part.name, False, part.required, found or "not found", part.costs, get, fits)


def output_of(command: list[str]) -> str:
    """What a program prints. Raises Missing with the first line of what it said where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except subprocess.TimeoutExpired:
        raise Missing(f"{Path(command[0]).name} does not answer") from None
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).strip().splitlines()
        raise Missing(said[0] if said else f"{Path(command[0]).name} fails") from None
    return done.stdout
