"""Detects an `#if` that could query, through macros, what its text does not show, such as which files exist.

A compiler expands macros in `__has_include(…)`, and `##` can even assemble the operator's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.compile.lexical import code_only

_WORD = re.compile(r"([A-Za-z_]\w*)( *\()?")
_CLOAKS = re.compile(r"##|%:%:|\"")
"""Token pasting and strings, which no numeric condition contains."""
_KNOWN = frozenset({"defined", "and", "or", "not", "__has_builtin", "__has_attribute", "__has_cpp_attribute"})
_KNOWN_PREFIXES = ("__has_feature", "__has_extension", "__GNUC", "__CUDA_", "CUTLASS_", "CUTE_", "CUB_", "THRUST_")


def asks_beyond_macros(conditions: Sequence[str], macros: Mapping[str, Sequence[str]]) -> int | None:
    """The index of the first condition from which such a query can be reached; None if there is none.

    `macros` holds, by name, the text after the name in each `#define` of the file; each is examined once.
    """
    waiting = [(number, text) for number, text in enumerate(conditions)][::-1]
    seen: set[str] = set()
    while waiting:
        number, text = waiting.pop()
        text = code_only(text, ())
        if _CLOAKS.search(text):
            return number
        for match in _WORD.finditer(text):
            word = match[1]
            if word in macros:
                if word not in seen:
                    seen.add(word)
                    waiting += [(number, body) for body in macros[word]]
            elif match[2] and word not in _KNOWN and not word.startswith(_KNOWN_PREFIXES):
                return number
    return None
