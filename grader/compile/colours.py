"""Finds the parts of CUDA C++ and of Python text to highlight in one scan, in time linear in the text's length.

The classes are Pygments'. Its own lexer takes minutes on 20 KB of text made for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.compile.lexical import pieces

_KINDS = {"line": "c1", "block": "cm", "string": "s", "raw": "s", "stray": "s", "char": "sc", "number": "mi"}
_WORDS = re.compile(r"\w+")
_TYPES = frozenset(
    _WORDS.findall(
        "auto bool char double float half int int2 int4 float2 float4 long short signed size_t unsigned void dim3"
    )
)
_KEYWORDS = frozenset(
    _WORDS.findall(
        "alignas asm break case class const constexpr continue decltype default delete do else enum extern false for "
        "goto if inline namespace new nullptr operator private protected public register return sizeof static struct "
        "static_assert switch template this throw true try catch typedef typename union using virtual volatile while"
    )
)
_CUDA = re.compile(r"__[a-z]\w*|threadIdx|blockIdx|blockDim|gridDim|warpSize|cuda[A-Z]\w*|atomic[A-Z]\w*")
_PART = re.compile(r"(?P<directive>^[ \t]*(?:#|%:)[ \t]*\w*)|(?P<word>[A-Za-z_]\w*)", re.MULTILINE)


def coloured(text: str) -> Iterator[tuple[str, str]]:
    """Yields the text in parts as (class, part); the class is "" for plain text."""
    at = 0
    for piece in pieces(text):
        yield from _code(text[at : piece.start])
        yield _KINDS[piece.kind], text[piece.start : piece.end]
        at = piece.end
    yield from _code(text[at:])


_PYTHON_KEYWORDS = frozenset(
    _WORDS.findall(
        "False None True and as assert async await break class continue def del elif else except finally for from "
        "global if import in is lambda nonlocal not or pass raise return try while with yield"
    )
)
_PYTHON = re.compile(
    r"(?P<c1>#[^\n]*)"
    r"|(?P<s>[rbfRBF]{0,2}(?:\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*(?:\"\"\")?|'''(?:[^'\\]|\\[\s\S]|'(?!''))*(?:''')?"
    r"|\"(?:[^\"\\\n]|\\[\s\S])*\"?|'(?:[^'\\\n]|\\[\s\S])*'?))"
    r"|(?P<nd>^[ \t]*@[\w.]+)|(?P<mi>\b\d[\w.]*)|(?P<word>[^\W\d]\w*)",
    re.MULTILINE,
)


def coloured_python(text: str) -> Iterator[tuple[str, str]]:
    """Yields Python text in parts, as `coloured` does."""
    at = 0
    for match in _PYTHON.finditer(text):
        kind = match.lastgroup or ""
        if kind == "word":
            kind = "k" if match[0] in _PYTHON_KEYWORDS else ""
        if kind:
            yield "", text[at : match.start()]
            yield kind, match[0]
            at = match.end()
    yield "", text[at:]


def _code(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for match in _PART.finditer(text):
        kind = "cp" if match["directive"] else _class_of(match[0])
        if kind:
            yield "", text[at : match.start()]
            yield kind, match[0]
            at = match.end()
    yield "", text[at:]


def _class_of(word: str) -> str:
    if word in _KEYWORDS:
        return "k"
    return "kt" if word in _TYPES else "nb" if _CUDA.fullmatch(word) else ""
