"""Programs that tests compile once and look for in a folder afterwards, as a grading does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.compile.cache import Cache, make_key
from grader.compile.program import Program


def remembered(cache: Path, compile_it: Callable[..., Program], *arguments: Any, **more: Any) -> Program:
    """What `compile_it` makes of these arguments, compiled where the folder does not have it."""
    store = Cache(cache / "compiled")
    key = make_key({"by": compile_it.__name__, "of": repr((arguments, sorted(more.items())))})
    program = store.load(key)
    if program is None:
        program = compile_it(*arguments, **more)
        store.store(key, program)
    return program
