"""The doctor's vocabulary: a part to look for, the finding, and the ways in which a part is missing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import KgradeError
from grader.store.workspace import Workspace


@dataclass(frozen=True)
class Part:
    """One row of the doctor's table. `required` parts are needed for any grading.

    `look` returns what was found, such as a version or a path, or None to leave the row out if this machine can't need
    the part. It raises Missing if nothing was found, and Misfit if parts can't be used together.
    """

    name: str
    look: Callable[[Workspace], str | None]
    costs: str
    get: str
    required: bool = False


class Missing(Exception):
    """A part is missing. The message says what was found instead; `get` says what to type, if that depends on it."""

    def __init__(self, found: str = "", get: str = "") -> None:
        super().__init__(found)
        self.get = get


class Misfit(Missing):
    """A part is here, but does not fit another one."""


@dataclass(frozen=True)
class Finding:
    """The doctor's finding on one part. `costs` and `get` are empty for a part that is here and `fits`."""

    name: str
    here: bool
    required: bool
    found: str
    costs: str = ""
    get: str = ""
    fits: bool = True


def look_for(part: Part, workspace: Workspace) -> Finding | None:
    """Looks for a part; returns None if this machine can't need it."""
    get, fits = part.get, True
    try:
        seen = part.look(workspace)
        return None if seen is None else Finding(part.name, True, part.required, seen)
    except Missing as missing:
        found, get, fits = str(missing), missing.get or get, not isinstance(missing, Misfit)
    except KgradeError as error:
        found, get = error.message, error.hint.removeprefix("type: ") or get
    except Exception as error:
        # A broken installation may fail in any way; the user needs its message.
        found = f"{type(error).__name__}: {error}".splitlines()[0]
    return Finding(part.name, False, part.required, found or "not found", part.costs, get, fits)


def output_of(command: list[str]) -> str:
    """The output of a program. Raises Missing with the first line of its output if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except subprocess.TimeoutExpired:
        raise Missing(f"{Path(command[0]).name} does not answer") from None
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).strip().splitlines()
        raise Missing(said[0] if said else f"{Path(command[0]).name} fails") from None
    return done.stdout
