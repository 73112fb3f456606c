"""Records what one block of a failing case did: a debug build of the submission on the emulator, in its own process.

The marks are found afterwards, in the Trace and the result of the case: see marks.py.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import JudgeError
from grader.core.limits import Limits
from grader.core.plan import Launch, Plan, step_to_json
from grader.core.report import CaseResult, Dim3
from grader.core.verdict import FaultClass, Verdict
from grader.languages.language import Language
from grader.plan.device_table import EMULATED
from grader.plan.planner import Planner
from grader.plan.runner import RunnerStopped
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.harness import LaunchRefused
from grader.problem.inputs import draw_scalars
from grader.replay.marks import first_wrong, happens_again, mark
from grader.replay.model import DEBUG, GRADED
from grader.replay.packing import unpack
from grader.replay.trace import Trace
from grader.run.emulator_runner import EmulatorRunner
from grader.run.head_start import RECORDING
from grader.run.limited import Limited
from grader.sandbox import Sandbox

LIMITS = Limits(seconds=3.0, instructions=16_000_000)
ENDLESS = Limits(seconds=1.0, instructions=2_000_000)
"""For finding the launch that does not come to an end."""
ROWS, ENDLESS_ROWS = 16_000, 4_000
"""Accesses that are recorded: of an endless loop a few rounds are enough."""
PATIENCE = 3
"""Launches of one kernel that are looked at, where it is not known which of them raced."""
LIBRARIES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](cub|thrust|cute|cutlass)/", re.MULTILINE)
"""Their templates take a debug build tens of seconds."""
BUILD_DIFFERS = (
    "This is a debug build: the compiler has not reordered or merged anything, and every variable exists. It does what "
    "the graded build does, in more instructions; where threads race, the order may be another one."
)
NO_VARIABLES = (
    "This is the build that was graded. It has lines, lanes and memory; the compiler keeps no names of variables."
)
BLOCKS_BEFORE = "The blocks with lower numbers were run first, without being recorded: this one may depend on them."
BLOCK_ALONE = "The other blocks of this launch were not run: this one does not depend on them."
BEYOND = "What the report tells comes later than that; smaller sizes may show it."
CUT = "The recording reached its limit here: the block would have gone on."
WRITTEN_NOWHERE = "No thread wrote this element; this is the block that wrote the one nearest to it."


class ReplayRunner(EmulatorRunner):
    """The emulator in a process that also records what chosen blocks do, step by step."""

    def __init__(self, folder: Path, sandbox: Sandbox, cache: Path | None = None) -> None:
        super().__init__(folder, sandbox, cache, RECORDING)

    def ask(self, do: str, plan: Plan, limits: Limits, **more: Any) -> dict[str, Any]:
        """Asks for `look` or `record`. Raises RunnerStopped."""
        steps = [step_to_json(step) for step in plan.steps]
        return self._ask({"do": do, "steps": steps, **asdict(limits), **more}, self._wall_seconds(limits))


@dataclass(frozen=True)
class _Place:
    """Where to look: a launch of the plan, and its blocks by number."""

    launch: int
    blocks: tuple[int, ...]
    words: str = ""


class Recorder:
    """Records cases of one submission. `close` ends the process."""

    def __init__(
        self, problem: Problem, submission: Submission, language: Language, cache: Path, sandbox: Sandbox
    ) -> None:
        self._problem, self._submission, self._language = problem, submission, language
        self._cache, self._sandbox = cache, sandbox
        self._runner = ReplayRunner(problem.folder, sandbox, cache / "kernels")

    def close(self) -> None:
        self._runner.close()

    def record(self, result: CaseResult, limits: Limits = LIMITS) -> Trace | None:
        """The trace of the block in which a case failed; None if there is none to be had.

        That is so if nothing can be compiled or run on the emulator, or if no kernel was launched.
        """
        program, build = self._program()
        if program is None:
            return None
        case = Case(dict(result.sizes), result.family, result.seed)
        try:
            self._runner.load(program)
            return self._record(self._host_of(program), build, case, result, limits)
        except (CompileFailure, LaunchRefused, RecordingStopped, RunnerStopped, JudgeError):
            return None

    def first_block(self, case: Case, limits: Limits = LIMITS) -> Trace | None:
        """The trace of the first block of a case's first launch, in the build that is graded; None if there is none."""
        try:
            program = self._language.compile(*self._given(), None, self._sandbox)
            self._runner.load(program)
            planner = self._planner(program, limits)
            try:
                return self._trace(planner, GRADED, case, _Place(0, (0,)), limits, ROWS)
            finally:
                planner.close()
        except (CompileFailure, LaunchRefused, RecordingStopped, RunnerStopped, JudgeError):
            return None

    def _program(self) -> tuple[Program | None, str]:
        """The debug build, else the graded one."""
        if self._language.has_debug_build and not LIBRARIES.search(self._submission.text):
            try:
                given = self._problem, self._submission, self._cache, self._sandbox
                return self._language.compile_debug(*given), DEBUG
            except (CompileFailure, JudgeError):
                pass
        try:
            return self._language.compile(*self._given(), None, self._sandbox), GRADED
        except (CompileFailure, JudgeError):
            return None, GRADED

    def _host_of(self, program: Program) -> Program:
        """What launches a program: a debug build of kernels alone is launched by the graded build's host code."""
        if not self._language.launches_itself or program.shared_object or program.script:
            return program
        return self._language.compile(*self._given(), None, self._sandbox)

    def _given(self) -> tuple[Problem, Submission, Path]:
        return self._problem, self._submission, self._cache

    def _record(self, host: Program, build: str, case: Case, result: CaseResult, limits: Limits) -> Trace | None:
        planner = self._planner(host, limits)
        try:
            found: Trace | None = None
            for place in self._places(planner, case, result, limits):
                rows = ENDLESS_ROWS if result.verdict is Verdict.TIME_LIMIT_EXCEEDED else ROWS
                trace = self._trace(planner, build, case, place, limits, rows)
                if trace is None:
                    continue
                marked = mark(trace, result)
                if BLOCK_ALONE in trace.remarks and not happens_again(trace, marked, result):
                    trace = self._trace(planner, build, case, place, limits, rows, before=True) or trace
                    marked = mark(trace, result)
                if marked.marks and any(each.step >= 0 for each in marked.marks):
                    return marked
                found = found or marked
            if found is not None and found.truncated:
                return replace(found, remarks=(*found.remarks, BEYOND))
            return found
        finally:
            planner.close()

    def _planner(self, program: Program, limits: Limits) -> Planner:
        return self._language.planner(
            self._problem, program, lambda: EMULATED, self._sandbox, self._cache, seconds=limits.seconds
        )

    def _plan(self, planner: Planner, case: Case, limits: Limits) -> Plan:
        addresses = self._runner.prepare(self._problem, case.sizes, case.family, case.seed)
        return planner.plan(case.numbers(self._problem), addresses, Limited(self._runner, limits))

    def _places(self, planner: Planner, case: Case, result: CaseResult, limits: Limits) -> Sequence[_Place]:
        """The places to look at, the likeliest first."""
        plan = self._plan(planner, case, limits)
        launches = [step for step in plan.steps if isinstance(step, Launch)]
        if not launches:
            return []
        if result.verdict is Verdict.ACCEPTED:
            return [_place(launches, 0, [(0, 0, 0)])]
        fault, watched = result.fault, self._first_wrong(result)
        if result.verdict is Verdict.TIME_LIMIT_EXCEEDED:
            failed = self._runner.ask("look", plan, ENDLESS, watched="")["failed"] if len(launches) > 1 else None
            return [_place(launches, failed[0] if failed else 0, [(0, 0, 0)])]
        if fault is not None and fault.block is not None:
            of_kernel = [n for n, step in enumerate(launches) if self._name(step) == fault.kernel] or [0]
            if len(of_kernel) > 1 and fault.fault is not FaultClass.DATA_RACE:
                failed = self._runner.ask("look", plan, limits, watched="")["failed"]
                of_kernel = [failed[0]] if failed else of_kernel
            blocks = _blocks_of(fault.message, fault.block)
            return [_place(launches, launch, blocks) for launch in of_kernel[:PATIENCE]]
        seen = self._runner.ask("look", plan, limits, watched=watched[0] if watched else "")
        if seen["failed"] and not watched:
            launch, block = seen["failed"]
            return [_place(launches, launch, [tuple(block) if block else (0, 0, 0)])]
        hits = seen["hits"]
        if not watched or not hits:
            return [_place(launches, len(launches) - 1, [(0, 0, 0)])]
        begin = watched[1] * watched[2]
        last = next((hit for hit in reversed(hits) if hit[2] <= begin < hit[2] + hit[3]), None)
        if last is not None:
            return [_Place(last[0], (last[1],))]
        near = min(hits, key=lambda hit: abs(hit[2] - begin))
        return [_Place(near[0], (near[1],), WRITTEN_NOWHERE)]

    def _first_wrong(self, result: CaseResult) -> tuple[str, int, int] | None:
        """The array, flat index and bytes of the first wrong element; None if none is known."""
        arrays = {**self._problem.inputs, **self._problem.outputs}
        found = first_wrong(result, {name: array.shape(result.sizes) for name, array in arrays.items()})
        return None if found is None else (*found, arrays[found[0]].dtype.itemsize)

    def _name(self, launch: Launch) -> str:
        kernel = self._runner.loaded.get(launch.kernel)
        return kernel.name if kernel is not None else launch.kernel

    def _trace(
        self, planner: Planner, build: str, case: Case, place: _Place, limits: Limits, rows: int, before: bool = False
    ) -> Trace | None:
        plan = self._plan(planner, case, limits)
        about = {
            "problem": self._problem.name,
            "sizes": dict(case.sizes),
            "scalars": {name: float(x) for name, x in draw_scalars(self._problem, case.family, case.seed).items()},
            "seed": case.seed,
            "family": case.family,
            "launch": place.launch,
            "build": build,
        }
        answer = self._runner.ask(
            *("record", plan, limits),
            launch=place.launch,
            blocks=place.blocks,
            file=self._submission.path_name,
            source=self._submission.text,
            about=about,
            rows=rows,
            before=before,
        )
        if "trace" not in answer:
            return None
        trace = unpack(base64.b64decode(answer["trace"]))
        return replace(trace, remarks=_remarks(trace, build, answer, place))


