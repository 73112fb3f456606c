"""What kgrade asks of a language of submissions, from the text of a file to plans.

To add one, write a class that has these methods and name it in grader.languages.registry.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from grader.core.limits import SOLVE_SECONDS
from grader.core.verdict import Form, LanguageName

if TYPE_CHECKING:
    from grader.compile.program import Program
    from grader.compile.reading import Lines, Recognised
    from grader.compile.submission import Submission
    from grader.machine.gpus import Gpu
    from grader.plan.device_table import DeviceTable
    from grader.plan.planner import Planner
    from grader.problem import Problem
    from grader.sandbox import Sandbox

AskTable = Callable[[], "DeviceTable"]
"""Returns what launch code may know about the device; asked at most once, at the first plan."""


class Language(Protocol):
    """A language, or one of the forms that its files have. It keeps nothing of a submission.

    `launches_itself` says whether a file's own code launches its kernels, as against the problem's. The emulator's
    build of a language with `has_machine_code` holds machine code for GPUs as well, which explain reads. Without
    `has_debug_build`, `compile_debug` is never called.
    """

    name: LanguageName
    form: Form
    launches_itself: bool
    has_machine_code: bool
    has_debug_build: bool

    def recognise(self, path_name: str, text: str, sure: bool = False) -> Recognised | None:
        """What the text of a file of this name is; None where it is not of this language, unless that is `sure`.

        Raises JudgeError where it can't be read in time.
        """

    def compile(
        self, problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox
    ) -> Program:
        """A program for the emulator and, where one is named, a GPU. `cache` is the folder of all caches.

        Raises CompileFailure, ToolMissing, or a JudgeError.
        """

    def compile_debug(self, problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox) -> Program:
        """A debug build for the emulator, which keeps the variables that an optimising one folds away. Raises as
        `compile` does."""

    def prepare(self, cache: Path, progress: Callable[[str], None]) -> None:
        """Builds what its planner needs once on a machine, and says so by `progress`."""

    def planner(
        self,
        problem: Problem,
        program: Program,
        ask_table: AskTable,
        sandbox: Sandbox,
        cache: Path,
        seconds: float = SOLVE_SECONDS,
    ) -> Planner:
        """Makes the plans of a program that `compile` returned. Own launch code may take so many seconds for a plan."""

    def finish(self) -> None:
        """Ends the processes that read or imported a submission and wait for what comes next."""

    def starter(self, problem: Problem) -> str:
        """The text that a solution begins with. Raises ProblemError where the problem has none."""

    def highlight(self, text: str) -> Lines | None:
        """The words of each line with their classes; None where they can't be had, which only costs colours."""

    def missing(self) -> str:
        """What this machine lacks to grade such a file, and what to type; empty where nothing is missing."""
