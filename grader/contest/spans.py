"""Spans of time as staff write and read them: 2h, 1d12h; 1 d 12 h."""

from __future__ import annotations

import re
from datetime import timedelta

from grader.core.errors import UsageError

LONGEST = timedelta(days=3650)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def parse_span(text: str) -> timedelta:
    """Parses a span such as 2h, 1d12h, 90m or 0. Raises UsageError for anything else, and beyond LONGEST."""
    parts = re.findall(r"([0-9]{1,6})([dhms])", text)
    if text.strip() != "0" and (not parts or "".join(map("".join, parts)) != text.strip()):
        raise UsageError(f"'{text}' is no span of time", "write it as 2h, 90m, 1d12h, or 0")
    found = timedelta(seconds=sum(int(number) * _UNITS[unit] for number, unit in parts))
    if found > LONGEST:
        raise UsageError(f"'{text}' is too long a span of time", f"give at most {LONGEST.days} days")
    return found


def span(length: timedelta) -> str:
    """Formats a span: 1 d 2 h 30 min."""
    seconds = round(length.total_seconds())
    words = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words) or "0 s"
