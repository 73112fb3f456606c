"""The user's logins: a file with server and token of each contest, readable only by its owner."""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import UsageError, WorkspaceError

_CONTEST = re.compile(r"/contests/([a-z0-9-]+)")


@dataclass(frozen=True)
class Login:
    server: str
    token: str


def logins_file() -> Path:
    """The path of the logins file, in KGRADE_CONFIG or else in the user's config folder."""
    if named := os.environ.get("KGRADE_CONFIG"):
        return Path(named).expanduser().absolute() / "logins.json"
    from platformdirs import user_config_path

    return user_config_path("kgrade", appauthor=False) / "logins.json"


def read_logins() -> dict[str, Login]:
    """The logins by contest. Raises WorkspaceError if the file is damaged."""
    path = logins_file()
    try:
        data = json.loads(path.read_text())
        return {slug: Login(str(each["server"]), str(each["token"])) for slug, each in data.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise WorkspaceError(f"{path} can't be read: {error.strerror}", f"type: chmod u+rw {path}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WorkspaceError(
            f"{path} is damaged", f"remove it and sign in again: rm {path}; kgrade login URL"
        ) from None


def login_of(contest: str) -> tuple[str, Login]:
    """The name and the login of a contest, given its name or an address on its server.

    Raises UsageError if there is no login, or if the address is that of several contests.
    """
    known = read_logins()
    found = [contest] if contest in known else []
    if not found and ("://" in contest or "." in contest):
        from grader.contest.client import checked_address

        server, named = checked_address(contest), contest_in(contest)
        found = [slug for slug, login in known.items() if login.server == server and named in ("", slug)]
        if len(found) > 1:
            raise UsageError(
                f"you are signed in to several contests at {server}",
                f"name one: --contest {' or '.join(sorted(found))}",
            )
    if found:
        return found[0], known[found[0]]
    if known:
        there = f"; you are to {', '.join(f'{slug!r}' for slug in sorted(known))}"
        hint = f"name one of these, or type: kgrade login {'URL' if '://' not in contest else contest}"
    else:
        there, hint = "", "type: kgrade login URL, with your course's site as the URL and the token that you were given"
    raise UsageError(f"you are not signed in to the contest '{contest}'{there}", hint)


def contest_in(address: str) -> str:
    """The contest that an address on its site names; empty if it names none."""
    found = _CONTEST.search(address)
    return found[1] if found else ""


def remember(slug: str, login: Login) -> Path:
    """Stores the login and returns the file's path; the file is replaced atomically and never readable by others."""
    path = logins_file()
    everything = {**read_logins(), slug: login}
    text = json.dumps({key: vars(each) for key, each in everything.items()}, indent=2)
    beside = path.with_name(f".logins.{secrets.token_hex(6)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text + "\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise WorkspaceError(f"{path} can't be written: {error.strerror}", "set KGRADE_CONFIG to a folder") from None
    return path