def record_replay(
    problem: Problem,
    submission: Submission,
    result: CaseResult,
    language: Language,
    cache: Path,
    sandbox: Sandbox,
    limits: Limits = LIMITS,
) -> Trace | None:
    """The trace of the block in which this case of a submission failed, with its marks; None if there is none."""
    if result.verdict is Verdict.ACCEPTED:
        return None
    recorder = Recorder(problem, submission, language, cache, sandbox)
    try:
        return recorder.record(result, limits)
    finally:
        recorder.close()


def record_first_block(
    problem: Problem, submission: Submission, case: Case, language: Language, cache: Path, sandbox: Sandbox
) -> Trace | None:
    """The trace of the first block that a right submission launches, as it was graded; None if there is none."""
    recorder = Recorder(problem, submission, language, cache, sandbox)
    try:
        return recorder.first_block(case)
    finally:
        recorder.close()


def _remarks(trace: Trace, build: str, answer: Mapping[str, Any], place: _Place) -> tuple[str, ...]:
    remarks = [BUILD_DIFFERS if build == DEBUG else NO_VARIABLES]
    if trace.grid != (1, 1, 1):
        remarks.append(BLOCKS_BEFORE if answer["before"] else BLOCK_ALONE)
    if place.words:
        remarks.append(place.words)
    if trace.truncated or "limit" in answer["status"]:
        remarks.append(CUT)
    return tuple(remarks)


def _blocks_of(message: str, block: Dim3) -> list[Dim3]:
    """The blocks that a fault's message names: of a race between two blocks both, the first access's first."""
    named = re.findall(r"of block \((\d+), (\d+), (\d+)\)", message)
    blocks = [(int(x), int(y), int(z)) for x, y, z in named] or [block]
    return list(dict.fromkeys(blocks))


def _place(launches: Sequence[Launch], launch: int, blocks: Sequence[tuple[int, ...]]) -> _Place:
    x, y, _ = launches[launch].grid
    numbers = [block[0] + x * (block[1] + y * block[2]) for block in blocks]
    return _Place(launch, tuple(sorted(dict.fromkeys(numbers))))
