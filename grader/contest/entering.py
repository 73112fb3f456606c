"""Letting in who asks to enter a contest: the account that staff's word makes, and the names that may be given."""

from __future__ import annotations

from grader.contest.access import Access
from grader.contest.auth import hash_token, new_token
from grader.contest.database import Database
from grader.contest.naming import free_name, plain_name
from grader.contest.provider import EMAIL, SUBJECT
from grader.contest.records import AccountRecord, EntryRecord, NewAccount
from grader.contest.roster import name_faults
from grader.contest.settings import ASK, Settings
from grader.contest.tables.entries import nobody_asks
from grader.core.errors import UsageError


def checked_name(name: str) -> str:
    """The name as a roster would take it. Raises UsageError."""
    name = name.strip()
    faults = [*name_faults("name", name)]
    if plain_name(name) != name:
        faults.append("the name ends as kgrade numbers namesakes; write it without the number")
    if faults:
        raise UsageError("; ".join(faults), "write your name as your course knows it")
    return name


def admit(database: Database, slug: str, number: int, *, who: str) -> str:
    """Lets somebody in who asks to, and returns the account's name. Raises UsageError.

    They sign in as they did when they asked. The account's link and token are known to nobody until they are renewed.
    """
    asked = _asked(database, slug, number)
    if slug in database.contests_knowing(**_known(asked.kind, asked.value)):
        raise UsageError(
            f"'{asked.value}' has an account in '{slug}' already, so {asked.name} can't get another",
            "see People, or let that one sign in again: kgrade contest renew",
        )
    name = free_name(asked.name, {each.name.casefold() for each in database.accounts(slug)})
    secret = {"token_hash": hash_token(new_token()), "link_hash": hash_token(new_token())}
    database.let_in(slug, number, NewAccount(name, **_known(asked.kind, asked.value), **secret), who=who)
    return name


def accounts_of(database: Database, kind: str, value: str) -> list[AccountRecord]:
    """The accounts with which this person signs in."""
    return database.accounts_known_as(**_known(kind, value))


def askable(database: Database, access: Access, kind: str, value: str) -> list[Settings]:
    """The contests that this person may ask to enter: those that take such questions, go on, and don't know them."""
    known = database.contests_knowing(**_known(kind, value))
    known |= {each.contest for each in database.entries_of(kind, value)}
    asking = [each for each in access.contests() if each.entry == ASK and each.slug not in known]
    return [each for each in asking if not access.is_over(each)]


def _known(kind: str, value: str) -> dict[str, str]:
    return {EMAIL if kind == EMAIL else SUBJECT: value}


def _asked(database: Database, slug: str, number: int) -> EntryRecord:
    for each in database.entries(slug):
        if each.id == number:
            return each
    raise nobody_asks(slug, number)
