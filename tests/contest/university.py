"""An identity provider for tests: discovery, authorization, tokens and keys, on a port of its own.

It knows one person, signs in without asking, and checks what a provider has to check. What it says can be spoilt.
"""

from __future__ import annotations

import hashlib
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from grader.contest.listen import bound_socket

CLIENT, SECRET = "kgrade-client", "secret of the client"
REDIRECT = "http://localhost:8000/sign-in/provider/back"


@dataclass
class University:
    address: str
    claims: dict[str, Any] = field(default_factory=dict)
    """What an ID token says besides, or in place of, what is right; None takes a claim out."""
    metadata: dict[str, Any] = field(default_factory=dict)
    user: dict[str, Any] = field(default_factory=dict)
    """The answer of the userinfo endpoint."""
    algorithm: str = "RS256"
    token: str | None = None
    """In place of the ID token."""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1"}))
    other: RSAKey | None = None
    """Signs in place of `key`."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)

    def discovery(self, request: Request) -> Response:
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        found: dict[str, Any] = {f"{name}_endpoint": f"{self.address}/{path}" for name, path in names.items()}
        found |= {"issuer": self.address, "jwks_uri": f"{self.address}/keys"}
        found |= {"id_token_signing_alg_values_supported": ["RS256", "HS256", "none"]}
        return JSONResponse(found | self.metadata)

    def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.asked.append(asked)
        right = {
            "client_id": CLIENT,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "code_challenge_method": "S256",
        }
        if any(asked.get(key) != value for key, value in right.items()) or "openid" not in asked["scope"].split():
            return Response("not a request of the client", 400)
        code = f"code-{len(self.asked)}"
        self.codes[code] = asked
        return RedirectResponse(f"{REDIRECT}?{urlencode({'code': code, 'state': asked['state']})}", 302)

    async def give_token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        asked = self.codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proven = asked and urlsafe_b64encode(verifier).rstrip(b"=").decode() == asked["code_challenge"]
        if not proven or asked is None or "authorization" not in request.headers:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": "person-17", "iat": now, "exp": now + 300}
        claims |= {"nonce": asked["nonce"], "email": "ada@example.org", "email_verified": True, **self.claims}
        claims = {key: value for key, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": "1"}
        key: Any = OctKey.import_key(SECRET) if self.algorithm == "HS256" else self.other or self.key
        token = self.token if self.token is not None else jwt.encode(header, claims, key, algorithms=[self.algorithm])
        return JSONResponse({"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": token})

    def keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    def userinfo(self, request: Request) -> Response:
        return JSONResponse(self.user)


@contextmanager
def open_university() -> Iterator[University]:
    listening = bound_socket("127.0.0.1", 0)
    there = University(f"http://127.0.0.1:{listening.getsockname()[1]}")
    routes = [
        Route("/.well-known/openid-configuration", there.discovery),
        Route("/authorize", there.authorize),
        Route("/token", there.give_token, methods=["POST"]),
        Route("/keys", there.keys),
        Route("/userinfo", there.userinfo),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield there
    finally:
        server.should_exit = True
        thread.join()
