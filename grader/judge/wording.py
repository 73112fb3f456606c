"""The words of a Report: a headline that a student understands, and what usually causes such a failure.

It words what was found and finds nothing itself; wording of wrong elements comes from `check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.compile.paths import without_paths
from grader.core.report import CaseResult, Diagnostic, Dim3, FaultReport, Report
from grader.core.verdict import FaultClass, LanguageName, Verdict, WrongKind
from grader.judge.cutile_words import FAULTS as CUTILE_FAULTS
from grader.judge.diagnosis import SIZELESS
from grader.judge.python_words import name_functions
from grader.judge.triton_words import FAULTS as TRITON_FAULTS
from grader.judge.triton_words import name_program
from grader.problem import Problem
from grader.problem.cases import format_numbers

ACCESSES = {"read": "Reads", "write": "Writes", "atomic": "Updates"}

AFTER_OTHERS = (
    "solve() is right in a process of its own, but not after other calls in the same one, with other arrays, sizes and "
    "data"
)
PLACED = {FaultClass.OUT_OF_BOUNDS: "out of bounds", FaultClass.MISALIGNED: "misaligned"}
"""Faults of an access to one element, and the word for them."""

FAULTS: Mapping[FaultClass, str] = {
    FaultClass.OUT_OF_BOUNDS: (
        "On a GPU such an access may pass unseen, change another array, or end the program. Usual causes: "
        "no bounds check for threads beyond the last element, <= for <, or rows and columns swapped in the "
        "index."
    ),
    FaultClass.MISALIGNED: (
        "An access of n bytes has to start at a multiple of n bytes. Usual cause: a pointer cast to "
        "float2, float4 or another wide type at an index that is not a multiple of its width. "
        "The rows of a matrix for wmma or ldmatrix have to start at multiples of 16 bytes, so that their length has "
        "to be a multiple of 8 halves."
    ),
    FaultClass.UNINITIALIZED_READ: (
        "The memory was read before anything wrote it, so its content is whatever was there. Usual causes: "
        "an accumulator or an output that is not set to 0, or a tile of shared memory that is not filled at the "
        "edges."
    ),
    FaultClass.DATA_RACE: (
        "Two threads, or two launches, access the same memory, one of them writes, and nothing orders them. Usual "
        "causes: a missing __syncthreads() between filling shared memory and using it, or between using it and "
        "filling it again; blocks that write to one element without an atomic; or streams without an event."
    ),
    FaultClass.BARRIER_DIVERGENCE: (
        "Every thread of a block has to reach the same __syncthreads(), and every thread of a warp the same matrix "
        "instruction. Usual cause: a barrier inside an if or after a return that only some threads take."
    ),
    FaultClass.DEADLOCK: (
        "Threads wait for something that can't happen any more. Usual cause: a barrier that some threads "
        "never reach, or a lock that lanes of one warp fight for."
    ),
    FaultClass.ILLEGAL_INSTRUCTION: (
        "The emulator does not execute this instruction. The kernel may be right on a GPU; here it can't be graded."
    ),
    FaultClass.TRAP: (
        "The kernel stopped itself, by assert() or __trap(), or it gave free() or delete an address that is none of "
        "malloc() or new, or not any more."
    ),
    FaultClass.LAUNCH_FAILURE: (
        "CUDA ends such a launch with an error and without a result. What a launch asks for follows from its "
        "grid, block and shared memory, set in solve() or by launch constants, and from what the kernel declares."
    ),
    FaultClass.UNSUPPORTED_CALL: (
        "solve() is called in a sandbox without a GPU, where its launches, copies and allocations become a plan that "
        "is run afterwards. What such a plan can't hold ends there."
    ),
}

KINDS: Mapping[WrongKind, str] = {
    WrongKind.UNWRITTEN_OUTPUT: (
        "These elements held the same filling after the run as before it, with two different fillings. "
        "Usual causes: a grid or loop that ends too early, or a bounds check that is too strict."
    ),
    WrongKind.CHANGED_INPUT: "Inputs are const: a kernel reads them and leaves them as they are.",
    WrongKind.LOW_PRECISION: (
        "The structure of the result is right and its precision is not. Usual cause: values that pass "
        "through half, bfloat16 or TF32; this problem asks for float throughout."
    ),
    WrongKind.NOT_DETERMINISTIC: "Two runs on the same inputs gave different results.",
}

WHILE_TIMED = (
    "The kernel passed its checks and failed at a benchmark size while it was timed. Every launch there gets new "
    "inputs and outputs full of NaN, and outputs of launches that nobody knew beforehand are compared in full. Usual "
    "causes: an index that overflows at large sizes, or a result that is kept from one launch to the next."
)


def failed_while_timed(report: Report) -> Report:
    """The report of a failure that only timing showed."""
    return replace(report, explanation=(WHILE_TIMED, *report.explanation))


def headline(problem: Problem, result: CaseResult, language: LanguageName = LanguageName.CUDA) -> str:
    """One sentence on a case that was not accepted, of a submission in this language."""
    label = problem.labels.get(result.sizes["test"], "") if problem.tests and "test" in result.sizes else ""
    case = f" (with {format_numbers({**result.sizes, **result.scalars})}{f': {label}' if label else ''})"
    if result.fault is not None:
        found = fault_headline(problem, result.fault, result.sizes, language)
        if result.after:
            begins = found[:1] if found.startswith("cuda") else found[:1].lower()
            found = f"{AFTER_OTHERS}: {begins}{found[1:]}"
        return found + ("" if result.fault.fault in SIZELESS else case)
    at = f", in line {result.line}" if result.line else ""
    first, _ = _sentences(result.message)
    return f"{result.verdict.facts.lead}: {first}{at}{case}"


def accepted_headline(device: str) -> str:
    return f"{Verdict.ACCEPTED.facts.lead}: every case is right, run on the {device}"


def compile_headline(diagnostics: Sequence[Diagnostic]) -> str:
    """One sentence on the first error of the compiler."""
    first = next((d for d in diagnostics if d.severity == "error"), None)
    if first is None:
        return Verdict.COMPILE_ERROR.facts.lead
    at = f"line {first.line}: " if first.line else ""
    more = sum(d.severity == "error" for d in diagnostics) - 1
    return f"{Verdict.COMPILE_ERROR.facts.lead}: {at}{first.message}" + (f" (and {more} more)" if more else "")


def fault_headline(
    problem: Problem, fault: FaultReport, sizes: Mapping[str, int], language: LanguageName = LanguageName.CUDA
) -> str:
    """What was done to which element, in which line, by whom."""
    # Of a thread's own memory nobody knows where one array ends: the message says which byte it was.
    if fault.fault in PLACED and fault.array and fault.index is not None and fault.extent is not None:
        verb = ACCESSES.get(fault.access, "Accesses")
        parts = [f"{verb} {fault.array} {PLACED[fault.fault]}: {element(problem, fault, sizes)}"]
    else:
        # A function's name keeps its first letter.
        first = fault.message.partition(" ")[0]
        begins = fault.message[:1] if "(" in first or first.startswith("cuda") else fault.message[:1].upper()
        parts = [begins + fault.message[1:].rstrip(".")]
    if fault.line:
        parts.append(f"line {fault.line}")
    if fault.block and language is LanguageName.TRITON:
        parts.append(name_program(fault.block))
    if fault.thread and fault.block:
        parts.append(f"thread {_triple(fault.thread)} of block {_triple(fault.block)}")
    return name_functions(", ".join(parts), language)


def element(problem: Problem, fault: FaultReport, sizes: Mapping[str, int]) -> str:
    """The element that was meant: "A[289] of 289 elements, row 17 and column 0 of 17 × 17"."""
    assert fault.index is not None
    text = f"{fault.array}[{fault.index}] of {fault.extent} element{'' if fault.extent == 1 else 's'}"
    array = {**problem.inputs, **problem.outputs}.get(fault.array)
    if array is None or len(array.dimensions) != 2 or fault.index < 0:
        return text
    rows, columns = array.shape(sizes)
    row, column = divmod(fault.index, columns)
    return f"{text}, that is {fault.array}[{row},{column}] of {rows} × {columns}"


def explanation(result: CaseResult, details: str = "", language: LanguageName = LanguageName.CUDA) -> tuple[str, ...]:
    """What such a failure means and what usually causes it; `details` are of the judge's own failure."""
    lines = []
    if result.fault is not None:
        lines += [_meaning(result.fault, language), _how_many(result.fault), result.fault.hint]
        if result.fault.instruction and result.fault.fault is FaultClass.ILLEGAL_INSTRUCTION:
            lines.append(f"The instruction: {result.fault.instruction}")
    elif result.kind is not None:
        others = (o.explanation for o in result.outputs if o.explanation != result.message)
        lines += [_sentences(result.message)[1], KINDS.get(result.kind, ""), *others]
    else:
        lines += [_sentences(result.message)[1], result.verdict.facts.meaning]
    if result.verdict is Verdict.INTERNAL_ERROR and details:
        # A traceback's end, or what a crashed process said last.
        said = " | ".join(map(str.strip, details.strip().splitlines()[-4:]))
        lines.append(f"For a bug report: {without_paths(said)}")
    return tuple(dict.fromkeys(name_functions(line, language) for line in lines if line))


def _meaning(fault: FaultReport, language: LanguageName) -> str:
    if fault.fault is FaultClass.LAUNCH_FAILURE and "launch" not in fault.message:
        # Another call of the runtime failed, and says itself why.
        return ""
    if fault.fault is FaultClass.OUT_OF_BOUNDS and fault.hint:
        # Freed memory, or the host's: no matter of bounds checks, and the hint says of what.
        return ""
    own = {LanguageName.TRITON: TRITON_FAULTS, LanguageName.CUTILE: CUTILE_FAULTS}.get(language, {})
    return own.get(fault.fault, FAULTS.get(fault.fault, ""))


def _sentences(message: str) -> tuple[str, str]:
    """The first sentence, without its full stop, and the others."""
    first, _, others = message.partition(". ")
    return first.rstrip("."), others


def _how_many(fault: FaultReport) -> str:
    return f"{fault.threads} threads did the same in this line." if fault.threads > 1 else ""


def _triple(numbers: Dim3) -> str:
    return f"({','.join(map(str, numbers))})"
