"""Progress of grading commands on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(quiet: bool, begins: str) -> Iterator[Callable[[str], None]]:
    """Shows `begins` beside a spinner and yields a function to show another text; shows nothing if `quiet`."""
    if quiet:
        yield lambda text: None
        return
    from grader.terminal.console import messages

    with messages().status(begins) as status:
        yield status.update
