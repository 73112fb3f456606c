"""Which functions are called meanwhile, as a profiler sees it: nothing is put in their place."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Call = tuple[str, dict[str, Any]]


@contextmanager
def calls_of(*functions: Callable[..., Any]) -> Iterator[list[Call]]:
    """The name and arguments of each call of these functions in this thread, and in those that start inside of it."""
    codes = {function.__code__: function.__name__ for function in functions}
    seen: list[Call] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            seen.append((codes[frame.f_code], dict(frame.f_locals)))

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
