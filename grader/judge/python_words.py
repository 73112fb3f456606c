"""CUDA's functions by the names that languages in Python have for them, in what is told of a fault."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.core.verdict import LanguageName

_NUMBA = ("syncthreads", "syncwarp", "threadfence_block", "threadfence")
NAMES: Mapping[LanguageName, Mapping[str, str]] = {
    LanguageName.TRITON: {"__syncthreads": "tl.debug_barrier"},
    LanguageName.CUTE: {"__syncthreads": "cute.arch.sync_threads", "__syncwarp": "cute.arch.sync_warp"},
    LanguageName.NUMBA: {f"__{name}": f"cuda.{name}" for name in _NUMBA},
}


def name_functions(text: str, language: LanguageName) -> str:
    """The text with CUDA's functions by this language's names; those that it has no other name for stay."""
    names = NAMES.get(language, {})
    return re.sub(r"__\w+(?=\()", lambda found: names.get(found[0], found[0]), text)
