"""Reads the sizes that somebody wants a run to try, as they were typed."""

from __future__ import annotations

import re

from grader.contest.access import Refused

LONGEST = 400
_SIZE = re.compile(r"\s*([A-Za-z_]\w{0,40})\s*=\s*([0-9]{1,12})\s*(?:[,;\s]|$)")
_HINT = "type them as M=5 N=7, or leave the field empty"


def parse_sizes(text: str) -> dict[str, int] | None:
    """The sizes in a text such as "M=5 N=7"; None if it is blank. Raises Refused."""
    sizes: dict[str, int] = {}
    if len(text) > LONGEST:
        raise Refused(400, f"the sizes take more than {LONGEST} characters", _HINT)
    at = 0
    while text[at:].strip():
        found = _SIZE.match(text, at)
        if found is None or found[1] in sizes:
            word = text[at:].strip()[:40]
            raise Refused(400, f"'{word}' is no size, or one that is given twice", _HINT)
        sizes[found[1]] = int(found[2])
        at = found.end()
    return sizes or None
