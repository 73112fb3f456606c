"""Arguments of a request, each checked as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LARGEST = (1 << 31) - 1


class RequestError(Exception):
    """A request that is refused; the message is shown to the user."""


class Arguments:
    """The object that a request brought. Every method raises RequestError for a value of another kind."""

    def __init__(self, values: Any, of: str) -> None:
        if values is None:
            values = {}
        if not isinstance(values, Mapping):
            raise RequestError(f"the arguments of {of} are no object")
        self._values, self._of = values, of

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A string; without a default it has to be there."""
        return str(self._checked(name, default, str, "a string"))

    def integer(self, name: str, default: int | None = None, largest: int = LARGEST) -> int:
        """A whole number from 0 on."""
        value = self._checked(name, default, int, "a number")
        if isinstance(value, bool) or not 0 <= value <= largest:
            raise RequestError(f"{self._of}: {name} is a whole number from 0 to {largest}")
        return int(value)

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self._checked(name, default, bool, "true or false"))

    def object(self, name: str) -> Arguments:
        """An object; an empty one if it is left out."""
        return Arguments(self._values.get(name), f"{self._of}: {name}")

    def objects(self, name: str) -> list[Arguments]:
        """A list of objects; an empty one if it is left out."""
        return [Arguments(each, f"{self._of}: {name}") for each in self._list(name)]

    def texts(self, name: str) -> list[str]:
        """A list of strings; an empty one if it is left out."""
        found = self._list(name)
        if not all(isinstance(each, str) for each in found):
            raise RequestError(f"{self._of}: {name} is a list of strings")
        return [str(each) for each in found]

    def _list(self, name: str) -> Sequence[Any]:
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise RequestError(f"{self._of}: {name} is a list")
        return value

    def _checked(self, name: str, default: Any, kind: type, words: str) -> Any:
        value = self._values.get(name)
        if value is None:
            value = default
        if value is None:
            raise RequestError(f"{self._of} needs {name}, {words}")
        if not isinstance(value, kind):
            raise RequestError(f"{self._of}: {name} is {words}, not {str(value)[:40]!r}")
        return value
