"""How people are named: namesakes get a number behind their names, and a command's word finds one account.

Names are unique within a contest, because the scoreboard and the log of changes go by them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches

from grader.contest.records import AccountRecord
from grader.core.errors import UsageError

_NUMBERED = re.compile(r"(.+) \((\d{1,4})\)")
MOST_NAMED = 8


def plain_name(name: str) -> str:
    """The name as its owner reads it, without the number that tells namesakes apart: "John Smith"."""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else name


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or with the next free number behind it: "John Smith (2)". `taken` holds names in lower case."""
    number, free = 2, name
    while free.casefold() in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def find_account(accounts: Sequence[AccountRecord], word: str, slug: str) -> AccountRecord:
    """The account with this name, e-mail address or number.

    Raises UsageError that lists the candidates where several have the name, and near names where nobody has it.
    """
    wanted = word.strip().casefold()
    tests: list[Callable[[AccountRecord], bool]] = [
        lambda each: each.email.casefold() == wanted,
        lambda each: plain_name(each.name).casefold() == wanted,
        lambda each: each.name.casefold() == wanted,
        lambda each: str(each.id) == wanted.removeprefix("#"),
    ]
    for fits in tests if wanted else []:
        found = [each for each in accounts if fits(each)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"'{word}' is the name of {len(found)} in '{slug}': {'; '.join(map(_told_apart, found[:MOST_NAMED]))}",
                "give the e-mail address or the number in place of the name",
            )
    raise UsageError(f"nobody in '{slug}' is called '{word}'", _near(accounts, word, wanted, slug))


def _near(accounts: Sequence[AccountRecord], word: str, wanted: str, slug: str) -> str:
    keys = {key.casefold(): each for each in accounts for key in (each.email, each.name) if key}
    # A given name or a surname alone is near too.
    parts = [each for each in accounts if wanted and wanted in each.name.casefold()]
    close = [keys[key] for key in get_close_matches(wanted, keys, MOST_NAMED, 0.6)]
    near = list(dict.fromkeys([*parts, *close]))[:MOST_NAMED]
    if near:
        return f"did you mean {' or '.join(map(_told_apart, near))}?"
    some = ", ".join(each.name for each in accounts[:MOST_NAMED])
    more = f" and {len(accounts) - MOST_NAMED} more" if len(accounts) > MOST_NAMED else ""
    return f"there are {some}{more}; all of them: kgrade contest team {slug}" if accounts else "nobody is there yet"


def _told_apart(account: AccountRecord) -> str:
    return f"{account.name} ({account.email or 'no e-mail'}, number {account.id})"
