"""What a text in Python says of itself: the language that its kernels are in, by its imports and decorators."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

PACKAGES = {"triton": "triton", "cuda.tile": "cutile", "cutlass": "cute", "numba": "numba"}
"""The language of each package, by the package's name."""
DECORATORS = {
    "triton.jit": "triton",
    "ct.kernel": "cutile",
    "cute.kernel": "cute",
    "cute.jit": "cute",
    "cuda.jit": "numba",
}
"""The language of each decorator as it is usually written; it decides where the imports name several languages."""
_OUTER = {name.partition(".")[0] for name in PACKAGES if "." in name}
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n#]+)|^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n#]+)", re.MULTILINE)
_SAID = re.compile(r"(?:#[^\n]*\n)*?#[ \t]*language:[ \t]*(\w+)")
_DECORATED = re.compile(r"^[ \t]*@([\w.]+)", re.MULTILINE)


def language_of(text: str) -> str:
    """The language, empty if the text imports no package of any.

    A text may say it itself, in a comment such as `# language: triton` at its head.
    """
    said = _SAID.match(text)
    if said is not None and said[1] in PACKAGES.values():
        return said[1]
    imported = list(dict.fromkeys(_packages(text)))
    if len(imported) <= 1:
        return "".join(imported)
    decorated = [DECORATORS[name] for name in _DECORATED.findall(text) if name in DECORATORS]
    return next((language for language in decorated if language in imported), imported[0])


def kernels_of(text: str) -> list[str]:
    """The names of the functions that have a decorator of a language; none if the text is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name != "solve")
    return [node.name for node in functions if any(_name(one) in DECORATORS for one in node.decorator_list)]


def _name(decorator: ast.expr) -> str:
    """The dotted name of a decorator or of what makes it; empty if it is no name of two parts."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return f"{called.value.id}.{called.attr}"
    return ""


def _packages(text: str) -> Iterator[str]:
    # By lines and not by the syntax tree: a text with a mistake in it has a language too.
    for modules, package, names in _IMPORT.findall(text):
        # Only `from cuda import tile` names its package by both; joining all names to a long one would not be linear.
        both = (f"{package}.{name.strip()}" for name in names.split(",")) if package in _OUTER else ()
        for words in (one.split() for one in (*modules.split(","), package, *both)):
            for known, language in PACKAGES.items():
                if words and (words[0] == known or words[0].startswith(f"{known}.")):
                    yield language
