"""Makes an Explanation of a graded submission: compiles for a target, counts one case, adds up, advises.

Grading is left to the caller, who knows that the case runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.coach.advice import Advice, Subject
from grader.coach.counting import CountedKernel, count
from grader.coach.lines import LineCounts, Totals, by_line, total
from grader.coach.machine_code import facts_of, machine_code_of
from grader.coach.review import review
from grader.coach.target import DEFAULT, Resources, resources_of
from grader.coach.watching import record_warp
from grader.compile.compiler import CompileFailure
from grader.compile.cubin import KernelFacts
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import KgradeError, UsageError
from grader.core.report import Dim3, Replay, Report
from grader.core.verdict import Form, LanguageName, Verdict
from grader.languages.registry import language_of
from grader.machine.gpus import gpu_like
from grader.model.model import ModelTime
from grader.plan.device_table import EMULATED
from grader.problem import Problem
from grader.problem.cases import Case, case_seed
from grader.problem.inputs import families
from grader.problem.sizes import Budget, fit_together
from grader.run.emulator.counts import ArrayCounts
from grader.sandbox import Sandbox
from grader.sass import MachineCode

OF_TILES = (LanguageName.TRITON, LanguageName.CUTILE)
"""Languages of whole tiles: their compilers lay out shared memory and deal elements to threads."""
OF_TILES_REMEDIES = {
    "bank_conflict": "the compiler lays out shared memory: another block size, or a transposed load, changes it",
    "uncoalesced": "let the tile's last dimension run along the array's contiguous one",
    "wide_access": "let the tile's last dimension be contiguous and its start a multiple of 16 bytes, and say so "
    "(tl.multiple_of, tl.max_contiguous)",
    "register_blocking": "let a program make a larger tile of the result: each number of a factor then serves more "
    "multiplications",
    "tensor_cores": "multiply tiles by tl.dot or ct.mma, with factors of this type and sums in float32",
    "double_buffering": "let the compiler load further ahead (num_stages in Triton, latency in cuTile)",
    "loads_ahead": "let a program load larger tiles, or the compiler load further ahead (num_stages in Triton)",
    "divergence": "leave it to masks: a branch on an element is one for each tile",
}

Progress = Callable[[str], None]

BUDGET = Budget(flops=10_000_000, bytes=4_000_000)
"""Limit for the usual sizes: counting takes several times as long as running."""


@dataclass(frozen=True)
class KernelExplanation:
    """All launches of one kernel with the same block shape; `resources` is None where no assembler makes a
    cubin."""

    name: str
    grid: Dim3
    block: Dim3
    launches: int
    blocks: int
    totals: Totals
    lines: tuple[LineCounts, ...]
    arrays: tuple[ArrayCounts, ...]
    resources: Resources | None
    advice: tuple[Advice, ...]
    good: tuple[str, ...]
    machine: MachineCode | None = None
    """Its machine code for the target, where that was asked for."""


@dataclass(frozen=True)
class Explanation:
    """The cost of one case of a submission, and its causes. The verdict is that of the grading before."""

    problem: str
    title: str
    file: str
    source: str
    form: Form
    sizes: Mapping[str, int]
    target: str
    verdict: Verdict
    headline: str
    kernels: tuple[KernelExplanation, ...]
    language: LanguageName = LanguageName.CUDA
    model: ModelTime | None = None
    """Model time, at sizes of its own; None if it was not asked for."""
    replay: Replay | None = None
    """One warp of the first kernel, as it accessed memory; None if it can't be recorded."""


