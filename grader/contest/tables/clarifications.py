"""Clarifications: what students ask, and what staff answer to one of them or to all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Select, delete, func, insert, select, update

from grader.contest.records import AccountRecord, ClarificationRecord
from grader.contest.schema import Account, Announcement, Clarification
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError

LONGEST_QUESTION = 2_000
LONGEST_ANSWER = 2_000
QUESTIONS_PER_HOUR = 10


class Clarifications(Transactions):
    def ask(
        self, account: AccountRecord, problem: str | None, question: str, *, per_hour: int | None = QUESTIONS_PER_HOUR
    ) -> int:
        """Records a question and returns its number. `problem` is None for the contest itself.

        Raises UsageError for a text without words or beyond LONGEST_QUESTION, and if the account asked `per_hour`
        questions in the last hour.
        """
        question = _checked("question", question, LONGEST_QUESTION)
        now = self.now()
        values = {
            "contest": account.contest,
            "account_id": account.id,
            "problem": problem,
            "asked": now,
            "question": question,
        }
        with self.writing() as connection:
            # Requests of one account are serialised, so that the limit holds between them.
            connection.execute(select(Account.id).where(Account.id == account.id).with_for_update())
            recent = select(func.count(), func.min(Clarification.asked)).where(
                Clarification.account_id == account.id, Clarification.asked > now - timedelta(hours=1)
            )
            asked, first = connection.execute(recent).one()
            if per_hour is not None and asked >= per_hour:
                minutes = int((first + timedelta(hours=1) - now).total_seconds() // 60) + 1
                raise UsageError(
                    f"{asked} questions in the last hour; {per_hour} are allowed", f"ask again in {minutes} minutes"
                )
            return connection.execute(insert(Clarification).values(**values).returning(Clarification.id)).scalar_one()

    def clarifications(self, contest: str, *, account_id: int | None = None) -> list[ClarificationRecord]:
        """The questions of a contest, or of one account in it, newest first."""
        query: Select[Any] = (
            select(*Clarification.__table__.columns, Account.name.label("account"))
            .join(Account, Account.id == Clarification.account_id)
            .where(Clarification.contest == contest)
            .order_by(Clarification.id.desc())
        )
        if account_id is not None:
            query = query.where(Clarification.account_id == account_id)
        with self.reading() as connection:
            return [record(ClarificationRecord, row) for row in connection.execute(query)]

    def open_questions(self, contest: str) -> int:
        """How many questions of the contest wait for an answer."""
        query = select(func.count()).where(Clarification.contest == contest, Clarification.answer.is_(None))
        with self.reading() as connection:
            return connection.execute(query).scalar_one()

    def answer(self, contest: str, number: int, answer: str, *, announce_as: str | None = None, who: str) -> None:
        """Answers a question; a second answer replaces the first.

        With `announce_as`, the name of what was asked about, question and answer are announced to all, without the
        asker's name. Raises UsageError if the contest has no such question, and for a text without words or beyond
        LONGEST_ANSWER.
        """
        answer = _checked("answer", answer, LONGEST_ANSWER)
        this = Clarification.id == number, Clarification.contest == contest
        with self.writing() as connection:
            row = connection.execute(select(*Clarification.__table__.columns).where(*this)).first()
            if row is None:
                raise UsageError(f"'{contest}' has no question {number}", f"type: kgrade contest clarify {contest}")
            now, announcement = self.now(), None
            if announce_as is not None:
                text = storable(f"About {announce_as}: {row.question}\n\nAnswer: {answer}")
                new = insert(Announcement).values(contest=contest, created=now, text=text).returning(Announcement.id)
                announcement = connection.execute(new).scalar_one()
            values = {"answer": answer, "answered": now, "answered_by": storable(who), "announcement_id": announcement}
            connection.execute(update(Clarification).where(*this).values(**values))
            if row.announcement_id is not None:
                connection.execute(delete(Announcement).where(Announcement.id == row.announcement_id))
            told = "all" if announcement is not None else "the asker"
            detail = {"question": number, "to": told, "answer": answer}
            self.log(connection, who, "question answered", contest, detail)


def _checked(kind: str, text: str, longest: int) -> str:
    text = storable(text.strip())
    if not 0 < len(text) <= longest:
        raise UsageError(f"the {kind} has {len(text):,} characters; 1 to {longest:,} are expected")
    return text
