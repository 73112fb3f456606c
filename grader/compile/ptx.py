"""Reads the kernels with their parameter sizes, and the values of launch constants, from a PTX text.

It knows the few directives that NVRTC writes for these; the emulator reads instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from grader.compile.program import Kernel

# Inline assembly may contain anything, so no pattern crosses a line, and numbers have limited digits.
_ENTRY = re.compile(r"^[ \t]*(?:\.(?:visible|weak)[ \t]+)*\.entry[ \t]+([\w$]+)[ \t]*(\(?)", re.MULTILINE)
_TYPE = re.compile(r"\.[a-z]([0-9]{1,3})")
_ARRAY = re.compile(r"[\w$]+(?:\[([0-9]{1,9})\])?")
_FILE = re.compile(r'^[ \t]*\.file[ \t]+([0-9]{1,9})[ \t]+"([^"\n]*)"', re.MULTILINE)
_FILE_NUMBER = re.compile(r"(^[ \t]*\.(?:file|loc)[ \t]+|\binlined_at[ \t]+)([0-9]{1,9})\b", re.MULTILINE)
_MANGLED = re.compile(r"_Z(?:L|(N)K?)?(?=[0-9])")
_LENGTH = re.compile(r"[0-9]{1,6}(?![0-9])")
_LITERAL = re.compile(r"L([a-z])(n?[0-9]{1,20})E")
_END = re.compile(r"(?:I((?:L[a-z]n?[0-9]{1,20}E)+))?E")
_UNNAMED = re.compile(r"_GLOBAL__N|_INTERNAL_|_NV_ANON")
"""Compilers' names for an unnamed namespace."""
_UNNAMED_TO_HOST = re.compile(
    rf"^[ \t]*(?:\.(?:visible|weak|extern|common)[ \t]+)*\.(?:entry|global|const)\b[^\n]*(?:{_UNNAMED.pattern})",
    re.MULTILINE,
)
"""Such a name in a line that declares a kernel or a variable: of functions host code knows nothing."""


def read_kernels(ptx: str) -> tuple[Kernel, ...]:
    """Returns the `.entry` functions in the order of the text."""
    return tuple(Kernel(plain_name(symbol), symbol, _parameter_bytes(text)) for symbol, text in _entries(ptx))


def _entries(ptx: str) -> Iterator[tuple[str, str]]:
    """Yields (symbol, text of the parameters) of each kernel."""
    at = 0
    while match := _ENTRY.search(ptx, at):
        at = match.end()
        end = ptx.find(")", at) if match[2] else at
        if end < 0:
            return
        yield match[1], ptx[at:end]
        at = end


def has_unnamed(ptx: str) -> bool:
    """Whether kernels or variables have names of an unnamed namespace, which another build of the same source calls
    differently. Those of functions, such as CUDA's own shuffles in a debug build, are not counted.
    """
    return _UNNAMED_TO_HOST.search(ptx) is not None


def constant_prefix(source: str) -> str:
    """Prefix of the variables that hold launch constants' values, for one source.

    It contains the source's hash, so that the source's inline assembly can't define a variable of that name.
    """
    return f"kgrade_constant_{sha256(source.encode(errors='replace')).hexdigest()[:24]}_"


def take_constants(ptx: str, source: str) -> tuple[str, dict[str, int]]:
    """Removes the launch constants' variables from the PTX of `source`; returns the text and the values."""
    constant = re.compile(
        rf"^(?:\.visible )?\.(?:global|const) \.align 8 \.[us]64 {constant_prefix(source)}(\w+)"
        r"(?: = (-?[0-9]{1,20}))?;\n",
        re.MULTILINE,
    )
    values = {match[1]: int(match[2] or 0) for match in constant.finditer(ptx)}
    return constant.sub("", ptx), values


def number_first(ptx: str, file: str) -> str:
    """Renumbers the files of the line information so that the source file of this name is file 1.

    The compiler numbers files in order of appearance, so a header may come first.
    """
    files = {match[2].rpartition("/")[2]: match[1] for match in _FILE.finditer(ptx)}
    number = files.get(file, "1")
    if number == "1":
        return ptx
    swapped = {"1": number, number: "1"}
    return _FILE_NUMBER.sub(lambda match: match[1] + swapped.get(match[2], match[2]), ptx)


def plain_name(symbol: str) -> str:
    """A kernel's source name, as far as its mangled symbol (Itanium C++ ABI, section 5.1) shows it.

    Outside namespaces, that is its name without template arguments; inside, named namespaces come before it and numeric
    arguments after it. Any other symbol is returned unchanged.
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
    """The size of each parameter: a scalar's type gives its bits, a structure is an array of bytes."""
    return tuple(size for part in text.split(",") if (size := _bytes_of(part.split())) is not None)


def _bytes_of(words: list[str]) -> int | None:
    """The size in bytes of `.param [.align N] .TYPE [.ptr …] NAME[COUNT]`; None if it is no parameter."""
    if ".param" not in words:
        return None
    behind = words[words.index(".param") + 1 :]
    kind = next((match for word in behind[:3] if (match := _TYPE.fullmatch(word))), None)
    name = _ARRAY.fullmatch(behind[-1]) if behind else None
    return int(kind[1]) // 8 * int(name[1] or 1) if kind and name else None
