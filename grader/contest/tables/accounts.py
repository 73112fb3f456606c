"""Accounts of students and staff: added, found by name, token or link, changed and disqualified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from grader.contest.naming import find_account
from grader.contest.records import AccountRecord, NewAccount
from grader.contest.schema import Account, Session, Team
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError

SESSION_LASTS = timedelta(days=30)
MOST_SESSIONS = 30
"""Browsers that are signed in to an account; the next one signs the oldest out."""


class Accounts(Transactions):
    def add_accounts(self, contest: str, accounts: Sequence[NewAccount], *, who: str) -> list[int]:
        """Adds accounts, all or none, and returns their numbers. Raises UsageError if a name is taken."""
        with self.writing() as connection:
            return [self._add(connection, contest, each, who) for each in accounts]

    def accounts(self, contest: str) -> list[AccountRecord]:
        with self.reading() as connection:
            rows = connection.execute(_whole().where(Account.contest == contest).order_by(Account.id)).all()
        return [record(AccountRecord, row) for row in rows]

    def account(self, number: int) -> AccountRecord:
        """Raises UsageError where there is none."""
        found = self._one(Account.id == number)
        if found is None:
            raise UsageError(f"there is no account {number}")
        return found

    def account_by_name(self, contest: str, name: str) -> AccountRecord:
        """Raises UsageError where there is none."""
        found = self._one(Account.contest == contest, Account.name == storable(name))
        if found is None:
            raise UsageError(f"there is no account '{name}' in '{contest}'", f"type: kgrade contest status {contest}")
        return found

    def account_called(self, contest: str, word: str) -> AccountRecord:
        """The account with this name, e-mail address or number. Raises UsageError."""
        return find_account(self.accounts(contest), word, contest)

    def account_by_token(self, token_hash: str) -> AccountRecord | None:
        """The account whose token has this SHA-256."""
        with self.reading() as connection:
            row = connection.execute(_BY_TOKEN, {"hash": token_hash}).first()
        return None if row is None else record(AccountRecord, row)

    def account_by_link(self, link_hash: str) -> AccountRecord | None:
        """The account whose sign-in link has this SHA-256."""
        return self._one(Account.link_hash == link_hash)

    def accounts_known_as(self, *, email: str | None = None, subject: str | None = None) -> list[AccountRecord]:
        """The accounts of all contests with this e-mail address or this subject that may sign in.

        An account whose sign-in was revoked is none of them, and neither is one of two in a contest.
        """
        found = self._known_as(email=email, subject=subject)
        contests = [each.contest for each in found]
        return [each for each in found if each.link_hash is not None and contests.count(each.contest) == 1]

    def contests_knowing(self, *, email: str | None = None, subject: str | None = None) -> set[str]:
        """The contests that have an account of this e-mail address or this subject, even one that may not sign in."""
        return {each.contest for each in self._known_as(email=email, subject=subject)}

    def set_subject(self, number: int, subject: str, *, who: str) -> None:
        """Sets who the account is to an identity provider."""
        self._change(number, {"subject": storable(subject)}, who, "subject set", {})

    def add_session(self, account: AccountRecord, token_hash: str) -> None:
        """Signs the account in, and deletes expired sessions and the account's oldest."""
        now = self.now()
        row = {"token_hash": token_hash, "account_id": account.id, "epoch": account.session_epoch, "created": now}
        with self.writing() as connection:
            connection.execute(delete(Session).where(Session.created <= now - SESSION_LASTS))
            own = Session.account_id == account.id
            newest = select(Session.token_hash).where(own).order_by(Session.created.desc()).limit(MOST_SESSIONS - 1)
            connection.execute(delete(Session).where(own, Session.token_hash.not_in(newest)))
            connection.execute(insert(Session).values(**row))

    def account_by_session(self, token_hash: str) -> AccountRecord | None:
        """The account signed in with the session whose token has this SHA-256."""
        with self.reading() as connection:
            since = self.now() - SESSION_LASTS
            row = connection.execute(_BY_SESSION, {"hash": token_hash, "since": since}).first()
        return None if row is None else record(AccountRecord, row)

    def end_session(self, token_hash: str) -> None:
        with self.writing() as connection:
            connection.execute(delete(Session).where(Session.token_hash == token_hash))

    def set_secrets(self, number: int, token_hash: str | None, link_hash: str | None, *, who: str) -> None:
        """Renews an account's token and link, or revokes them with None; its open sessions end either way."""
        new = {"token_hash": token_hash, "link_hash": link_hash, "session_epoch": Account.session_epoch + 1}
        done = "sign-in renewed" if token_hash or link_hash else "sign-in revoked"
        self._change(number, new, who, done, {})

    def end_sessions(self, number: int, *, who: str) -> None:
        """Signs the account out everywhere."""
        self._change(number, {"session_epoch": Account.session_epoch + 1}, who, "signed out everywhere", {})

    def set_extension(self, number: int, seconds: int, *, who: str) -> None:
        """Sets the account's total extension beyond the contest's end to `seconds`."""
        self._change(number, {"extension_seconds": seconds}, who, "extension given", {"seconds": seconds})

    def set_team(self, number: int, team: str | None, *, who: str) -> None:
        """Puts the account into the named team, which is created if it is new; None removes it from its team."""
        contest = self.account(number).contest
        with self.writing() as connection:
            values = {"team_id": None if team is None else _team(connection, contest, team)}
            self._change_in(connection, number, values, who, "team set", {"team": team})

    def disqualify_account(self, number: int, reason: str | None, *, who: str) -> None:
        """Takes an account off the board for a reason; None reinstates it."""
        done = "account disqualified" if reason else "account reinstated"
        self._change(number, {"disqualified": storable(reason) if reason else None}, who, done, {"reason": reason})

    def _add(self, connection: Connection, contest: str, each: NewAccount, who: str) -> int:
        """Adds an account and returns its number. Raises UsageError if its name is taken."""
        values = {
            "contest": contest,
            "name": storable(each.name),
            "email": storable(each.email),
            "role": each.role,
            "team_id": None if each.team is None else _team(connection, contest, each.team),
            "token_hash": each.token_hash,
            "link_hash": each.link_hash,
            "session_epoch": 0,
            "extension_seconds": 0,
            "created": self.now(),
            "subject": None if each.subject is None else storable(each.subject),
        }
        try:
            number = connection.execute(insert(Account).values(**values).returning(Account.id)).scalar_one()
        except IntegrityError as error:
            raise UsageError(
                f"'{each.name}' can't be added to '{contest}': the name is taken or there is no such contest",
                f"see who is there: kgrade contest status {contest}",
            ) from error
        self.log(connection, who, "account added", contest, {"account": each.name, "role": each.role})
        return number

    def _known_as(self, *, email: str | None, subject: str | None) -> list[AccountRecord]:
        where = func.lower(Account.email) == email.lower() if email is not None else Account.subject == subject
        with self.reading() as connection:
            rows = connection.execute(_whole().where(where).order_by(Account.id)).all()
        return [record(AccountRecord, row) for row in rows]

    def _one(self, *where: ColumnElement[bool]) -> AccountRecord | None:
        with self.reading() as connection:
            row = connection.execute(_whole().where(*where)).first()
        return None if row is None else record(AccountRecord, row)

    def _change(self, number: int, values: Mapping[str, Any], who: str, what: str, detail: Mapping[str, Any]) -> None:
        with self.writing() as connection:
            self._change_in(connection, number, values, who, what, detail)

    def _change_in(
        self,
        connection: Connection,
        number: int,
        values: Mapping[str, Any],
        who: str,
        what: str,
        detail: Mapping[str, Any],
    ) -> None:
        change = update(Account).where(Account.id == number).values(**values)
        row = connection.execute(change.returning(Account.contest, Account.name)).first()
        if row is None:
            raise UsageError(f"there is no account {number}")
        self.log(connection, who, what, row.contest, {"account": row.name, **detail})


def _whole() -> Select[Any]:
    return select(*Account.__table__.columns, Team.name.label("team")).outerjoin(Team, Team.id == Account.team_id)


# Run with every API request, so built once.
_BY_TOKEN = _whole().where(Account.token_hash == bindparam("hash"))
_BY_SESSION = (
    _whole()
    .join(Session, (Session.account_id == Account.id) & (Session.epoch == Account.session_epoch))
    .where(Session.token_hash == bindparam("hash"), Session.created > bindparam("since"))
)


def _team(connection: Connection, contest: str, name: str) -> int:
    name = storable(name)
    found = connection.execute(select(Team.id).where(Team.contest == contest, Team.name == name)).scalar()
    if found is not None:
        return found
    return connection.execute(insert(Team).values(contest=contest, name=name).returning(Team.id)).scalar_one()
