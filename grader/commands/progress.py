"""Progress on the terminal, of commands that grade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(quiet: bool, begins: str) -> Iterator[Callable[[str], None]]:
    """Shows `begins` beside a spinner, and then each text that is called with; nothing where `quiet`."""
    if quiet:
        yield lambda text: None
        return
    from grader.terminal.console import messages

    with messages().status(begins) as status:
        yield status.update
