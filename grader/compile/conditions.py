"""Whether an `#if` of a submission could ask, through its macros, what no text of it shows: such as which files exist.

A compiler expands macros in `__has_include(…)`, and the name of that operator may itself be put together by `##`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.compile.lexical import code_only

_WORD = re.compile(r"([A-Za-z_]\w*)( *\()?")
_CLOAKS = re.compile(r"##|%:%:|\"")
"""Tokens put together, and strings: no condition on numbers has either."""
_KNOWN = frozenset({"defined", "and", "or", "not", "__has_builtin", "__has_attribute", "__has_cpp_attribute"})
_KNOWN_PREFIXES = ("__has_feature", "__has_extension", "__GNUC", "__CUDA_", "CUTLASS_", "CUTE_", "CUB_", "THRUST_")


def asks_beyond_macros(conditions: Sequence[str], macros: Mapping[str, Sequence[str]]) -> int | None:
    """The number of the first condition from which such a question can be reached; None where there is none.

    `macros` are the text behind the name in each `#define` of the file, by names; each is looked at once.
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
