"""Creates accounts from a roster, and creates, renews and revokes the secrets with which their owners sign in.

Only hashes of the secrets reach the database; the secrets are shown once, in a file readable only by its owner.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.boards.words import spreadsheet_cell
from grader.contest.auth import hash_token, new_token
from grader.contest.database import Database
from grader.contest.naming import free_name, plain_name
from grader.contest.records import AccountRecord, NewAccount
from grader.contest.roster import Person
from grader.core.errors import UsageError, WorkspaceError


@dataclass(frozen=True)
class Issued:
    """An account's new secrets: the word in its personal sign-in link, and the token that `kgrade login` asks for."""

    account: str
    email: str
    link: str
    token: str


@dataclass(frozen=True)
class Added:
    """The result of adding a roster: new accounts with their secrets, and how many were known or changed teams."""

    issued: tuple[Issued, ...]
    known: int
    moved: int


def add_people(
    database: Database, slug: str, people: Sequence[Person], keep: Callable[[Sequence[Issued]], None], *, who: str
) -> Added:
    """Creates an account for each person who has none. Raises UsageError if the roster contradicts existing accounts.

    A roster can be read again after people were added to it: known people keep account and secrets. New secrets are
    passed to `keep` before the accounts are created, so that a full disk leaves no account that nobody can sign in to.
    """
    accounts = database.accounts(slug)
    taken = {account.name.casefold() for account in accounts}
    by_name: dict[str, list[AccountRecord]] = {}
    for each in accounts:
        by_name.setdefault(plain_name(each.name).casefold(), []).append(each)
    by_mail = {account.email.casefold(): account for account in accounts if account.email}
    here = {person.email.casefold() for person in people}
    mistakes: list[str] = []
    new: list[Person] = []
    known: list[tuple[Person, AccountRecord]] = []
    for person in people:
        account = by_mail.get(person.email.casefold())
        namesakes = by_name.get(person.name.casefold(), [])
        if account is not None and plain_name(account.name).casefold() != person.name.casefold():
            mistakes.append(f"the email {person.email} is that of '{account.name}', not of '{person.name}'")
        elif account is not None:
            known.append((person, account))
        # Where the other one is in the roster too, they are two people; else somebody's address changed.
        elif namesakes and not any(each.email.casefold() in here for each in namesakes):
            mistakes.append(
                f"'{person.name}' is there with the email {namesakes[0].email}, not {person.email}; "
                "for a second one of that name list both"
            )
        else:
            name = free_name(person.name, taken)
            taken.add(name.casefold())
            new.append(replace(person, name=name))
    if mistakes:
        raise UsageError(f"nobody was added to '{slug}': {'; '.join(mistakes[:10])}", "correct the roster")
    issued = tuple(Issued(person.name, person.email, new_token(), new_token()) for person in new)
    if issued:
        keep(issued)
    database.add_accounts(
        slug,
        [
            NewAccount(p.name, p.email, p.role, p.team, hash_token(i.token), hash_token(i.link), p.subject)
            for p, i in zip(new, issued, strict=True)
        ],
        who=who,
    )
    moved = 0
    for person, account in known:
        if person.team is not None and person.team != account.team:
            database.set_team(account.id, person.team, who=who)
            moved += 1
        if person.subject is not None and person.subject != account.subject:
            database.set_subject(account.id, person.subject, who=who)
    return Added(issued, len(known), moved)


def renew(
    database: Database,
    accounts: Sequence[AccountRecord],
    keep: Callable[[Sequence[Issued]], None],
    *,
    who: str,
) -> tuple[Issued, ...]:
    """Gives accounts new secrets, passing them to `keep` first; the old ones and all open sessions end."""
    issued = tuple(Issued(account.name, account.email, new_token(), new_token()) for account in accounts)
    keep(issued)
    for account, fresh in zip(accounts, issued, strict=True):
        database.set_secrets(account.id, hash_token(fresh.token), hash_token(fresh.link), who=who)
    return issued


def revoke(database: Database, account: AccountRecord, *, who: str) -> None:
    """Revokes an account's secrets and ends its sessions; `renew` lets it in again."""
    database.set_secrets(account.id, None, None, who=who)


def secrets_to_csv(issued: Sequence[Issued], address: str) -> str:
    """Name, email, sign-in link and token of each account as CSV; `address` is the site's."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("name", "email", "link", "token"))
    for each in issued:
        name, email = spreadsheet_cell(each.account), spreadsheet_cell(each.email)
        writer.writerow((name, email, f"{address.rstrip('/')}/sign-in/{each.link}", each.token))
    return out.getvalue()


def write_secrets(path: Path, issued: Sequence[Issued], address: str) -> None:
    """Writes name, email, sign-in link and token of each account to a new CSV file readable only by its owner.

    `address` is the site's, such as https://grader.example.org. Raises UsageError if the file exists, since it may hold
    secrets that are nowhere else.
    """
    text = secrets_to_csv(issued, address)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            path.unlink(missing_ok=True)
            raise
    except FileExistsError:
        raise UsageError(f"{path} is there already, with secrets of before", "name another file: --to FILE") from None
    except OSError as error:
        raise WorkspaceError(
            f"the secrets can't be written to {path}: {error.strerror or error}", "name another file: --to FILE"
        ) from error
