"""Preprocesses a text as far as its own macros and conditions go, for example to find what defines solve().

Included files are not read. If a condition depends on them or on the compiler, all its branches are kept. All
expansions of a text share one budget, beyond which macros are not expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from grader.compile.condition_value import value_of
from grader.compile.lexical import without_comments

MOST_TOKENS = 300_000
"""Budget of tokens for all macro expansions of a text."""

_DEEPEST = 50
_TOKEN = re.compile(
    r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\'[^\'\\\n]*(?:\\.[^\'\\\n]*)*\'|[A-Za-z_]\w*|[0-9][\w.]*|##|\s+|.', re.DOTALL
)
_DIRECTIVE = re.compile(r"[ \t]*(?:#|%:)[ \t]*([A-Za-z]\w*)?(.*)", re.DOTALL)
_DEFINE = re.compile(r"\s*([A-Za-z_]\w*)(\([^()]*\))?(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\b\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_HOST = {
    "__cplusplus": "201703L",
    "__CUDACC__": "1",
    "__NVCC__": "1",
    "__GNUC__": "12",
    "__linux__": "1",
    "__unix__": "1",
    "__x86_64__": "1",
}
"""Macros that nvcc defines when compiling for the host."""
_ELSEWHERE = frozenset({"__CUDA_ARCH__", "__CUDACC_RTC__", "__clang__", "_MSC_VER", "_WIN32", "__HIPCC__", "__HIP__"})
"""Macros that nvcc leaves undefined when compiling for the host; other compilers and passes define them."""


@dataclass(frozen=True)
class _Macro:
    body: tuple[str, ...]
    parameters: tuple[str, ...] | None = None


_Marked = tuple[str, frozenset[str]]
"""A token, and the macros from whose expansion it came, which are not expanded in it again."""


def preprocess(text: str) -> str:
    """The text without directives and dropped branches, its own macros expanded."""
    return _Preprocessor().read(without_comments(text).decode(errors="replace"))


@dataclass
class _Preprocessor:
    macros: dict[str, _Macro] = field(default_factory=lambda: {name: _Macro((v,)) for name, v in _HOST.items()})
    left: int = MOST_TOKENS

    def read(self, text: str) -> str:
        done: list[str] = []
        waiting: list[str] = []
        # For each open condition: whether its branch is read, and whether an earlier branch certainly was.
        branches: list[tuple[bool, bool]] = []
        skipping = 0
        for line in text.replace("\\\n", "").split("\n"):
            match = _DIRECTIVE.match(line)
            word, rest = (match[1] or "", match[2]) if match else ("", "")
            if match is None:
                waiting += [line] * (not skipping)
            elif word in ("if", "ifdef", "ifndef"):
                holds = self._holds(word, rest) if not skipping else False
                branches.append((holds is not False, holds is True))
                skipping += holds is False
            elif word in ("elif", "else") and branches:
                read, certain = branches[-1]
                skipping -= not read
                holds = False if certain or skipping else word == "else" or self._holds("if", rest)
                branches[-1] = (holds is not False, certain or holds is True)
                skipping += holds is False
            elif word == "endif" and branches:
                skipping -= not branches.pop()[0]
            elif word in ("define", "undef") and not skipping:
                done.append(self._expand("\n".join(waiting)))
                waiting = []
                self._define(word, rest)
        return "\n".join([*done, self._expand("\n".join(waiting))])

    def _define(self, word: str, rest: str) -> None:
        match = _DEFINE.match(rest)
        if match is None:
            return
        parameters = tuple(name.strip() for name in match[2][1:-1].split(",")) if match[2] else None
        self.macros.pop(match[1], None)
        if word == "define":
            self.macros[match[1]] = _Macro(tuple(_TOKEN.findall(match[3].strip())), parameters)

    def _holds(self, word: str, rest: str) -> bool | None:
        if word != "if":
            known = self._is_defined(rest.strip())
            return known if known is None or word == "ifdef" else not known
        asked = _DEFINED.sub(lambda match: _WORDS[self._is_defined(match[1] or match[2])], rest)
        value = value_of(self._expand(asked))
        return None if value is None else value != 0

    def _is_defined(self, name: str) -> bool | None:
        return True if name in self.macros else None if name[:1] == "_" and name not in _ELSEWHERE else False

    def _expand(self, text: str) -> str:
        if not any(word in self.macros for word in re.findall(r"[A-Za-z_]\w*", text)):
            return text
        waiting: list[_Marked] = [(token, frozenset()) for token in reversed(_TOKEN.findall(text))]
        done: list[str] = []
        while waiting:
            token, inside = waiting.pop()
            macro = self.macros.get(token)
            if macro is None or token in inside or len(inside) >= _DEEPEST or self.left <= 0:
                done.append(token)
                continue
            given: dict[str, list[_Marked]] = {}
            if macro.parameters is not None:
                arguments = self._arguments(waiting)
                if arguments is None:
                    done.append(token)
                    continue
                given = _named(macro.parameters, arguments)
            expansion = _substitute(macro.body, given, inside | {token})
            self.left -= 1 + len(expansion)
            waiting += reversed(expansion)
        return "".join(done)

    def _arguments(self, waiting: list[_Marked]) -> list[list[_Marked]] | None:
        """Takes a call's arguments off the waiting tokens (a stack, next token last); None if there is no call."""
        at = len(waiting) - 1
        while at >= 0 and waiting[at][0].isspace():
            at -= 1
        if at < 0 or waiting[at][0] != "(":
            return None
        arguments: list[list[_Marked]] = [[]]
        depth = 0
        while at >= 0:
            self.left -= 1
            token = waiting[at][0]
            depth += (token == "(") - (token == ")")
            if depth == 0:
                del waiting[at:]
                return arguments
            if token == "," and depth == 1:
                arguments.append([])
            elif token != "(" or depth > 1:
                arguments[-1].append(waiting[at])
            at -= 1
        return None


_WORDS = {True: "1", False: "0", None: "__unknown"}


def _named(parameters: tuple[str, ...], arguments: list[list[_Marked]]) -> dict[str, list[_Marked]]:
    named = dict(zip(parameters, arguments, strict=False))
    if parameters[-1:] == ("...",):
        behind = arguments[len(parameters) - 1 :]
        named["__VA_ARGS__"] = [token for one in behind for token in (*one, (",", frozenset[str]()))][:-1]
    return named


def _substitute(body: tuple[str, ...], given: dict[str, list[_Marked]], inside: frozenset[str]) -> list[_Marked]:
    made: list[_Marked] = []
    pasting = False
    for token in body:
        if token == "##":
            while made and made[-1][0].isspace():
                made.pop()
            pasting = bool(made)
        elif not (pasting and token.isspace()):
            tokens = given.get(token, [(token, inside)])
            if pasting and tokens:
                tokens = [(made.pop()[0] + tokens[0][0].strip(), inside), *tokens[1:]]
            made += tokens
            pasting = False
    return made
