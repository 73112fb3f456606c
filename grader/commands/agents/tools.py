"""The tools of `kgrade mcp`: plain functions whose answers are what the commands of their names print with --json.

They know nothing of the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.commands.engines import Engines
from grader.commands.options import Asked
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName
from grader.store.workspace import Workspace

if TYPE_CHECKING:
    from grader.core.report import Report

Progress = Callable[[str], None]


class Tools:
    """The tools, in a workspace. `asked` is how they grade."""

    def __init__(self, workspace: Workspace, engines: Engines, asked: Asked) -> None:
        self._workspace, self._engines, self._asked = workspace, engines, asked

    def list_problems(self, user: str) -> dict[str, Any]:
        from grader.commands.leading import problems_in_order, standings
        from grader.commands.list import json_object

        problems, _ = problems_in_order(self._workspace)
        return json_object([(problem.name, problem) for problem in problems], standings(self._workspace, user))

    def show(self, problem: str, language: LanguageName) -> dict[str, Any]:
        from grader.commands.show import json_object

        return json_object(self._workspace.load(problem), language)

    def test(
        self,
        problem: str,
        source: str,
        language: LanguageName | None,
        sizes: Mapping[str, int] | None,
        progress: Progress,
    ) -> dict[str, Any]:
        from grader.commands.grading import json_object

        asked = replace(self._asked, language=language)
        return json_object(self._grade(problem, source, asked, sizes, progress))

    def explain(
        self,
        problem: str,
        source: str,
        language: LanguageName | None,
        sizes: Mapping[str, int] | None,
        sass: bool,
        gpu: str | None,
        model_sizes: Mapping[str, int] | None,
        progress: Progress,
    ) -> dict[str, Any]:
        """Counts; with `sass` has the machine code, with `gpu` the model time and what advice gains by it."""
        from grader.coach.coach import explain, usual_sizes
        from grader.coach.gains import with_model
        from grader.commands.explain import EXPLAINED, json_object
        from grader.commands.grading import json_object as report_json
        from grader.core.paths import cache_folder
        from grader.judge.deadline import Deadline, DeadlinePassed
        from grader.languages.registry import text_submission
        from grader.model.gpus import gpu_named
        from grader.problem.sizes import check_sizes

        loaded = self._workspace.load(problem)
        modelled = None if gpu is None else gpu_named(gpu)
        largest = model_sizes or sizes or (loaded.benchmarks[0] if loaded.benchmarks else usual_sizes(loaded))
        check_sizes(loaded, largest)
        sizes = sizes or usual_sizes(loaded)
        asked = replace(self._asked, language=language, cases=1, device="emulator")
        report = self._grade(problem, source, asked, sizes, progress)
        if report.verdict not in EXPLAINED:
            return report_json(report)
        submission = text_submission(source, language)
        deadline = Deadline(asked.deadline, progress)
        try:
            with deadline:
                explanation = explain(
                    *(loaded, submission, report, sizes, cache_folder()),
                    require_sandbox=asked.require_sandbox,
                    progress=deadline.progress,
                    with_machine_code=sass,
                )
                if modelled is not None:
                    deadline.progress(f"computing the model time on {modelled.name}")
                    explanation = with_model(
                        *(explanation, loaded, submission, dict(largest), modelled, cache_folder(), report.seed),
                        require_sandbox=asked.require_sandbox,
                    )
        except DeadlinePassed as passed:
            raise UsageError(str(passed), "give smaller sizes") from None
        return json_object(explanation, None)

    def _grade(
        self, problem: str, source: str, asked: Asked, sizes: Mapping[str, int] | None, progress: Progress
    ) -> Report:
        from grader.commands.grading import grade_text

        given = () if sizes is None else (sizes,)
        return grade_text(*(self._workspace, problem, source, asked, self._engines), sizes=given, progress=progress)
