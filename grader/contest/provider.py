"""Sign-in by OpenID Connect: the settings of a university's identity provider, and the protocol by authlib.

Authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1; RFC 7636). What is missing,
differs or can't be checked is a refusal. Which accounts a person has is looked up elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from grader.contest.client import LOCAL
from grader.contest.database import contests_folder
from grader.contest.settings_reader import Reader
from grader.core import toml
from grader.core.errors import KgradeError, ToolMissing, UsageError
from grader.machine.own_install import extra_command
from grader.store.workspace import Workspace

FILE = "sign-in.toml"
SECRET_VARIABLE = "KGRADE_OIDC_SECRET"
CALLBACK = "/sign-in/provider/back"
KEYS = ("name", "issuer", "client_id", "client_secret_file", "address", "match", "claim", "unverified_email")
EMAIL, SUBJECT = "email", "subject"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures that only the provider can make: "none", and those by a secret that the client has too, are refused."""
SECONDS = 10.0
"""How long an answer of the provider is waited for."""
LEEWAY = 60
"""Seconds by which the provider's clock may differ."""


class NotSignedIn(KgradeError):
    """Who somebody is could not be established; the message is for the log."""


@dataclass(frozen=True)
class Provider:
    """An identity provider. `address` is the site's own. People are matched with the roster by the column `match`,
    "email" or "subject", which has to equal their `claim`.

    An address that the provider does not call verified is refused unless `unverified_email`.
    """

    name: str
    issuer: str
    client_id: str
    client_secret: str
    address: str
    match: str = EMAIL
    claim: str = EMAIL
    unverified_email: bool = False

    @property
    def redirect(self) -> str:
        """The address to register with the provider."""
        return self.address + CALLBACK


def read_provider(workspace: Workspace) -> Provider | None:
    """Reads contests/sign-in.toml; None without one. Raises UsageError listing every mistake."""
    path = contests_folder(workspace) / FILE
    try:
        data = toml.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {error}", "see docs/hosting.md for an example") from None
    read = Reader(data)
    read.only(KEYS)
    match = read.choice("match", (EMAIL, SUBJECT), default=EMAIL)
    provider = Provider(
        read.text("name", default="your university"),
        _address(read, "issuer"),
        read.text("client_id"),
        _secret(read, path),
        _address(read, "address").rstrip("/"),
        match,
        read.text("claim", default="email" if match == EMAIL else "sub"),
        read.flag("unverified_email"),
    )
    mistakes = read.mistakes
    if mistakes:
        lines = "".join(f"\n  {mistake}" for mistake in mistakes)
        raise UsageError(f"{path}:{lines}", "correct it, then start the server again")
    return provider


def _address(read: Reader, key: str) -> str:
    """An address by https; by http only on this machine."""
    text = read.text(key)
    if read.get(key) is not None and text and (not is_protected(text) or "?" in text):
        read.mistake(key, text, "an address that begins with https://")
    return text


def _secret(read: Reader, path: Path) -> str:
    if secret := os.environ.get(SECRET_VARIABLE, "").strip():
        return secret
    named = read.text("client_secret_file", default="")
    if not named:
        read.mistake(
            "client_secret_file", "", f"the path of a file with the client's secret, or {SECRET_VARIABLE} set,"
        )
        return ""
    file = path.parent / Path(named).expanduser()
    try:
        if file.stat().st_mode & 0o077:
            read.mistake("client_secret_file", named, f"a file that nobody else may read (chmod 600 {file})")
        secret = file.read_text().strip()
    except (OSError, ValueError) as error:
        read.mistake("client_secret_file", named, f"a file that can be read ({error})")
        return ""
    if not secret:
        read.mistake("client_secret_file", named, "a file that is not empty")
    return secret


@dataclass(frozen=True)
class Identity:
    """Who somebody is to the provider: `value` is compared with the roster, `name` is what they are called, if told."""

    value: str
    name: str = ""


