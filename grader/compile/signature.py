"""Explains why a submission's kernel is not the one that the problem asks for: what was found, what was expected.

The compiler has already decided; this only finds the explanation in the submission's text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from grader.compile.facts import ANONYMOUS, Facts, Function
from grader.core.report import Diagnostic

Parameters = Sequence[tuple[str, str]]

_SHOWN = 5
_COMPARED = 100
"""Limit on kernels and on letters of a name in the search for a similar name."""

_TYPE_WORD = "float|double|int|unsigned|signed|long|short|char|bool|half|__half|size_t|int2|int4|float2|float4"
_PLAIN_TYPE = re.compile(rf"(?:{_TYPE_WORD})(?: (?:{_TYPE_WORD}|\*|&))*")


def expected_signature(kernel: str, c_parameters: Parameters) -> str:
    return f"{kernel}({', '.join(f'{c_type} {name}' for c_type, name in c_parameters)})"


def explain_kernel(kernel: str, c_parameters: Parameters, facts: Facts) -> Diagnostic:
    """The reason why the compiler did not accept `kernel` with the problem's parameters."""
    expected = f"expected: __global__ void {expected_signature(kernel, c_parameters)}"
    named = [f for f in facts.functions if f.name == kernel]
    kernels = [f for f in named if f.space == "kernel" and f.namespace in ("", ANONYMOUS)]
    distinct = {f.signature: f for f in kernels}
    if any(f.template for f in kernels):
        line = next(f.line for f in kernels if f.template)
        hint = f"Write a kernel of that name without template; it can call a __device__ template.\n{expected}"
        return Diagnostic("error", f"{kernel} is a template, so there is no one kernel to launch", line, hint=hint)
    if len(distinct) > 1:
        found = "\n".join(f"found:    {f.signature} in line {f.line}" for f in [*distinct.values()][:_SHOWN])
        hint = f"Give the others another name.\n{expected}\n{found}"
        message = f"{kernel} is overloaded: {len(distinct)} kernels have that name"
        return Diagnostic("error", message, [*distinct.values()][1].line, hint=hint)
    if kernels:
        return _explain_parameters(kernels[0], c_parameters, expected)
    return _explain_missing(kernel, named, facts, expected)


def differing_parameters(kernel: str, c_parameters: Parameters, facts: Facts) -> tuple[Diagnostic, ...]:
    """Reports parameters whose text alone differs, in addition to the errors that may follow from it."""
    for function in facts.kernels:
        difference = first_difference(function.parameters, c_parameters) if function.name == kernel else ""
        if difference:
            expected = f"expected: __global__ void {expected_signature(kernel, c_parameters)}"
            hint = f"{expected}\nfound:    __global__ void {function.signature}"
            message = f"{kernel} does not have the problem's parameters: {difference}"
            return (Diagnostic("error", message, function.line, hint=hint),)
    return ()


def explain_undefined(kernel: str, facts: Facts) -> Diagnostic:
    """The diagnostic for a kernel that is declared but has no body."""
    line = next((f.line for f in facts.kernels if f.name == kernel), None)
    return Diagnostic("error", f"{kernel} is declared but has no body", line, hint="Write its body: { ... }")


def _explain_parameters(found: Function, c_parameters: Parameters, expected: str) -> Diagnostic:
    difference = first_difference(found.parameters, c_parameters)
    hint = f"{expected}\nfound:    __global__ void {found.signature}"
    if not difference:
        hint += "\nAn alias or a macro of the file stands for another type."
    message = f"{found.name} does not have the problem's parameters{difference and ': ' + difference}"
    return Diagnostic("error", message, found.line, hint=hint)


def first_difference(found: Sequence[str], expected: Parameters) -> str:
    """Describes the first difference that the text shows; empty if there is none. Aliases are not resolved."""
    if len(found) != len(expected):
        return f"it has {len(found)}, expected {len(expected)}"
    for number, (text, (c_type, name)) in enumerate(zip(found, expected, strict=True), 1):
        bare = _bare_type(text)
        if _PLAIN_TYPE.fullmatch(bare) and bare != _bare_type(f"{c_type} {name}"):
            return f"parameter {number} is {text}, expected {c_type} {name}"
    return ""


def _bare_type(parameter: str) -> str:
    """A parameter's type without const, __restrict__ and its name; `x[]` is a pointer."""
    text = re.sub(r"\b(const|__restrict__|__restrict|__grid_constant__)\b", " ", parameter.partition("=")[0])
    arrays = text.count("[")
    words = re.findall(r"\w+|\*|&", re.sub(r"\[[^][]*\]", "", text))
    if words and not re.fullmatch(rf"{_TYPE_WORD}|\*|&", words[-1]):
        words.pop()
    return " ".join([*words, *["*"] * arrays])


def _explain_missing(kernel: str, named: list[Function], facts: Facts, expected: str) -> Diagnostic:
    message = f"there is no kernel named {kernel}"
    for function in named:
        if function.space == "kernel":
            where = f"namespace {function.namespace}"
            return Diagnostic("error", f"{kernel} is inside {where}", function.line, hint="Move it out of there.")
        words = "a __device__ function" if function.space == "device" else "a host function"
        hint = f"Write __global__ before it.\n{expected}"
        return Diagnostic("error", f"{kernel} is {words}, not a kernel", function.line, hint=hint)
    if not facts.kernels:
        return Diagnostic("error", message, hint=f"The file has no __global__ function.\n{expected}")
    compared = [k for k in facts.kernels[:_COMPARED] if len(k.qualified_name) <= _COMPARED] or [facts.kernels[0]]
    order = difflib.get_close_matches(kernel, [k.qualified_name for k in compared], n=20, cutoff=0)
    found = sorted(compared, key=lambda k: order.index(k.qualified_name) if k.qualified_name in order else 99)
    lines = [f"found:    __global__ void {f.signature} in line {f.line}" for f in found[:_SHOWN]]
    hint = "\n".join([f"Rename your kernel to {kernel}.", expected, *lines])
    return Diagnostic("error", message, found[0].line, hint=hint)
