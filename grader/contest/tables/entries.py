"""Who asks to enter a contest whose roster they are not on: kept until staff let them in, or refuse."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from grader.contest.records import EntryRecord, NewAccount
from grader.contest.schema import Entry
from grader.contest.tables.accounts import Accounts
from grader.contest.tables.base import record, storable
from grader.core.errors import UsageError

MOST_ASKING = 1_000
"""People who may ask to enter one contest at a time: nobody reads a longer list."""


class Entries(Accounts):
    def ask_to_enter(self, contest: str, kind: str, value: str, name: str) -> None:
        """Records that somebody asks, once. Raises UsageError if too many do."""
        row = {"contest": contest, "kind": kind, "value": storable(value), "name": storable(name), "asked": self.now()}
        with self.writing() as connection:
            asking = select(func.count()).where(Entry.contest == contest)
            if connection.execute(asking).scalar_one() >= MOST_ASKING:
                raise UsageError(f"{MOST_ASKING:,} people ask to enter already", "write to whoever runs your course")
            try:
                with connection.begin_nested():
                    connection.execute(insert(Entry).values(**row))
            except IntegrityError:
                # They asked before: that stands.
                return

    def entries(self, contest: str) -> list[EntryRecord]:
        """Who asks to enter the contest, in the order in which they asked, and after them whom staff refused."""
        query = select(*Entry.__table__.columns).where(Entry.contest == contest)
        with self.reading() as connection:
            found = [record(EntryRecord, row) for row in connection.execute(query.order_by(Entry.id))]
        return sorted(found, key=lambda each: each.refused is not None)

    def entries_of(self, kind: str, value: str) -> list[EntryRecord]:
        """What this person asked, in all contests."""
        query = select(*Entry.__table__.columns).where(Entry.kind == kind, Entry.value == storable(value))
        with self.reading() as connection:
            return [record(EntryRecord, row) for row in connection.execute(query.order_by(Entry.id))]

    def let_in(self, contest: str, number: int, account: NewAccount, *, who: str) -> None:
        """Adds the account in place of the question. Raises UsageError if there is no such question any more."""
        with self.writing() as connection:
            gone = delete(Entry).where(Entry.id == number, Entry.contest == contest).returning(Entry.value)
            if connection.execute(gone).first() is None:
                raise nobody_asks(contest, number)
            self._add(connection, contest, account, who)

    def refuse_entry(self, contest: str, number: int, *, who: str) -> None:
        """Refuses somebody, who may be let in later. Raises UsageError if there is no such question any more."""
        with self.writing() as connection:
            this = update(Entry).where(Entry.id == number, Entry.contest == contest)
            told = this.values(refused=self.now(), refused_by=storable(who)).returning(Entry.name, Entry.value)
            row = connection.execute(told).first()
            if row is None:
                raise nobody_asks(contest, number)
            self.log(connection, who, "entry refused", contest, {"name": row.name, "known as": row.value})


def nobody_asks(contest: str, number: int) -> UsageError:
    message = f"nobody asks to enter '{contest}' by the number {number}"
    return UsageError(message, f"see who asks: kgrade contest admit {contest}")
