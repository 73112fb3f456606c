"""Languages in Python: a file whose solve() is called in the sandbox, and whose kernels are compiled when it launches
them.
"""

from __future__ import annotations

import importlib.util
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


class PythonLanguage:
    """One language in Python. `package` is what its files import, and `extra` what installs that."""

    form = Form.SOLVE
    launches_itself = True
    has_machine_code = False
    has_debug_build = False

    def __init__(self, name: LanguageName, package: str) -> None:
        self.name = name
        self.package = package

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
        from grader.plan.python_recorder import import_once

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
        import_once(program, tuple(problem.params), sandbox, cache)
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
        from grader.plan.python_recorder import ScriptRecorder

        recorder = ScriptRecorder(program, tuple(problem.params), sandbox, seconds, cache)
        return RecordingPlanner(problem, recorder, ask_table)

    def starter(self, problem: Problem) -> str:
        from grader.compile.python_starters import STARTERS

        return STARTERS[self.name](problem)

    def highlight(self, text: str) -> Lines | None:
        from grader.compile.reading import highlight

        return highlight(text, python=True)

    def missing(self) -> str:
        try:
            found = importlib.util.find_spec(self.package)
        except ModuleNotFoundError:
            found = None
        return (
            "" if found else f"the Python package {self.package} is missing (type: pip install 'kgrade[{self.name}]')"
        )
