"""Transactions on the contests' database, and the log of changes that they write.

Every public method of the sibling modules is one transaction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Row, insert

from grader.contest.clock import Clock
from grader.contest.connect import Address
from grader.contest.schema import Audit
from grader.contest.turn import Turn
from grader.store.connect import READ, WRITE

T = TypeVar("T")


class Transactions:
    """Short transactions, usable from any thread. Database errors become StoreErrors with a next step."""

    def __init__(self, address: Address, engine: Engine, clock: Clock) -> None:
        self.address, self.clock = address, clock
        self._engine = engine
        self._turn = Turn(address.path) if address.path is not None else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read-only transaction on one state of the database."""
        with (
            self.address.explained(),
            self._engine.connect().execution_options(**READ) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def writing(self, *, flushed: bool = True) -> Iterator[Connection]:
        """A transaction that may write, all or nothing.

        Without `flushed`, SQLite does not wait for the disk: a killed process loses nothing, but a power cut may undo
        the change until the next flushed one. Use that for steps that can simply be repeated.
        """
        with (
            self.address.explained(),
            self._turn.taken() if self._turn is not None else nullcontext(),
            self._engine.connect().execution_options(**WRITE) as connection,
        ):
            if self._turn is not None:
                level = "FULL" if flushed else "NORMAL"
                connection.connection.driver_connection.execute(f"PRAGMA synchronous = {level}")  # type: ignore[union-attr]
            with connection.begin():
                yield connection

    def now(self) -> datetime:
        return self.clock.now()

    def log(self, connection: Connection, who: str, what: str, contest: str | None, detail: Mapping[str, Any]) -> None:
        """Logs a change in the transaction that makes it."""
        row = {"at": self.now(), "contest": contest, "who": storable(who), "what": what}
        text = storable(json.dumps(detail, default=str, ensure_ascii=False))
        connection.execute(insert(Audit).values(**row, detail=text))


def record(kind: type[T], row: Row[Any]) -> T:
    """Converts a row with at least the record's columns to a record."""
    values = row._mapping
    return kind(**{each.name: values[each.name] for each in fields(kind) if each.name in values})  # type: ignore[arg-type]


def storable(text: str) -> str:
    """Replaces what databases can't store: lone surrogates, and NUL, which PostgreSQL refuses."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def storable_json(text: str) -> str:
    """The same for a JSON text, in which half of a pair of UTF-16 may be escaped and no page could be encoded."""
    if _ESCAPED.search(text):
        text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    return storable(text)


_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
