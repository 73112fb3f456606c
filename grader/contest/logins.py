"""The user's logins: a file with server and token of each contest, readable only by its owner."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import UsageError, WorkspaceError


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


def login_of(slug: str) -> Login:
    """The login for a contest. Raises UsageError if there is none."""
    known = read_logins()
    if slug in known:
        return known[slug]
    others = f" You are signed in to: {', '.join(sorted(known))}." if known else ""
    raise UsageError(f"you are not signed in to the contest '{slug}'.{others}", "type: kgrade login URL")


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
