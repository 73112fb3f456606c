"""The workspace: the folders of problems, submissions and templates on this machine.

It finds paths; loading problems and opening the database are left to others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from grader.core.errors import ProblemError, UsageError, WorkspaceError
from grader.core.paths import others_at

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.problem.tracks import Track

_PACKAGE = Path(__file__).resolve().parents[1]
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
"""A name that a problem's folder may have: what somebody else typed may be longer than a path can be."""

_SHOWN = 80
"""Characters of a name that no problem has."""


def builtin_folder(name: str) -> Path:
    """The folder `problems` or `templates` that comes with kgrade.

    It is inside an installed package, or at the top of the repository in a checkout.
    """
    packaged = _PACKAGE / "builtin" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


@dataclass(frozen=True)
class Workspace:
    """A folder with `problems/` and `submissions/`, and optionally `templates/`."""

    root: Path

    @property
    def problem_roots(self) -> tuple[Path, ...]:
        """Folders of problem folders; a problem in an earlier one hides its namesake in a later one."""
        return _existing(self.root / "problems", builtin_folder("problems"))

    @property
    def template_folders(self) -> tuple[Path, ...]:
        """Folders of page templates, the workspace's own before those of kgrade."""
        return _existing(self.root / "templates", builtin_folder("templates"))

    @property
    def submissions(self) -> Path:
        return self.root / "submissions"

    @property
    def database(self) -> Path:
        return self.submissions / "kgrade.db"

    @property
    def reports(self) -> Path:
        return self.submissions / "reports"

    def report_page(self, number: int) -> Path:
        """Path of the report page of submission `number`."""
        return self.reports / f"{number}.html"

    def folder_of(self, name: str) -> Path | None:
        """The folder of the problem `name`, found without loading anything; None if there is none."""
        if not _NAME.fullmatch(name):
            return None
        folders = (root / name for root in self.problem_roots)
        return next((folder for folder in folders if (folder / "problem.py").is_file()), None)

    @cached_property
    def problems(self) -> Mapping[str, Path]:
        """Folders of the problems, by name."""
        from grader.problem import find_problems

        return find_problems(self.problem_roots)

    @cached_property
    def tracks(self) -> tuple[Track, ...]:
        """The ways through its problems: the workspace's own if it has some. Raises ProblemError."""
        from grader.problem.tracks import find_tracks

        return find_tracks(self.problem_roots, self.problems)

    def load(self, name: str) -> Problem:
        """Loads the problem `name`. Raises UsageError if there is none, ProblemError if its folder has a mistake."""
        from grader.problem import load_problem

        self.check_name(name)
        return load_problem(self.problems[name])

    def load_all(self) -> tuple[list[Problem], list[ProblemError]]:
        """Returns all problems that load, sorted by name, and the errors of the others."""
        from grader.problem import load_problem

        loaded, mistakes = [], []
        for folder in self.problems.values():
            try:
                loaded.append(load_problem(folder))
            except ProblemError as mistake:  # noqa: PERF203 (one faulty folder must not hide the others)
                mistakes.append(mistake)
        return loaded, mistakes

    def check_name(self, name: str) -> None:
        """Raises UsageError, suggesting the nearest name, if there is no problem `name`."""
        if name in self.problems:
            return
        close = get_close_matches(name[:_SHOWN].lower(), self.problems, n=1, cutoff=0.5)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
        raise UsageError(f"there is no problem '{shown}'.{guess}", "type: kgrade list")


def find_workspace(named: str | None = None, start: Path | None = None) -> Workspace:
    """The workspace in the folder `named`, else the nearest one at or above `start`, else the user's own.

    `start` defaults to the working directory. Raises WorkspaceError if the named folder is no workspace, or if the one
    that was found can be written by others: their problem.py would run as this user, who may know of none.
    """
    if named:
        root = Path(named).expanduser().absolute()
        if not root.is_dir():
            raise WorkspaceError(f"the workspace {root} is not a folder", f"make it with: kgrade new {named}")
        # A worker is told the user's own by name too.
        if not is_workspace(root) and root != _users_own():
            raise WorkspaceError(
                f"{root} is not a workspace: it has no problems/ and submissions/",
                "make one with: kgrade new DIR",
            )
        return Workspace(root)
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if is_workspace(folder):
            _refuse_others(folder)
            return Workspace(folder)
    return Workspace(_users_own())


def _refuse_others(root: Path) -> None:
    if root.resolve() == builtin_folder("problems").parent:
        # The code that asks is in that folder.
        return
    name = quote(str(root))
    problems, templates = root / "problems", root / "templates"
    folders = (root, problems, root / "submissions", root / "contests", templates)
    for path in (*folders, *problems.glob("*/"), *problems.glob("*/*.py"), *templates.glob("*")):
        if others := others_at(path):
            raise WorkspaceError(
                f"the workspace {root} is not used, for {others}",
                f"if it is yours, type: chmod -R go-w {name}; if you trust who can write to it: "
                f"kgrade --workspace {name}; your own is made by: kgrade new DIR",
            )


def _users_own() -> Path:
    from platformdirs import user_data_path

    return user_data_path("kgrade", appauthor=False)


def is_workspace(folder: Path) -> bool:
    return (folder / "problems").is_dir() and (folder / "submissions").is_dir()


def _existing(*folders: Path) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))
