"""Reading a PTX text: its kernels with the sizes of their parameters, and the values of the launch constants.

It knows the few directives that NVRTC writes for these; instructions are the emulator's business.
"""

from __future__ import annotations

import re

from grader.compile.program import Kernel

CONSTANT_PREFIX = "kgrade_constant_"
"""Begins the name of the variable that holds a launch constant's value."""

_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?", re.MULTILINE)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)(?:\s+\.ptr[^\[,]*?)?\s+[\w$]+(?:\[(\d+)\])?\s*(?:,|$)"
)
_CONSTANT = re.compile(
    rf"^(?:\.visible )?\.(?:global|const) \.align 8 \.[us]64 {CONSTANT_PREFIX}(\w+)(?: = (-?\d+))?;\n",
    re.MULTILINE,
)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_FILE_NUMBER = re.compile(r"(^\s*\.(?:file|loc)\s+|\binlined_at\s+)(\d+)", re.MULTILINE)
_MANGLED = re.compile(r"_Z(?:L|(N)K?)?(?=\d)")
_LENGTH = re.compile(r"\d+")
_LITERAL = re.compile(r"L([a-z])(n?\d+)E")
_END = re.compile(r"(?:I((?:L[a-z]n?\d+E)+))?E")
_UNNAMED = re.compile(r"_GLOBAL__N|_INTERNAL_|_NV_ANON")
"""What compilers call a namespace without a name."""


def read_kernels(ptx: str) -> tuple[Kernel, ...]:
    """The `.entry` functions in the order of the text."""
    return tuple(
        Kernel(plain_name(match[1]), match[1], _parameter_bytes(match[2] or "")) for match in _ENTRY.finditer(ptx)
    )


def take_constants(ptx: str) -> tuple[str, dict[str, int]]:
    """The text without the variables of launch constants, and their values by name."""
    values = {match[1]: int(match[2] or 0) for match in _CONSTANT.finditer(ptx)}
    return _CONSTANT.sub("", ptx), values


def number_first(ptx: str, file: str) -> str:
    """The text with the source file of this name as file 1 of its line information.

    The compiler numbers files as it meets them, so a function of a header may come first.
    """
    files = {match[2].rpartition("/")[2]: match[1] for match in _FILE.finditer(ptx)}
    number = files.get(file, "1")
    if number == "1":
        return ptx
    swapped = {"1": number, number: "1"}
    return _FILE_NUMBER.sub(lambda match: match[1] + swapped.get(match[2], match[2]), ptx)


def plain_name(symbol: str) -> str:
    """A kernel's name in the source, as far as its mangled symbol (Itanium C++ ABI, section 5.1) shows it.

    Outside of namespaces that is its name without template arguments; inside, the namespaces that have names come
    before it, and arguments that are numbers behind it. Any other symbol stays as it is.
    """
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    at, names = match.end(), []
    while length := _LENGTH.match(symbol, at):
        at = length.end() + int(length[0])
        names.append(symbol[length.end() : at])
        if match[1] is None:
            return names[0] if at <= len(symbol) else symbol
    end = _END.match(symbol, at)
    named = [name for name in names if not _UNNAMED.match(name)]
    if end is None or not named:
        return symbol
    arguments = ", ".join(_value(*pair) for pair in _LITERAL.findall(end[1] or ""))
    return "::".join(named) + (f"<{arguments}>" if arguments else "")


def _value(kind: str, digits: str) -> str:
    if kind == "b":
        return "true" if digits == "1" else "false"
    return digits.replace("n", "-")


def _parameter_bytes(text: str) -> tuple[int, ...]:
    """Each parameter's size: a scalar's type names its bits, a structure is an array of bytes."""
    matches = (_PARAMETER.search(part.strip()) for part in text.split(","))
    return tuple(int(m[1][1:]) // 8 * int(m[2] or 1) for m in matches if m is not None)
