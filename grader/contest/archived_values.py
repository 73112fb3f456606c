"""What each column of an archive's rows may hold, beyond what its type says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column

from grader.contest.access import LARGEST_NUMBER
from grader.contest.groups import passed_of
from grader.contest.records import APPLIED, DROPPED, HELD, JUDGED, QUEUED, RUNNING, STAFF, STUDENT
from grader.contest.settings_reader import EARLIEST, LATEST, LONGEST_TEXT
from grader.contest.tables.base import storable
from grader.core.report import from_json
from grader.core.verdict import LanguageName, Verdict
from grader.store.schema import UtcDateTime

LARGEST_SCORE = 1e12
WORDS: Mapping[str, Sequence[str]] = {
    "account.role": (STUDENT, STAFF),
    "rejudge.state": (RUNNING, APPLIED, DROPPED),
    "judging.state": (QUEUED, RUNNING, JUDGED, HELD),
    "judging.verdict": tuple(Verdict),
    "judging.language": tuple(LanguageName),
}
"""Columns that hold one of a few words."""
NAMES = ("account.name", "team.name", "submission.problem", "submission.file", "judging.gpu_model")
"""Columns whose texts are short and are shown."""


def typed(column: Column[Any], value: Any) -> Any:
    """The value as the database takes it. Raises ValueError, which says what the column may have."""
    if value is None and column.nullable:
        return None
    if isinstance(column.type, UtcDateTime):
        return _moment(value)
    kind = column.type.python_type
    if kind is float and type(value) in (int, float) and 0 <= value <= LARGEST_SCORE:
        return float(value)
    if kind is int and type(value) is int and abs(value) <= LARGEST_NUMBER:
        return value
    if kind is bool and type(value) is bool:
        return value
    if kind is str and type(value) is str:
        return _text(f"{column.table.name}.{column.name}", value)
    raise ValueError(_EXPECTED[kind])


_EXPECTED = {
    float: f"a number from 0 to {LARGEST_SCORE:,.0f}",
    int: f"a whole number up to {LARGEST_NUMBER:,}",
    bool: "true or false",
    str: "a text",
}
_MOMENT = "a time from 2000 to 2199 with its zone"


def _moment(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(_MOMENT) from None
    if moment.tzinfo is None or not EARLIEST <= moment <= LATEST:
        raise ValueError(_MOMENT)
    return moment


def _text(name: str, value: str) -> str:
    if storable(value) != value:
        raise ValueError("a text that can be stored, without lone surrogates and NUL,")
    words = WORDS.get(name, ())
    if words and value not in words:
        raise ValueError(f"one of {', '.join(words)}")
    if name in NAMES and not (0 < len(value) <= LONGEST_TEXT and value.isprintable()):
        raise ValueError(f"a text of up to {LONGEST_TEXT} printable characters")
    if name in _READ:
        read, expected = _READ[name]
        try:
            read(value)
            # Half of a pair of UTF-16 may be escaped in it.
            json.dumps(json.loads(value), ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise ValueError(expected) from error
    return value


def _object(value: str) -> None:
    if not isinstance(json.loads(value), dict):
        raise ValueError


_READ: Mapping[str, tuple[Callable[[str], object], str]] = {
    "judging.report": (from_json, "a report that this kgrade can read"),
    "judging.groups": (passed_of, "a JSON list of names"),
    "audit.detail": (_object, "a JSON object"),
}
"""Columns whose texts are read again later, how, and what they are."""
