"""Who asks: sessions of browsers by a signed cookie, programs by a bearer token, forms by a token of their own.

It knows signatures and hashes; which account a hash belongs to is the database's to say.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from shlex import quote

from grader.errors import DiskFull, StoreError

SESSION_DAYS = 30
LONGEST_TOKEN = 200
"""Characters. What is longer is no token of ours and is not hashed."""


def hash_token(token: str) -> str:
    """What the database keeps of a token: it is 256 random bits, so one round of SHA-256 can't be turned back."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Session:
    """What a session cookie says: whose it is, of which epoch, and since when. A raised epoch ends all of before."""

    account: int
    epoch: int
    since: datetime


class Signer:
    """Signs sessions and forms with the server's secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def session(self, account: int, epoch: int, now: datetime) -> str:
        payload = f"{account}.{epoch}.{int(now.timestamp())}"
        return f"{payload}.{self._sign('session', payload)}"

    def read(self, cookie: str, now: datetime) -> Session | None:
        """The session, or None where the cookie is forged, cut or too old."""
        if len(cookie) > LONGEST_TOKEN:
            return None
        payload, _, signature = cookie.rpartition(".")
        if not same(signature, self._sign("session", payload)):
            return None
        account, epoch, since = map(int, payload.split("."))
        began = datetime.fromtimestamp(since, now.tzinfo)
        return Session(account, epoch, began) if now - began < timedelta(days=SESSION_DAYS) else None

    def form(self, cookie: str) -> str:
        """The token of every form of this session; another site can neither read nor make it."""
        return self._sign("form", cookie)

    def accepts(self, cookie: str, form: str) -> bool:
        return bool(cookie) and same(form, self.form(cookie))

    def _sign(self, purpose: str, text: str) -> str:
        message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compares in a time that tells nothing."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def bearer(header: str | None) -> str | None:
    """The token of an Authorization header."""
    scheme, _, token = (header or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and 0 < len(token) <= LONGEST_TOKEN else None


def server_secret(folder: Path) -> bytes:
    """The secret of the server whose contests are in `folder`, made at the first call, readable by its owner alone."""
    path = folder / "secret"
    try:
        if not path.exists():
            _make_secret(path)
        secret = path.read_text().strip()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = f"free some space (df -h {quote(str(folder))}), then start again"
            raise DiskFull(f"no space left to make the server's secret {path}", hint) from None
        raise StoreError(f"the server's secret {path} can't be read: {error}", f"type: chmod u+rw {path}") from None
    if len(secret) < 64:
        raise StoreError(f"the server's secret {path} is damaged", f"remove it; everybody signs in again: rm {path}")
    return secret.encode()


def _make_secret(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and linked: of two servers that start at once, both read the one that was first.
    made = path.with_name(f".secret.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        made.touch(0o600, exist_ok=False)
        made.write_text(secrets.token_hex(32))
        with suppress(FileExistsError):
            os.link(made, path)
    finally:
        made.unlink(missing_ok=True)
