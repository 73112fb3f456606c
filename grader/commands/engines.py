"""What commands have others do: grade, time, measure, look at the machine. Each package is loaded when it is needed.

A command takes them from its context: who carries out command lines may bring others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.boards.filing import Filing
    from grader.compile.submission import Submission
    from grader.core.report import CaseResult, Ceilings, Dim3, Modelled, Report
    from grader.doctor.part import Finding
    from grader.judge.conductor import Options
    from grader.judge.duel import Contests
    from grader.judge.verify import Outcome, Work
    from grader.machine.gpus import Gpu
    from grader.model.gpus import ModelGpu
    from grader.problem import Problem
    from grader.replay.trace import Trace
    from grader.run.gpu.ceilings import Figures
    from grader.sandbox import Sandbox
    from grader.store.workspace import Workspace


class Engines:
    """Each does what the function of its name does; `sandbox` is this machine's."""

    def begin(self, device: str, folder: Path, sandbox: Sandbox) -> None:
        from grader.run import head_start

        head_start.begin(device, folder, sandbox)

    def sandbox(self) -> Sandbox:
        from grader.sandbox import Sandbox

        return Sandbox.find()

    def grade(
        self,
        problem: Problem,
        submission: Submission,
        options: Options,
        progress: Callable[[str], None] = lambda text: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Report:
        from grader.judge.conductor import grade

        return grade(problem, submission, options, progress, meanwhile)

    def modelled(
        self,
        problem: Problem,
        submission: Submission,
        sizes: Sequence[Mapping[str, int]],
        gpu: ModelGpu,
        progress: Callable[[str], None],
        *,
        seconds: float,
        require_sandbox: bool = False,
    ) -> Modelled:
        from grader.core.paths import cache_folder
        from grader.model.scoring import modelled

        return modelled(
            *(problem, submission, sizes, gpu, cache_folder(), progress),
            seconds=seconds,
            require_sandbox=require_sandbox,
        )

    def record(
        self, problem: Problem, submission: Submission, result: CaseResult, block: Dim3 | None = None
    ) -> Trace | None:
        from grader.core.paths import cache_folder
        from grader.languages.registry import language_of
        from grader.replay.record import Recorder

        recorder = Recorder(problem, submission, language_of(submission), cache_folder(), self.sandbox())
        try:
            return recorder.record(result, block=block)
        finally:
            recorder.close()

    def filing(self, workspace: Workspace) -> Filing:
        from grader.boards.filing import Filing

        return Filing(workspace)

    def contests(self, problem: Problem, gpu: Gpu, cache: Path) -> Contests:
        from grader.judge.duel import Contests

        return Contests(problem, gpu, cache)

    def ceilings(self, gpu: Gpu, cache: Path, fresh: bool) -> tuple[Ceilings, Figures]:
        from grader.run.gpu.ceilings import ceilings

        return ceilings(gpu, cache, fresh=fresh)

    def verify(self, works: Sequence[Work], *, processes: int, seeds: int) -> Iterator[Outcome]:
        from grader.judge.verify import verify

        return verify(works, processes=processes, seeds=seeds)

    def examine(self, workspace: Workspace) -> list[Finding]:
        from grader.doctor.machine import examine

        return examine(workspace)

    def saves(self, path: Path) -> Iterator[None]:
        from grader.commands.saves import saves

        return saves(path)


def engines_of(ctx: click.Context) -> Engines:
    """Those that the command line was carried out with."""
    found = ctx.find_root().obj
    return found if isinstance(found, Engines) else Engines()
