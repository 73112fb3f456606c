"""Maps `.loc` directives to lines of the submitted source.

Code from a header is attributed to the line of the submission that it was inlined into.
"""

from __future__ import annotations

import re

_FILE = re.compile(r'\.file\s+(\d{1,9})\s+"((?:[^"\\]|\\.)*)"')
_LOC = re.compile(r"\.loc\s+(\d{1,9})\s+(\d{1,9})\b(?:\s+\d+)?(?:.*?inlined_at\s+(\d{1,9})\s+(\d{1,9})\b)?")


class SourceLines:
    """Follows the `.loc` directives of one module. The submission is the file with the lowest number, 1."""

    def __init__(self, text: str) -> None:
        files = {int(m[1]): m[2] for m in _FILE.finditer(text)}
        self._own = min(files) if files else 1

    def line(self, directive: str, previous: int) -> int:
        """Returns the submission's line for a `.loc` directive; `previous` if the directive names only other files."""
        match = _LOC.match(directive)
        if match is None:
            return previous
        if int(match[1]) == self._own:
            return int(match[2]) or previous
        if match[3] is not None and int(match[3]) == self._own:
            return int(match[4])
        return previous
