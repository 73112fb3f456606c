"""Reports a bug in kgrade itself: one sentence for the user, and the details in a log file.

It sends nothing anywhere.
"""

from __future__ import annotations

import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from grader import __version__
from grader.core.errors import KgradeError
from grader.core.paths import cache_folder


def write_crash_log(error: Exception, arguments: Sequence[str]) -> tuple[str, str]:
    """Writes the traceback of `error` to a file and returns the message and the hint to print.

    A KgradeError keeps its message; its hint, which may be the traceback of a child process, goes to the file.
    """
    message = (
        str(error) if isinstance(error, KgradeError) else f"a mistake in kgrade itself: {type(error).__name__}: {error}"
    )
    details = "\n".join(
        [
            f"kgrade {__version__}, Python {sys.version.split()[0]}, {platform.platform()}",
            f"kgrade {shlex.join(arguments)}",
            error.hint if isinstance(error, KgradeError) else "",
            *traceback.format_exception(type(error), error, error.__traceback__),
        ]
    )
    now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    for folder in _folders():
        path = folder / f"kgrade-{now}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # In the folder of all for temporary files somebody else may have made one of that name.
            path.touch(0o600, exist_ok=False)
            path.write_text(details, encoding="utf-8", errors="replace")
        except OSError:
            continue
        return message, f"the details are in {path}; 'kgrade doctor' says what is missing on this machine"
    return (
        message,
        "the details could not be written anywhere; 'kgrade doctor' says what is missing on this machine",
    )


def _folders() -> Iterator[Path]:
    with suppress(KgradeError):
        yield cache_folder() / "crashes"
    yield Path(tempfile.gettempdir())
