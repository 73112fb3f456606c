"""Drafts: what is typed and not handed in. Each account has one for a problem and a language, and a few in all."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, insert, select, tuple_

from grader.contest.records import AccountRecord, DraftRecord
from grader.contest.schema import Account, Draft
from grader.contest.tables.base import Transactions, record, storable

MOST_DRAFTS = 24
"""Drafts that an account keeps, the newest: a server must not become somebody's disk."""


class Drafts(Transactions):
    def keep_draft(self, account: AccountRecord, problem: str, language: str, text: str) -> datetime:
        """Keeps a text in place of the draft before it, and returns when."""
        now = self.now()
        key = {"account_id": account.id, "problem": storable(problem), "language": language}
        newest = (
            select(Draft.problem, Draft.language)
            .where(Draft.account_id == account.id)
            .order_by(Draft.saved.desc())
            .limit(MOST_DRAFTS)
        )
        with self.writing(flushed=False) as connection:
            # Requests of one account are serialised: two of them would insert one row.
            connection.execute(select(Account.id).where(Account.id == account.id).with_for_update())
            connection.execute(delete(Draft).where(_is(account, problem, language)))
            connection.execute(insert(Draft).values(**key, text=storable(text), saved=now))
            kept = connection.execute(newest).all()
            if len(kept) == MOST_DRAFTS:
                others = tuple_(Draft.problem, Draft.language).not_in([tuple(row) for row in kept])
                connection.execute(delete(Draft).where(Draft.account_id == account.id, others))
        return now

    def drop_draft(self, account: AccountRecord, problem: str, language: str) -> None:
        with self.writing(flushed=False) as connection:
            connection.execute(delete(Draft).where(_is(account, problem, language)))

    def draft(self, account: AccountRecord, problem: str, language: str) -> DraftRecord | None:
        query = select(*Draft.__table__.columns).where(_is(account, problem, language))
        with self.reading() as connection:
            found = connection.execute(query).first()
        return None if found is None else record(DraftRecord, found)

    def drafts_saved(self, account: AccountRecord, problem: str) -> dict[str, datetime]:
        """When the account's drafts for a problem were kept, by language."""
        query = select(Draft.language, Draft.saved).where(
            Draft.account_id == account.id, Draft.problem == storable(problem)
        )
        with self.reading() as connection:
            return {row.language: row.saved for row in connection.execute(query)}


def _is(account: AccountRecord, problem: str, language: str) -> ColumnElement[bool]:
    return and_(Draft.account_id == account.id, Draft.problem == storable(problem), Draft.language == language)