def usual_sizes(problem: Problem) -> dict[str, int]:
    """A benchmark's sizes, the largest halved until BUDGET allows them, so that tiles stay whole as in timing."""
    sizes = dict(problem.benchmarks[0]) if problem.benchmarks else {n: s.high for n, s in problem.sizes.items()}
    free = [name for name, size in problem.sizes.items() if not size.is_choice]
    while not BUDGET.allows(problem, sizes):
        name = max(free, key=lambda name: sizes[name])
        smaller = {**sizes, name: max(problem.sizes[name].low, sizes[name] // 2)}
        if smaller == sizes or not fit_together(problem, smaller):
            break
        sizes = smaller
    return sizes


def explain(
    problem: Problem,
    submission: Submission,
    report: Report,
    sizes: Mapping[str, int],
    cache: Path,
    target: str = DEFAULT,
    require_sandbox: bool = False,
    progress: Progress = lambda text: None,
    with_machine_code: bool | None = False,
) -> Explanation:
    """Counts and explains one case of `submission`. `report` is from its grading at these sizes; its seed is reused.

    `with_machine_code` None is "where it can be had".
    Raises UsageError if it does not compile for the target, JudgeError if it can't be run again, and ToolMissing where
    machine code is asked for and nvdisasm is missing.
    """
    sandbox = Sandbox.find(require_sandbox)
    progress(f"compiling for {target}")
    program = _compile(problem, submission, cache, target, sandbox)
    progress("counting")
    case = Case(dict(sizes), families(problem)[0], case_seed(report.seed, 0))
    planner = language_of(program).planner(problem, program, lambda: EMULATED, sandbox, cache)
    try:
        counted = count(problem, program, planner, case, sandbox, cache)
    finally:
        planner.close()
        language_of(program).finish()
    facts = facts_of(program, counted, target, cache, sandbox)
    machine: Sequence[MachineCode | None] = [None] * len(counted)
    if with_machine_code is not False:
        progress("disassembling")
        with suppress(*() if with_machine_code else (KgradeError,)):
            machine = machine_code_of(program, counted, target, cache, sandbox)
    progress("recording a warp")
    replay = record_warp(problem, submission, case, language_of(submission), cache, sandbox)
    return Explanation(
        problem=problem.name,
        title=problem.title,
        file=submission.path_name,
        source=submission.text,
        form=submission.form,
        language=submission.language,
        sizes=dict(sizes),
        target=target,
        verdict=report.verdict,
        headline=report.headline,
        kernels=tuple(
            replace(
                _in_words_of(
                    submission.language, _explained(problem, sizes, kernel, known, target, submission.language)
                ),
                machine=code,
            )
            for kernel, code, known in zip(counted, machine, facts, strict=True)
        ),
        replay=replay,
    )


def _compile(problem: Problem, submission: Submission, cache: Path, target: str, sandbox: Sandbox) -> Program:
    # A build that has machine code has it for the default target, and the cached compilation is such a build.
    language = language_of(submission)
    known = language.has_machine_code and target == DEFAULT
    try:
        return language.compile(problem, submission, cache, None if known else gpu_like(target), sandbox)
    except CompileFailure as failure:
        said = next((d.message for d in failure.diagnostics if d.severity == "error"), "no reason given")
        message = f"{submission.path_name} compiles for the emulator, and not for {target}: {said}"
        raise UsageError(message, f"type: --target {DEFAULT}") from None


def _in_words_of(language: LanguageName, explained: KernelExplanation) -> KernelExplanation:
    """Returns the explanation with remedies that an author in this language can apply."""
    if language not in OF_TILES:
        return explained
    advice = (replace(one, remedy=OF_TILES_REMEDIES.get(one.kind, one.remedy)) for one in explained.advice)
    return replace(explained, advice=tuple(advice))


def _explained(
    problem: Problem,
    sizes: Mapping[str, int],
    kernel: CountedKernel,
    facts: KernelFacts | None,
    target: str,
    language: LanguageName,
) -> KernelExplanation:
    lines, totals = by_line(kernel.counts), total(kernel.counts.rows)
    resources = None if facts is None else resources_of(facts, kernel.threads, kernel.dynamic_shared, target, language)
    shapes = {name: array.shape(sizes) for name, array in {**problem.inputs, **problem.outputs}.items()}
    row_lengths = {name: shape[-1] for name, shape in shapes.items() if len(shape) > 1}
    found = review(Subject(lines, kernel.counts.arrays, totals, resources, kernel.threads, row_lengths))
    return KernelExplanation(
        name=kernel.name,
        grid=kernel.grid,
        block=kernel.block,
        launches=kernel.launches,
        blocks=kernel.blocks,
        totals=totals,
        lines=lines,
        arrays=kernel.counts.arrays,
        resources=resources,
        advice=found.advice,
        good=found.good,
    )
