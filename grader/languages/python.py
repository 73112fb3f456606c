"""Languages in Python: a file whose solve() is called in the sandbox, and whose kernels are compiled when it launches
them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.limits import SOLVE_SECONDS
from grader.core.verdict import Form, LanguageName

if TYPE_CHECKING:
    from grader.compile.program import Program
    from grader.compile.reading import Lines, Recognised
    from grader.compile.submission import Submission
    from grader.languages.language import AskTable
    from grader.machine.gpus import Gpu
    from grader.plan.planner import Planner
    from grader.problem import Problem
    from grader.sandbox import Sandbox

SUFFIX = ".py"
KEPT = "programs/python"
"""Compiled kernels, in the folder of all caches."""


class PythonLanguage:
    """One language in Python. `package` is what its files import, and `distribution` what installs that.

    Importing a file may take `seconds`, and so may each call of its solve(), which compiles its kernels; by default
    those of the recorder.
    """

    form = Form.SOLVE
    launches_itself = True
    has_machine_code = False
    has_debug_build = False

    def __init__(self, name: LanguageName, package: str, distribution: str, seconds: float | None = None) -> None:
        self.name = name
        self.package, self.distribution = package, distribution
        self._seconds = seconds

    def recognise(self, path_name: str, text: str, sure: bool = False) -> Recognised | None:
        if not path_name.endswith(SUFFIX) and not sure:
            return None
        from grader.compile.reading import Recognised, recognise_python

        name, kernels = recognise_python(text)
        return Recognised(self.form, kernels, ()) if sure or name == self.name else None

    def compile(
        self, problem: Problem, submission: Submission, cache: Path, gpu: Gpu | None, sandbox: Sandbox
    ) -> Program:
        from grader.compile.program import Program
        from grader.machine.own_packages import install_once, packages_of
        from grader.plan.scripts.recorder import IMPORT_SECONDS, import_once

        for own in packages_of(self.name, for_gpu=gpu is not None):
            install_once(own, lambda words: None)
        program = Program(
            form=self.form,
            target="",
            image="",
            kernels=(),
            language=self.name,
            script=submission.text,
            file=submission.path_name,
        )
        import_once(program, tuple(problem.params), sandbox, cache / KEPT, self._seconds or IMPORT_SECONDS)
        return program

    def compile_debug(self, problem: Problem, submission: Submission, cache: Path, sandbox: Sandbox) -> Program:
        raise NotImplementedError(f"{self.name} has no debug build")

    def prepare(self, cache: Path, progress: Callable[[str], None]) -> None:
        from grader.machine.own_packages import install_once, packages_of

        for own in packages_of(self.name, for_gpu=False):
            install_once(own, progress)

    def planner(
        self,
        problem: Problem,
        program: Program,
        ask_table: AskTable,
        sandbox: Sandbox,
        cache: Path,
        seconds: float = SOLVE_SECONDS,
    ) -> Planner:
        from grader.plan.planner import RecordingPlanner
        from grader.plan.scripts.recorder import COMPILE_SECONDS, ScriptRecorder

        patience = self._seconds or max(seconds, COMPILE_SECONDS)
        recorder = ScriptRecorder(program, tuple(problem.params), sandbox, patience, cache / KEPT)
        return RecordingPlanner(problem, recorder, ask_table)

    def finish(self) -> None:
        from grader.plan.scripts.recorder import end_waiting

        end_waiting()

    def starter(self, problem: Problem) -> str:
        from grader.compile.python_starters import STARTERS

        return STARTERS[self.name](problem)

    def highlight(self, text: str) -> Lines | None:
        from grader.compile.reading import highlight

        return highlight(text, python=True)

    def version(self) -> str:
        """The installed version of what its files import; empty where that is missing. Imports nothing of it."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return ""

    @property
    def install(self) -> str:
        """The command that installs it."""
        from grader.machine.cuda_packages import language_command

        return language_command(self.name)

    def missing(self) -> str:
        return "" if self.version() else f"the Python package {self.package} is missing (type: {self.install})"
