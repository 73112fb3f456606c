"""Finds problem folders and loads a problem: its `problem.py`, statement and starter.

Every mistake in a folder becomes a ProblemError that names the file and the field. Submissions are not read here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.core.errors import ProblemError
from grader.core.files import read_text_of_others
from grader.problem.challenges.manifest import FILE as CHALLENGE
from grader.problem.definition import Problem
from grader.problem.exercises import FOLDER as EXERCISES
from grader.problem.trial import SUBMISSIONS, try_problem

DEFINITION = "problem.py"
STATEMENT = "statement.md"
STARTER = "starter.cu"
EDITORIAL = "editorial.md"
SOLUTIONS = (SUBMISSIONS, EXERCISES, EDITORIAL)
"""What of a problem's folder says how it is solved, and is not handed out with it."""


def find_problems(roots: Sequence[Path]) -> dict[str, Path]:
    """The problems under these roots, name to folder, sorted by name. On equal names, the earlier root wins."""
    found: dict[str, Path] = {}
    for root in roots:
        if root.is_dir():
            for folder in root.iterdir():
                if (folder / DEFINITION).is_file():
                    found.setdefault(folder.name, folder)
    return dict(sorted(found.items()))


def load_problem(folder: Path, *, trial: bool = True) -> Problem:
    """Loads the problem in this folder and tries it on tiny sizes. Raises ProblemError naming file and field.

    A folder with a challenge's tests gives the challenge. One without worked submissions has no baseline among them.
    `trial=False` is for a problem that has been tried before;
    its worked submissions need not be there.
    """
    folder = folder.resolve()
    if (folder / CHALLENGE).is_file():
        from grader.problem.challenges.problem import load_challenge

        return load_challenge(folder)
    if not folder.is_dir():
        raise ProblemError(f"{folder}: there is no such problem folder", "kgrade list shows the problems")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", folder.name):
        raise ProblemError(f"{folder}: a problem folder's name has lower-case letters, digits, - and _ only")
    path = folder / DEFINITION
    text = _read(path)
    try:
        problem = _execute(path, text)
        problem.name = folder.name
        problem.folder = folder
        problem.definition = text
        if problem.missing_functions:
            role = problem.missing_functions[0]
            raise ProblemError(f"{role}: it is missing; add a function under @problem.{role}")
        if trial and not (folder / SUBMISSIONS).is_dir():
            # Handed out without its solutions, as by a contest's site: its times have no baseline.
            problem.baseline_file = None
        if trial:
            try_problem(problem)
    except ProblemError as error:
        # Mistakes found while planning name the file already.
        named = error.message.startswith(str(path))
        raise ProblemError(error.message if named else f"{path}: {error.message}", error.hint) from error
    problem.statement = _read(folder / STATEMENT)
    problem.starter = _read(folder / STARTER)
    problem.editorial = _read(folder / EDITORIAL) if (folder / EDITORIAL).exists() else None
    if not re.search(rf"\b{problem.kernel}\b", problem.starter):
        raise ProblemError(f"{folder / STARTER}: it has no kernel named {problem.kernel}, which {path} asks for")
    return problem


def _read(path: Path) -> str:
    try:
        text = read_text_of_others(path)
    except FileNotFoundError:
        raise ProblemError(
            f"{path}: the file is missing; a problem needs {DEFINITION}, {STATEMENT} and {STARTER}"
        ) from None
    except OSError as error:
        raise ProblemError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path}: byte {error.start} is not UTF-8") from error
    if not text.strip():
        raise ProblemError(f"{path}: the file is empty")
    return text


def _execute(path: Path, text: str) -> Problem:
    """Runs `problem.py` and returns the Problem it defines.

    It is not imported, because the import system would write __pycache__ into the problem's folder.
    """
    try:
        code = compile(text, str(path), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ProblemError(f"{line}not valid Python: {reason}") from error
    names: dict[str, Any] = {"__name__": f"kgrade_problem_{path.parent.name}", "__file__": str(path)}
    try:
        exec(code, names)
    except ProblemError as error:
        raise ProblemError(f"{_line(error, path)}{error.message}", error.hint) from error
    except Exception as error:
        raise ProblemError(f"{_line(error, path)}{type(error).__name__}: {error}") from error
    problem = names.get("problem")
    if not isinstance(problem, Problem):
        raise ProblemError("problem: it has to define one, as in problem = Problem(title=..., kernel=..., ...)")
    return problem


def _line(error: BaseException, path: Path) -> str:
    """The line of the file that an error came from, as "line 12: "; empty if none."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(path):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"line {line}: " if line else ""
