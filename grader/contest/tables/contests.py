"""Contests, their teams and their announcements."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, insert, select, update

from grader.contest.records import AnnouncementRecord, ContestRecord, TeamRecord
from grader.contest.schema import Announcement, Clarification, Contest, Team
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError


class Contests(Transactions):
    def add_contest(self, slug: str, settings: str, *, who: str) -> ContestRecord:
        """Adds a contest with its settings (JSON text), or replaces the settings of an existing one."""
        now = self.now()
        with self.writing() as connection:
            old = connection.execute(select(Contest.settings).where(Contest.slug == slug)).scalar()
            if old is None:
                connection.execute(insert(Contest).values(slug=slug, settings=settings, updated=now))
                self.log(connection, who, "contest added", slug, {"settings": settings})
            elif old != settings:
                change = update(Contest).where(Contest.slug == slug).values(settings=settings, updated=now)
                connection.execute(change)
                self.log(connection, who, "contest changed", slug, {"before": old, "after": settings})
        return self.contest(slug)

    def contest(self, slug: str) -> ContestRecord:
        """Returns the contest. Raises UsageError if there is none."""
        with self.reading() as connection:
            row = connection.execute(_BY_SLUG, {"asked": slug}).first()
        if row is None:
            there = ", ".join(each.slug for each in self.contests())
            known = f"there are {there}; to make another type" if there else "type"
            raise UsageError(
                f"there is no contest '{slug}' in {self.address.name}", f"{known}: kgrade contest new {slug}"
            )
        return record(ContestRecord, row)

    def contests(self) -> list[ContestRecord]:
        with self.reading() as connection:
            rows = connection.execute(select(*Contest.__table__.columns).order_by(Contest.slug)).all()
        return [record(ContestRecord, row) for row in rows]

    def teams(self, contest: str) -> list[TeamRecord]:
        query = select(*Team.__table__.columns).where(Team.contest == contest).order_by(Team.name)
        with self.reading() as connection:
            return [record(TeamRecord, row) for row in connection.execute(query)]

    def announce(self, contest: str, text: str, *, who: str) -> int:
        """Publishes an announcement and returns its number."""
        values = {"contest": contest, "created": self.now(), "text": storable(text)}
        with self.writing() as connection:
            number = connection.execute(insert(Announcement).values(**values).returning(Announcement.id)).scalar_one()
            self.log(connection, who, "announced", contest, {"announcement": number, "text": text})
        return number

    def withdraw_announcement(self, number: int, *, who: str) -> None:
        """Withdraws an announcement. Raises UsageError if there is none with that number."""
        with self.writing() as connection:
            # An answer to all is from then on the asker's alone.
            told = update(Clarification).where(Clarification.announcement_id == number)
            connection.execute(told.values(announcement_id=None))
            gone = delete(Announcement).where(Announcement.id == number)
            row = connection.execute(gone.returning(Announcement.contest, Announcement.text)).first()
            if row is None:
                raise UsageError(f"there is no announcement {number}")
            self.log(connection, who, "announcement withdrawn", row.contest, {"text": row.text})

    def announcements(self, contest: str) -> list[AnnouncementRecord]:
        """The contest's announcements, newest first."""
        query = select(*Announcement.__table__.columns).where(Announcement.contest == contest)
        with self.reading() as connection:
            rows = connection.execute(query.order_by(Announcement.id.desc())).all()
        return [record(AnnouncementRecord, row) for row in rows]


# Run with every request, so built once.
_BY_SLUG = select(*Contest.__table__.columns).where(Contest.slug == bindparam("asked"))
