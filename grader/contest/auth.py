"""Credentials: random tokens in browsers' cookies, bearer tokens of programs, and tokens that protect forms.

It makes and checks hashes and signatures; the database knows which account a hash belongs to.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shlex import quote

from grader.core.errors import DiskFull, StoreError

LONGEST_TOKEN = 200
"""Characters. Anything longer can't be one of our tokens and is not hashed."""


def hash_token(token: str) -> str:
    """The hash of a token for the database; with 256 random bits, one round of SHA-256 is enough."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A new token. None begins with a dash: spreadsheets would take it for a formula, commands for an option."""
    while not (token := secrets.token_urlsafe(32))[0].isalnum():
        pass
    return token


class Signer:
    """Signs forms with the server's secret. It does not authenticate anybody: sessions and tokens do that."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def form(self, cookie: str) -> str:
        """The CSRF token for all forms of this session; another site can neither read nor compute it."""
        message = f"form\0{cookie}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, sha256).hexdigest()

    def seal(self, text: str) -> str:
        """The text with a signature, for a cookie that has to come back unchanged."""
        return f"{self._mark(text)}.{urlsafe_b64encode(text.encode()).decode()}"

    def unseal(self, sealed: str) -> str | None:
        """The text; None if this server did not seal it."""
        mark, _, coded = sealed.partition(".")
        try:
            text = urlsafe_b64decode(coded.encode()).decode()
        except ValueError:
            return None
        return text if same(mark, self._mark(text)) else None

    def _mark(self, text: str) -> str:
        return hmac.new(self._secret, f"sealed\0{text}".encode("utf-8", "surrogatepass"), sha256).hexdigest()

    def accepts(self, cookie: str, form: str) -> bool:
        return bool(cookie) and same(form, self.form(cookie))

    def visitor(self) -> str:
        """A cookie that says: this browser was signed in here once."""
        word = new_token()
        return f"{word}.{self._of_visitor(word)}"

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is one that `visitor` made."""
        word, _, signature = cookie.partition(".")
        return len(cookie) <= LONGEST_TOKEN and same(signature, self._of_visitor(word))

    def _of_visitor(self, word: str) -> str:
        return hmac.new(self._secret, f"visitor\0{word}".encode("utf-8", "surrogatepass"), sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def bearer(header: str | None) -> str | None:
    """The bearer token in an Authorization header; None if there is no valid one."""
    scheme, _, token = (header or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and 0 < len(token) <= LONGEST_TOKEN else None


def server_secret(folder: Path) -> bytes:
    """The secret of the server whose contests are in `folder`, created at the first call with mode 0600. Raises
    StoreError.
    """
    path = folder / "secret"
    try:
        if not path.exists():
            _make_secret(path)
        if path.stat().st_mode & 0o077:
            raise StoreError(
                f"others on this machine can read the server's secret {path}, so it is none",
                f"remove it, and a new one is made: rm {quote(str(path))}",
            )
        secret = path.read_text().strip()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = f"free some space (df -h {quote(str(folder))}), then start again"
            raise DiskFull(f"no space left to make the server's secret {path}", hint) from None
        raise StoreError(f"the server's secret {path} can't be read: {error}", f"type: chmod u+rw {path}") from None
    if len(secret) < 64:
        raise StoreError(f"the server's secret {path} is damaged", f"remove it, and a new one is made: rm {path}")
    return secret.encode()


def _make_secret(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written to a temporary file and linked: if two servers start at once, both read the first one's secret.
    made = path.with_name(f".secret.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        made.touch(0o600, exist_ok=False)
        made.write_text(secrets.token_hex(32))
        with suppress(FileExistsError):
            os.link(made, path)
    finally:
        made.unlink(missing_ok=True)
