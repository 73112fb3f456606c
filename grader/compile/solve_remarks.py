"""Remarks on a solve() file that compiles but may not do what was intended.

They are based on the text alone; the reader has to judge whether they matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.compile.facts import Facts
from grader.compile.lexical import code_only
from grader.compile.signature import Parameters
from grader.core.report import Diagnostic

FLAG = "cudaStreamNonBlocking"

_MESSAGE = (
    f"kgrade runs work in the order of its calls; on a GPU, streams of {FLAG} do not wait for this work in the default "
    "stream, nor it for them"
)
_HINT = "Where they share arrays, put an event or a synchronization between them, or take cudaStreamCreate()."

_CALL = re.compile(r"\bcudaMem(?:cpy|set)(?:2D|3D|ToSymbol|FromSymbol)?(Async)?\s*\(")
_WAIT = re.compile(r"\bcuda(?:Device|Stream|Event)Synchronize\b|\bcudaStreamWaitEvent\b")
_DEFAULT = ("", "0", "NULL", "nullptr", "cudaStreamLegacy")


def order_remarks(parameters: Parameters, facts: Facts) -> tuple[Diagnostic, ...]:
    """One remark if solve() names the problem's arrays in a different order than kgrade passes them."""
    solve = next((f for f in facts.functions if f.name == "solve" and f.defined and not f.namespace), None)
    if solve is None or len(solve.parameters) != len(parameters):
        return ()
    arrays = [
        (name, _name_of(own)) for (kind, name), own in zip(parameters, solve.parameters, strict=True) if "*" in kind
    ]
    wanted, found = (", ".join(names) for names in zip(*arrays, strict=True)) if arrays else ("", "")
    if wanted == found or {name for name, _ in arrays} != {own for _, own in arrays}:
        return ()
    message = f"solve() has the arrays {found} in this order; kgrade passes {wanted}"
    expected = ", ".join(f"{kind} {name}" for kind, name in parameters)
    return (Diagnostic("warning", message, solve.line, hint=f'expected: extern "C" void solve({expected})'),)


def _name_of(parameter: str) -> str:
    """The last word of `const float *a`, `float a[]`."""
    words = re.findall(r"\w+", parameter.partition("=")[0].partition("[")[0])
    return words[-1] if words else ""


def stream_remarks(source: str) -> tuple[Diagnostic, ...]:
    """One remark, at the first work in the default stream, if the file creates non-blocking streams and waits for
    nothing.
    Recorded work is replayed as if each stream and the default stream waited for each other, so a missing event would
    go unnoticed here.
    """
    text = code_only(source)
    if not re.search(rf"\b{FLAG}\b", text):
        return ()
    launches = [(place, _stream_of(configuration) in _DEFAULT) for place, configuration in _launches(text)]
    calls = [(match.start(), not match[1]) for match in _CALL.finditer(text)]
    work = sorted([*launches, *calls])
    first = next((place for place, in_default in work if in_default), None)
    # A wait anywhere before the last work shows that the author thought of the order.
    waits = next((match.start() for match in _WAIT.finditer(text)), len(text))
    if first is None or waits < work[-1][0]:
        return ()
    return (Diagnostic("warning", _MESSAGE, text.count("\n", 0, first) + 1, hint=_HINT),)


def _launches(text: str) -> Iterator[tuple[int, str]]:
    """Yields (position, configuration) of each `<<<…>>>`."""
    end = 0
    while (start := text.find("<<<", end)) >= 0 and (end := text.find(">>>", start)) >= 0:
        yield start, text[start + 3 : end]


def _stream_of(configuration: str) -> str:
    """The fourth launch parameter; empty if there are fewer."""
    commas, depth = [], 0
    for place, character in enumerate(configuration):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            commas.append(place)
    return configuration[commas[2] + 1 : commas[3] if len(commas) > 3 else None].strip() if len(commas) > 2 else ""
