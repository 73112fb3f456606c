"""Parses the output of nvcc and the programs that it starts, as far as it concerns a submission's own text.

diagnostics.py parses CUDA's front end, which NVRTC shares; this module handles g++, the assemblers, and crashes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.compile.diagnostics import LINE_LIMIT, cap, read_log
from grader.compile.facts import Facts
from grader.compile.ptx import plain_name
from grader.core.report import Diagnostic

_GCC = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?: (?P<rest>.*)$")
_SEVERITY = re.compile(r"^(?P<severity>fatal error|error|warning|note|Error|Warning): (?P<message>.*)$")
_NO_FILE = re.compile(r"^(?P<name>.*): (?:No such file or directory|Permission denied|Is a directory)$")
_ASSEMBLER = re.compile(r"^ptxas (?:.*?, line [0-9]{1,9}; )?(?P<severity>fatal|error|warning)\s*: (?P<message>.*)$")
_ATTRIBUTE = re.compile(r"__attribute__\(\((\w+)\)\)")
_CARET = re.compile(r"^\s*\^\s*$")
_SYMBOL = re.compile(r"\b_Z\w+")

DEATHS: tuple[tuple[str, str, str], ...] = (
    (
        r"out of memory|std::bad_alloc|virtual memory exhausted|memory exhausted|Cannot allocate memory",
        "the compiler ran out of memory",
        "Templates or arrays in the source are too large.",
    ),
    (
        r"File size limit exceeded|died due to signal 25|file too large|File too large",
        "what the compiler wrote grew too large",
        "Initialised arrays are stored in full: fill large ones in a kernel.",
    ),
    (
        r"died due to signal (?:9|24)\b|Killed",
        "the compiler was stopped: it took too long",
        "Look for templates that call themselves, long unrolled loops, or huge initialised arrays.",
    ),
    (
        r"died due to signal (?:4|6|7|8|11)\b|internal compiler error|Segmentation fault|internal error",
        "the compiler itself crashed on this source",
        "Take parts of the file out until it compiles; the part that crashes it is among those.",
    ),
)
"""Ways in which a source can kill the compiler: a pattern in its log, a message, and a hint."""


def read_nvcc_log(log: str, source: str, file: str, includes: Sequence[str], facts: Facts) -> tuple[Diagnostic, ...]:
    """Returns the remarks about `source`, compiled under the name `file`: errors first.

    `includes` are the folders of CUDA's headers, remarks about which may be quoted; those about other files are not.
    """
    text = _as_written(log)
    found = [*_of_gcc(text, file, source.count("\n") + 1), *_of_assembler(text, facts)]
    # Without duplicates: the file is compiled for the host and for the device.
    merged = list(dict.fromkeys([*found, *read_log(text, source, file, includes)]))
    return cap(sorted(merged, key=lambda diagnostic: diagnostic.severity != "error"))


def how_it_died(log: str) -> Diagnostic | None:
    """Why a compiler ended without a message about the source; None if unknown."""
    for pattern, message, hint in DEATHS:
        if re.search(pattern, log):
            return Diagnostic("error", message, hint=hint)
    return None


def _of_gcc(log: str, file: str, last: int) -> list[Diagnostic]:
    """Parses messages of g++ and the host's assembler: FILE:LINE:COLUMN: error: MESSAGE."""
    found = []
    for text in log.split("\n"):
        place = _GCC.match(text)
        said = _SEVERITY.match(place["rest"]) if place else None
        if place is None or said is None:
            continue
        severity = said["severity"].lower().removeprefix("fatal ")
        if place["file"] == file and int(place["line"]) <= last:
            missing = _NO_FILE.match(said["message"])
            message = f'cannot open source file "{missing["name"]}"' if missing else said["message"]
            column = int(place["column"]) if place["column"] and not missing else None
            found.append(Diagnostic(severity, message, int(place["line"]), column))
        elif severity == "error" and not place["file"].endswith(".s"):
            name = place["file"].rpartition("/")[2]
            found.append(Diagnostic("error", f"the included file {name} can't be used"))
        elif severity == "error":
            found.append(Diagnostic("error", f"the assembler refuses an asm statement: {said['message']}"))
    return found


def _of_assembler(log: str, facts: Facts) -> list[Diagnostic]:
    """Parses messages of ptxas, which names kernels by their symbols and no source lines."""
    lines = {kernel.name: kernel.line for kernel in facts.kernels}
    found = []
    for text in log.split("\n"):
        said = _ASSEMBLER.match(text)
        if said is None or said["message"].startswith("Ptx assembly aborted"):
            continue
        symbol = _SYMBOL.search(said["message"])
        name = plain_name(symbol[0]) if symbol else ""
        message = said["message"].replace(symbol[0], name) if symbol else said["message"]
        severity = "warning" if said["severity"] == "warning" else "error"
        found.append(Diagnostic(severity, f"ptxas: {message}", lines.get(_unqualified(name))))
    return found


def _unqualified(name: str) -> str:
    """A kernel's name as written in its definition."""
    return name.partition("<")[0].rpartition("::")[2]


def _as_written(log: str) -> str:
    """Restores the source excerpts in the log to their text before preprocessing, which expands __global__."""
    lines = [line[:LINE_LIMIT] for line in log.split("\n")]
    for number, caret in enumerate(lines):
        if number and _CARET.match(caret) and "__attribute__" in lines[number - 1]:
            excerpt, place = lines[number - 1], caret.index("^")
            before = _ATTRIBUTE.sub(r"__\1__", excerpt[:place])
            lines[number - 1] = before + _ATTRIBUTE.sub(r"__\1__", excerpt[place:])
            lines[number] = " " * len(before) + "^"
    return "\n".join(lines)
