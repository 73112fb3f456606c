"""The client of the HTTP API, used by students' commands and by workers on other machines.

It turns JSON into the objects of this package, and every failure into a KgradeError.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from grader import __version__
from grader.contest.jobs import Answer, Claim, Job, Outcome, Question
from grader.core.errors import JudgeError, UsageError
from grader.core.report import Report, from_json

SECONDS = 30.0
WHOLE = 120.0
"""Seconds in which an answer has to have come to its end."""
LARGEST = 64 << 20
"""Bytes of an answer, or of one event: who names an address by mistake must not fill this machine's memory."""
SILENCE = 60.0
"""An event stream sends something every 15 seconds; after four times that it counts as dead."""
PATIENCE = 120.0
"""How long in seconds a server may be unreachable while a submission is watched."""
LOCAL = ("localhost", "127.0.0.1", "::1")


class ServerAway(JudgeError):
    """The server can't be reached or is out of order; retrying later may help."""


class ServerFull(ServerAway):
    """The server's disk is full; freeing space takes longer than a command should wait."""


class Client:
    """Sends requests with one token to one server."""

    def __init__(self, address: str, token: str, transport: httpx.BaseTransport | None = None) -> None:
        self.address = checked_address(address)
        own = urlsplit(self.address).hostname in LOCAL
        headers = {"authorization": f"Bearer {token}", "user-agent": f"kgrade/{__version__}"}
        try:
            self._http = httpx.Client(
                base_url=self.address,
                headers=headers,
                timeout=SECONDS,
                follow_redirects=False,
                transport=transport,
                # A proxy named in the environment can't reach a server on this machine's loopback.
                trust_env=not own,
                # Reading the certificates takes longer than most requests, and nothing is encrypted there.
                verify=not (own and self.address.startswith("http://")),
            )
        except (UnicodeEncodeError, ValueError):
            raise UsageError("this is no token: it has characters that a token never has", "copy it again") from None

    def close(self) -> None:
        self._http.close()

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, data: object) -> Any:
        return self._ask("POST", path, data)

    def events(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yields server-sent events as (name, JSON data) until the server ends the stream."""
        try:
            timeout = httpx.Timeout(SECONDS, read=SILENCE)
            with self._http.stream("GET", path, timeout=timeout) as answer:
                if answer.status_code != 200:
                    self._check(answer.status_code, _whole(answer))
                name, data = "", ""
                for line in _lines(answer):
                    if line.startswith("event:"):
                        name = line[6:].strip()
                    elif line.startswith("data:"):
                        data += line[5:].strip()
                        if len(data) > LARGEST:
                            raise self._not_kgrade()
                    elif not line and data:
                        yield name, _parsed(data)
                        name, data = "", ""
        except httpx.HTTPError as error:
            raise self._away(error) from error
        except ValueError as error:
            raise self._not_kgrade() from error

    def _ask(self, method: str, path: str, data: object = None) -> Any:
        try:
            with self._http.stream(method, path, json=data) as answer:
                body = _whole(answer)
            self._check(answer.status_code, body)
            return _parsed(body)
        except httpx.HTTPError as error:
            raise self._away(error) from error
        except ValueError as error:
            raise self._not_kgrade() from error

    def _check(self, status: int, body: bytes) -> None:
        if httpx.codes.is_success(status):
            return
        try:
            said = _parsed(body)
            message, hint = str(said["error"]), str(said["hint"])
        except (ValueError, KeyError, TypeError):
            if status >= 500:
                raise ServerAway(f"{self.address} is out of order ({status})", "try later") from None
            raise self._not_kgrade() from None
        if status >= 500:
            kind = ServerFull if status == httpx.codes.INSUFFICIENT_STORAGE else ServerAway
            raise kind(f"{self.address}: {message}", hint)
        raise UsageError(f"{self.address}: {message}", hint)

    def _away(self, error: Exception) -> ServerAway:
        words = str(error) or type(error).__name__
        hint = "see that the address is right and that you are online"
        return ServerAway(f"{self.address} can't be reached: {words}", hint)

    def _not_kgrade(self) -> UsageError:
        return UsageError(f"{self.address} does not answer as a kgrade server", "see that the address is right")


def _parsed(text: str | bytes) -> Any:
    """What JSON says. Raises ValueError, also where it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _whole(answer: httpx.Response) -> bytes:
    """An answer's body. Raises ValueError if it is too large or does not end."""
    body, until = bytearray(), time.monotonic() + WHOLE
    for piece in answer.iter_bytes():
        body += piece
        if len(body) > LARGEST or time.monotonic() > until:
            raise ValueError("it does not end")
    return bytes(body)


def _lines(answer: httpx.Response) -> Iterator[str]:
    """The lines of a stream. Raises ValueError if one is too large or no UTF-8."""
    left = b""
    for piece in answer.iter_bytes():
        *lines, left = (left + piece).split(b"\n")
        yield from (line.decode("utf-8").rstrip("\r") for line in lines)
        if len(left) > LARGEST:
            raise ValueError("a line does not end")


class StudentClient(Client):
    """The requests of students' commands. `say` is called with the reason for a wait."""

    say: Callable[[str], None] = staticmethod(lambda text: None)

    def _check(self, status: int, body: bytes) -> None:
        if status == httpx.codes.UNAUTHORIZED:
            raise UsageError(
                f"{self.address} does not know your token, or no longer",
                "ask whoever runs your course for a new one; it stands beside your sign-in link. "
                f"Then type: kgrade login {self.address}",
            )
        super()._check(status, body)

    def me(self) -> dict[str, Any]:
        found = self.get("/api/me")
        if not isinstance(found, dict) or not all(isinstance(found.get(key), str) for key in ("contest", "name")):
            raise self._not_kgrade()
        # It is printed within a command to type, and is the name by which the login is kept.
        if not re.fullmatch(r"[a-z0-9-]{1,100}", found["contest"]):
            raise self._not_kgrade()
        return found

    def submit(self, problem: str, file: str, source: str, key: str) -> int:
        """Submits a file and returns its number, retrying with the same key while the server is away."""
        new = {"problem": problem, "file": file, "source": source, "key": key}
        return int(self._patiently(lambda: self.post("/api/submissions", new))["id"])

    def run(self, problem: str, file: str, source: str, sizes: str) -> int:
        """Has a text tried and returns the run's number. Sent twice, the second run takes the place of the first."""
        new = {"problem": problem, "file": file, "source": source, "sizes": sizes}
        return int(self._patiently(lambda: self.post("/api/runs", new))["id"])

    def watch(self, number: int, *, of: str = "submissions") -> Iterator[str]:
        """Yields the progress of a submission, or of one of the "runs", in words until it is judged.

        Reconnects if the connection is cut.
        """
        began = time.monotonic()
        while True:
            try:
                for name, data in self.events(f"/api/{of}/{number}/events"):
                    began = time.monotonic()
                    yield str(data["words"])
                    if name == "done":
                        return
            except ServerAway:
                if time.monotonic() - began > PATIENCE:
                    raise
            time.sleep(1.0)

    def report(self, number: int, *, of: str = "submissions") -> tuple[dict[str, Any], Report | None]:
        """Returns a submission or run and its report, None if there is none."""
        found = self._patiently(lambda: self.get(f"/api/{of}/{number}"))
        data = found.get("report")
        return found, None if data is None else from_json(json.dumps(data))

    def contest(self, slug: str) -> dict[str, Any]:
        """The contest as this account sees it: `api_shapes.Contest`."""
        return self._object(f"/api/contests/{quote(slug, safe='')}")

    def scoreboard(self, slug: str) -> dict[str, Any]:
        """The contest's scoreboard: `api_shapes.Scoreboard`."""
        return self._object(f"/api/contests/{quote(slug, safe='')}/scoreboard")

    def submissions(self, problem: str | None = None) -> list[dict[str, Any]]:
        """The account's and its team's submissions, newest first: `api_shapes.Submission`."""
        found = self.get(
            "/api/submissions" if problem is None else f"/api/submissions?{urlencode({'problem': problem})}"
        )
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self._not_kgrade()
        return found

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Turns what fails on an answer of another form into a UsageError that names the server."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._not_kgrade() from error

    def _object(self, path: str) -> dict[str, Any]:
        found = self.get(path)
        if not isinstance(found, dict):
            raise self._not_kgrade()
        return found

    def _patiently(self, ask: Any) -> Any:
        began, pause = time.monotonic(), 0.5
        while True:
            try:
                return ask()
            except ServerAway as error:
                if isinstance(error, ServerFull) or time.monotonic() - began > PATIENCE:
                    raise
                self.say(f"{error.message}; asking again")
            time.sleep(pause)
            pause = min(2 * pause, 8.0)


class WorkerClient(Client):
    """A server's queue as a worker's `WorkSource`."""

    def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
        found = self.post("/api/worker/claim", {"gpu_model": gpu_model, "name": worker})["job"]
        return None if found is None else Job(**found)

    def waiting(self) -> int:
        """How many submissions wait for a worker."""
        return int(self.get("/api/worker/waiting")["waiting"])

    def heartbeat(self, job: Claim, progress: str) -> bool:
        return bool(self.post("/api/worker/heartbeat", {**_held(job), "progress": progress[:200]})["current"])

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        try:
            return bool(self.post("/api/worker/finish", {**_held(job), **asdict(outcome)})["current"])
        except UsageError as error:
            raise JudgeError(error.message, error.hint) from error

    def release(self, job: Claim) -> bool:
        return bool(self.post("/api/worker/release", _held(job))["current"])

    def stalled(self, job: Claim, why: str) -> bool:
        return bool(self.post("/api/worker/stalled", {**_held(job), "why": why[:200]})["current"])

    def question(self) -> Question | None:
        found = self.post("/api/worker/question", {})["question"]
        return None if found is None else Question(**found)

    def answer(self, question: Question, answer: Answer) -> bool:
        claim = {"number": question.number, "attempt": question.attempt}
        return bool(self.post("/api/worker/answer", {**claim, **asdict(answer)})["current"])

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        sign = {"name": worker, "gpu_model": gpu_model, "state": state, "note": note[:2000]}
        self.post("/api/worker/seen", sign)


def checked_address(text: str) -> str:
    """The address of a server without a path. Raises UsageError if it is none."""
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        if "://" not in text and parts.hostname in LOCAL:
            # A server on this machine speaks https only behind a proxy.
            parts = parts._replace(scheme="http")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        # Only for its check: an invalid port raises ValueError.
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"'{text}' is no address of a server", "give one such as https://grader.example.org")
    return f"{parts.scheme}://{parts.netloc}"


def is_unprotected(address: str) -> bool:
    """Whether a token would be sent unencrypted over the network."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname not in LOCAL


def _held(job: Claim) -> dict[str, int]:
    return {"judging_id": job.judging_id, "attempt": job.attempt}