class SignIn:
    """The protocol with one provider. Its addresses and keys are asked for at the first sign-in, and kept."""

    def __init__(self, provider: Provider) -> None:
        try:
            from authlib.integrations.starlette_client import OAuth
        except ModuleNotFoundError as error:
            words = f"sign-in by OpenID Connect needs {error.name}"
            raise ToolMissing(words, f"type: {extra_command('server')}") from None
        self.provider = provider
        oauth = OAuth()
        self._client: Any = oauth.register(
            "provider",
            client_id=provider.client_id,
            client_secret=provider.client_secret,
            server_metadata_url=f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email" if provider.claim == EMAIL else "openid email profile",
                "code_challenge_method": "S256",
                "timeout": SECONDS,
            },
        )

    async def begin(self, session: dict[str, Any]) -> str:
        """The provider's address to send the browser to; what its return is checked against is put into `session`.

        Raises NotSignedIn.
        """
        from starlette.requests import Request

        request = Request({"type": "http", "session": session})
        try:
            await self._check_metadata()
            answer = await self._client.authorize_redirect(request, self.provider.redirect)
        # It raises errors of four libraries, and anything for an answer of another form.
        except Exception as error:
            raise _refused(error) from error
        return str(answer.headers["location"])

    async def end(self, session: dict[str, Any], query: bytes) -> Identity:
        """Who came back with this query. Raises NotSignedIn."""
        from starlette.requests import Request

        request = Request({"type": "http", "method": "GET", "session": session, "query_string": query})
        expected = {
            "iss": {"essential": True, "value": self.provider.issuer},
            "aud": {"essential": True, "value": self.provider.client_id},
        }
        try:
            await self._check_metadata()
            token = await self._client.authorize_access_token(request, claims_options=expected, leeway=LEEWAY)
            claims = token.get("userinfo")
            if claims and self.provider.claim not in claims and "userinfo_endpoint" in self._client.server_metadata:
                told = await self._client.userinfo(token=token)
                # OpenID Connect Core 1.0, section 5.3.2: another person's must not be used.
                claims = {**told, **claims} if told.get("sub") == claims["sub"] else None
        except Exception as error:
            raise _refused(error) from error
        return self._identity(claims)

    def _identity(self, claims: Mapping[str, Any] | None) -> Identity:
        if not claims:
            raise NotSignedIn("the provider sent no ID token, or user information of somebody else")
        value = claims.get(self.provider.claim)
        if not isinstance(value, str) or not value.strip():
            raise NotSignedIn(f"the provider's claim '{self.provider.claim}' is missing or no text")
        by_mail = self.provider.match == EMAIL
        if by_mail and claims.get("email_verified") is not True and not self.provider.unverified_email:
            raise NotSignedIn("the provider does not say email_verified; see unverified_email in docs/hosting.md")
        name = claims.get("name")
        value = value.strip().lower() if by_mail else value.strip()
        return Identity(value, name if isinstance(name, str) else "")

    async def _check_metadata(self) -> None:
        """Loads what the provider says of itself, once. Raises ValueError if it is another one, or not protected."""
        found = await self._client.load_server_metadata()
        if found.get("issuer") != self.provider.issuer:
            raise ValueError(f"the issuer calls itself {found.get('issuer')!r}, not {self.provider.issuer!r}")
        for key in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not is_protected(str(found.get(key, ""))):
                raise ValueError(f"the issuer's {key} is {found.get(key)!r}; an address by https is expected")
        told = found.get("id_token_signing_alg_values_supported") or ["RS256"]
        usable = [each for each in told if each in ALGORITHMS]
        if not usable:
            raise ValueError(f"the issuer signs by none of {', '.join(ALGORITHMS)}")
        self._client.server_metadata["id_token_signing_alg_values_supported"] = usable


def is_protected(address: str) -> bool:
    """Whether an address is by https, or by http on this machine; without a query and a user's name."""
    try:
        parts = urlsplit(address)
        local = parts.scheme == "http" and parts.hostname in LOCAL
        return (parts.scheme == "https" or local) and bool(parts.hostname) and not (parts.fragment or parts.username)
    except ValueError:
        return False


def _refused(error: Exception) -> NotSignedIn:
    return NotSignedIn(f"{type(error).__name__}: {error}")
