"""Reads values from a parsed TOML table and collects all mistakes.

It knows kinds of values (a time with a zone, one of several words), not their use in a contest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timezone
from difflib import get_close_matches
from typing import Any

from grader.core.errors import UsageError

MISSING = "(missing)"
LONGEST_TEXT = 200
LARGEST_SEED = 2**63 - 1
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=timezone.utc), datetime(2200, 1, 1, tzinfo=timezone.utc)
_ZONED = "a time with its zone, such as 2026-10-01T09:00:00+02:00"


class Reader:
    """One table of the file. A wrong value is noted and replaced by its default, so that all mistakes are found.

    `prefix` names the table in messages; nested tables share the list of mistakes.
    """

    def __init__(self, data: Mapping[str, Any], prefix: str = "", mistakes: list[str] | None = None) -> None:
        self._data = data
        self._prefix = prefix
        self._mistakes = [] if mistakes is None else mistakes

    def mistake(self, key: str, value: object, expected: str) -> None:
        self._mistakes.append(f"{self._prefix}{key} = {_shown(value)}: {expected} is expected")

    @property
    def mistakes(self) -> Sequence[str]:
        return tuple(self._mistakes)

    def raise_mistakes(self, place: str, slug: str) -> None:
        """Raises UsageError if there were any mistakes, one line each."""
        if len(self._mistakes) == 1:
            raise UsageError(f"{place}: {self._mistakes[0]}", f"correct it, then type: kgrade contest check {slug}")
        if self._mistakes:
            lines = "".join(f"\n  {mistake}" for mistake in self._mistakes)
            raise UsageError(
                f"{place} has {len(self._mistakes)} mistakes:{lines}",
                f"correct them, then type: kgrade contest check {slug}",
            )

    def get(self, key: str) -> object:
        """The raw value, unchecked."""
        return self._data.get(key)

    def only(self, keys: Sequence[str]) -> None:
        """Notes every other key as a mistake: a mistyped `freze` must not mean that nothing is frozen."""
        for key in self._data:
            if key not in keys:
                close = get_close_matches(key, keys, n=1)
                guess = f"did you mean '{close[0]}'? One" if close else "one"
                self.mistake(key, self._data[key], f"there is no such key; {guess} of {', '.join(keys)}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self._data.get(key, MISSING if default is None else default)
        if not isinstance(value, str) or len(value) > LONGEST_TEXT or (value and not value.isprintable()):
            self.mistake(key, value, f"a text in quotes, up to {LONGEST_TEXT} printable characters,")
            return default or ""
        if default is None and (not value.strip() or value == MISSING):
            self.mistake(key, value, "a text that is not empty")
        return value.strip()

    def choice(self, key: str, words: Sequence[str], default: str) -> str:
        value = self._data.get(key, default)
        if value not in words:
            self.mistake(key, value, _one_of(words))
            return default
        return str(value)

    def flag(self, key: str) -> bool:
        value = self._data.get(key, False)
        if not isinstance(value, bool):
            self.mistake(key, value, "true or false")
        return value is True

    def whole(self, key: str, *, default: int, least: int, most: int) -> int:
        value = self._data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.mistake(key, value, f"a whole number from {least:,} to {most:,}")
            return default
        return value

    def number(
        self, key: str, *, default: float, at_most: float, above: float | None = None, least: float = 0.0
    ) -> float:
        value = self._data.get(key, default)
        # A whole number of TOML may be too large for isfinite().
        fits = type(value) is int or (isinstance(value, float) and math.isfinite(value))
        if not fits or value > at_most or value < least or (above is not None and value <= above):
            low = f"above {above:g} and" if above is not None else f"from {least:g}"
            self.mistake(key, value, f"a number {low} {'up ' if above is not None else ''}to {at_most:,.0f}")
            return default
        return float(value)

    def time(self, key: str, *, required: bool = True) -> datetime | None:
        """An aware datetime; None if it is missing or wrong. A missing value is a mistake if `required`."""
        value = self._data.get(key)
        if value is None:
            if required:
                self.mistake(key, MISSING, _ZONED)
            return None
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                self.mistake(key, value, _ZONED)
                return None
        if not isinstance(value, datetime):
            self.mistake(key, value, "a day and " + _ZONED if isinstance(value, date) else _ZONED)
            return None
        if value.utcoffset() is None:
            self.mistake(key, value.isoformat(), f"a zone is missing; {_ZONED}")
            return None
        if not EARLIEST <= value <= LATEST:
            self.mistake(key, value.isoformat(), "a year from 2000 to 2199")
            return None
        return value

    def seeds(self, key: str) -> tuple[int, ...]:
        value = self._data.get(key, "secret")
        if value == "secret":
            return ()
        if isinstance(value, list) and value and all(_is_seed(seed) for seed in value):
            return tuple(value)
        self.mistake(key, value, '"secret", or a list of whole numbers from 0 such as [8123, 99],')
        return ()

    def table(self, key: str, keys: Sequence[str]) -> Reader:
        value = self._data.get(key, {})
        if not isinstance(value, Mapping):
            self.mistake(key, value, f"a table [{key}] with {', '.join(keys)}")
            value = {}
        reader = Reader(value, f"{self._prefix}{key}.", self._mistakes)
        reader.only(keys)
        return reader

    def tables(self, key: str, keys: Sequence[str]) -> Iterator[Reader]:
        value = self._data.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) for item in value):
            self.mistake(key, MISSING if value is None else value, f"one or more tables [[{key}]]")
            return
        for number, item in enumerate(value, start=1):
            reader = Reader(item, f"{self._prefix}{key}[{number}].", self._mistakes)
            reader.only(keys)
            yield reader


def problem_tables(read: Reader, known: Collection[str] | None) -> Iterator[Reader]:
    """Yields the tables of problems; unknown names (if `known` is given) and repeated names are mistakes."""
    seen: set[str] = set()
    for table in read.tables("problems", ("name", "weight", "title", "credit")):
        name = table.get("name")
        if isinstance(name, str) and name.strip():
            if name in seen:
                table.mistake("name", name, "each problem once")
            elif known is not None and name not in known:
                close = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
                guess = f"did you mean '{close[0]}'? One" if close else "one"
                table.mistake("name", name, f"there is no such problem; {guess} of {', '.join(sorted(known))}")
            seen.add(name)
        yield table


def _one_of(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _is_seed(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_SEED


def _shown(value: object) -> str:
    if value == MISSING:
        return MISSING
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = {"True": "true", "False": "false"}.get(text, text)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 80 else text[:77] + "…"
