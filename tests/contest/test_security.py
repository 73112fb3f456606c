"""Attacks on the site: each is tried over HTTP, and nothing leaks and nothing breaks."""

import hmac
import itertools
import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from boards.samples import HOSTILE
from sqlalchemy import update

from grader.boards.code import highlight
from grader.compile.parse import parse
from grader.contest.access import file_name
from grader.contest.auth import Signer, hash_token, server_secret
from grader.contest.bodies import flat_object
from grader.contest.events import MOST_OF_ONE
from grader.contest.hidden import without_cases
from grader.contest.jobs import outcome_of
from grader.contest.limits import Patience, announced_length
from grader.contest.records import NewAccount
from grader.contest.schema import Account
from grader.contest.tables.accounts import MOST_SESSIONS
from grader.contest.visit import SESSION
from grader.core.errors import StoreError, UsageError
from grader.core.report import Diagnostic, to_json
from grader.core.verdict import LanguageName
from grader.languages.registry import make_submission
from tests.called import calls_of

from .site_samples import NOW, SLUG, Hall, accepted, form_token, open_hall, wrong

HOME = f"/contests/{SLUG}"
SECRET = "int secret_of_ada;"


@pytest.fixture
def database_kind() -> str:
    """SQLite, but where a test names others: what is allowed does not depend on the database."""
    return "sqlite"


on_both = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])


def pages_of(number: int) -> list[str]:
    return [f"{HOME}/submissions/{number}", f"{HOME}/submissions/{number}/events"]


def test_nobody_reads_what_others_submitted(hall: Hall) -> None:
    number = hall.submit("ada", SECRET)
    for judged in (False, True):
        if judged:
            hall.judge()
        browser, program = hall.signed_in("bob"), hall.program("bob")
        answers = [browser.get(page) for page in pages_of(number)]
        answers += [program.get(f"/api/submissions/{number}{end}") for end in ("", "/events")]
        assert {answer.status_code for answer in answers} == {404}
        # The same words as for a number that nobody has.
        assert answers[2].text == program.get("/api/submissions/999999").text
        lists = [browser.get(f"{HOME}/submissions"), browser.get(HOME), browser.get(f"{HOME}/scoreboard")]
        lists += [program.get("/api/submissions"), program.get(f"/api/contests/{SLUG}/scoreboard")]
        assert not any("secret_of_ada" in answer.text or "kernel.cu" in answer.text for answer in lists)


def test_others_code_opens_when_all_is_over(hall: Hall) -> None:
    number = hall.submit("ada", SECRET)
    hall.judge()
    carol = hall.database.account_by_name(SLUG, "carol")
    hall.database.set_extension(carol.id, 3600, who="tutor")
    hall.pass_time(hours=5, minutes=30)
    # Carol may still hand in.
    assert hall.program("bob").get(f"/api/submissions/{number}").status_code == 404
    hall.pass_time(hours=1)
    assert "secret_of_ada" in hall.program("bob").get(f"/api/submissions/{number}").text


def test_a_frozen_result_stays_hidden_after_the_end(hall: Hall) -> None:
    hall.pass_time(hours=4, minutes=30)
    number = hall.submit("ada")
    hall.judge()
    hall.pass_time(hours=2)
    assert hall.program("bob").get(f"/api/submissions/{number}").status_code == 404
    hall.database.audit("tutor", "scoreboard unfrozen", SLUG)
    assert hall.program("bob").get(f"/api/submissions/{number}").status_code == 200


def test_hidden_cases_stay_hidden_on_every_path(tmp_path: Path) -> None:
    with open_hall(tmp_path, hidden_seeds=(8123,)) as hall:
        report = replace(wrong(), seed=987654321, printed="M=395 spilled")
        number = hall.submit("ada")
        hall.judge(report)
        elements = [e for case in report.cases for o in case.outputs for e in o.elements]
        secrets = {f"{report.cases[-1].sizes}", "987654321", "spilled", *(f"{e.expected:.9g}" for e in elements)}
        secrets |= {"&#39;M&#39;: ", "M=", report.headline.partition("(with")[2] or "(with"}
        shown = [hall.signed_in("ada").get(page).text for page in pages_of(number)[:1]]
        shown.append(hall.program("ada").get(f"/api/submissions/{number}").text)
        for text, secret in itertools.product(shown, secrets):
            assert secret not in text.replace("int M=", ""), secret
        data = hall.program("ada").get(f"/api/submissions/{number}").json()["report"]
        assert (data["verdict"], data["cases"], data["smallest"], data["pattern"]) == ("wrong_answer", [], None, "")
        # Staff see all of it.
        assert hall.program("tutor").get(f"/api/submissions/{number}").json()["report"]["seed"] == 987654321


def test_what_hides_cases_keeps_the_compilers_words() -> None:
    report = replace(accepted(), diagnostics=(Diagnostic("error", "expected a ';'", 3),))
    assert without_cases(report).diagnostics == report.diagnostics


def test_the_contests_seeds_are_on_no_path(tmp_path: Path) -> None:
    with open_hall(tmp_path, hidden_seeds=(81239977,)) as hall:
        seed = str(hall.site.access.contest(SLUG).hidden_seed("matmul"))
        for name in ("ada", "tutor"):
            for page in (HOME, f"{HOME}/problems/matmul", f"{HOME}/scoreboard", f"{HOME}/staff"):
                text = hall.signed_in(name).get(page).text
                assert "81239977" not in text and seed not in text
            assert "81239977" not in hall.program(name).get(f"/api/contests/{SLUG}").text


def test_students_are_not_staff(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    token = form_token(browser.get(HOME).text)
    for page in ("", "/submissions", "/scoreboard", "/scores.csv", "/rejudges/1"):
        assert browser.get(f"{HOME}/staff{page}").status_code == 404
    for page in ("announcements", "rejudges", "unfreeze", "disqualify", "rejudges/1/apply"):
        data = {"csrf": token, "text": "x", "reason": "x", "number": "1"}
        assert browser.post(f"{HOME}/staff/{page}", data=data).status_code == 404
    assert hall.database.announcements(SLUG) == []


@pytest.mark.parametrize("path", ["claim", "heartbeat", "finish", "release", "seen", "question", "answer"])
def test_students_are_not_workers(hall: Hall, path: str) -> None:
    assert hall.program("ada").post(f"/api/worker/{path}", json={}).status_code in (401, 422)
    body = {"gpu_model": "emulator", "name": "x", "judging_id": 1, "attempt": 1, "verdict": "accepted"}
    assert (
        hall.program("ada").post("/api/worker/claim", json={k: body[k] for k in ("gpu_model", "name")}).status_code
        == 401
    )


def test_a_contests_accounts_are_nothing_in_another(hall: Hall) -> None:
    from grader.contest.settings import settings_to_json

    from .site_samples import secrets, settings

    hall.database.add_contest("other", settings_to_json(settings()), who="test")
    hall.database.add_accounts("other", [NewAccount("eve", "", "staff", None, *secrets("eve"))], who="test")
    number = hall.submit("ada", SECRET)
    assert hall.program("eve").get(f"/api/submissions/{number}").status_code == 404
    assert hall.program("eve").get(f"/api/contests/{SLUG}").status_code == 404
    eve = hall.signed_in("eve")
    session = eve.cookies[SESSION]
    for page in (HOME, f"{HOME}/staff", f"{HOME}/submissions/{number}"):
        assert httpx.get(hall.address + page, cookies={SESSION: session}).status_code == 401


def test_forged_and_old_sessions(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    genuine = browser.cookies[SESSION]
    ada, tutor = (hall.database.account_by_name(SLUG, name) for name in ("ada", "tutor"))
    # Whoever knows the server's secret signs what it likes, and is nobody.
    secret = server_secret(hall.workspace.root / "contests")
    payload = f"{tutor.id}.0.{int(NOW.timestamp())}"
    signed = hmac.new(secret, f"session\0{payload}".encode(), sha256).hexdigest()
    forged = [
        f"{payload}.{signed}",
        Signer(secret).form(genuine),
        hash_token(genuine),
        genuine[:-1] + ("0" if genuine[-1] != "0" else "1"),
        "token-of-ada", "link-of-ada", hash_token("link-of-ada"),
        "", ".", "...", "é" * 20, "1" * 5000,
    ]  # fmt: skip

    def status(cookie: str) -> int:
        return httpx.get(hall.address + HOME, headers={b"cookie": f"{SESSION}={cookie}".encode()}).status_code

    assert [status(cookie) for cookie in forged] == [401] * len(forged)
    assert status(genuine) == 200
    stored = b"".join(path.read_bytes() for path in (hall.workspace.root / "contests").glob("contests.db*"))
    assert genuine.encode() not in stored
    hall.database.end_sessions(ada.id, who="tutor")
    assert status(genuine) == 401
    again = hall.signed_in("ada").cookies[SESSION]
    hall.pass_time(days=31)
    assert status(again) == 401


def test_sign_out_ends_the_session_on_the_server(hall: Hall) -> None:
    browser, other = hall.signed_in("ada"), hall.signed_in("ada")
    kept = browser.cookies[SESSION]
    assert browser.post(f"{HOME}/sign-out", data={"csrf": form_token(browser.get(HOME).text)}).status_code == 303
    assert httpx.get(hall.address + HOME, headers={"cookie": f"{SESSION}={kept}"}).status_code == 401
    # Of this browser alone.
    assert other.get(HOME).status_code == 200


def test_a_renewed_or_revoked_account_is_signed_out_everywhere(hall: Hall) -> None:
    browser, program = hall.signed_in("ada"), hall.program("ada")
    ada = hall.database.account_by_name(SLUG, "ada")
    hall.database.set_secrets(ada.id, None, None, who="tutor")
    assert browser.get(HOME).status_code == 401 and program.get("/api/me").status_code == 401
    assert hall.browser().get("/sign-in/link-of-ada").status_code == 401


def test_live_streams_end_with_the_session_and_the_token(contest_url: str, tmp_path: Path) -> None:
    with open_hall(tmp_path, contest_url, patience=Patience(known=0.0, silence=0.2)) as hall:
        check_streams_end(hall)


def check_streams_end(hall: Hall) -> None:
    number = hall.submit("ada")
    browser, program = hall.signed_in("ada"), hall.program("ada")
    form = {"csrf": form_token(browser.get(HOME).text)}
    ada = hall.database.account_by_name(SLUG, "ada")
    with (
        browser.stream("GET", f"{HOME}/submissions/{number}/events", timeout=20) as page,
        program.stream("GET", f"/api/contests/{SLUG}/scoreboard/events", timeout=20) as board,
    ):
        for end, news in (
            (lambda: browser.post(f"{HOME}/sign-out", data=form), page.iter_lines()),
            (lambda: hall.database.set_secrets(ada.id, None, None, who="tutor"), board.iter_lines()),
        ):
            for _ in range(4):
                next(news)
            end()
            # They are told nothing more, and come to their end.
            assert len(list(news)) < 20


def test_the_links_word_is_no_token_and_the_token_no_link(hall: Hall) -> None:
    program = hall.browser()
    program.headers["authorization"] = "Bearer link-of-ada"
    assert program.get("/api/me").status_code == 401
    assert hall.browser().get("/sign-in/token-of-ada").status_code == 401


def test_forms_of_other_sites(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    token = form_token(browser.get(page).text)
    bobs = form_token(hall.signed_in("bob").get(page).text)
    guests = form_token(browser.get("/sign-in").text)
    for wrong_token in ("", "x", bobs, guests, "é"):
        assert browser.post(page, data={"csrf": wrong_token, "source": "// x"}).status_code == 403
    assert browser.post(page, data={"source": "// x"}).status_code == 403
    good = {"csrf": token, "source": "// x"}
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
    ):
        assert browser.post(page, data=good, headers=headers).status_code == 403
    assert browser.get(f"{page}?csrf={token}&source=x").status_code == 200
    assert hall.database.submissions(SLUG) == []
    assert browser.post(page, data=good, headers={"origin": hall.address}).status_code == 303


def test_the_api_takes_no_cookie(hall: Hall) -> None:
    assert hall.signed_in("ada").get("/api/me").status_code == 401


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(hall: Hall) -> None:
    browser = hall.browser()
    page = browser.get("/sign-in/link-of-ada", headers={"x-forwarded-proto": "https"})
    visit = page.headers["set-cookie"].lower()
    assert all(word in visit for word in ("httponly", "samesite=lax", "secure"))
    browser.get("/sign-in")
    data = {"csrf": form_token(browser.get("/sign-in/link-of-ada").text), "token": "link-of-ada"}
    cookie = browser.post("/sign-in", data=data).headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and f"path={HOME}" in cookie


def test_every_answer_has_the_headers(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    number = hall.submit("ada")
    hall.judge()
    for path in ("/", HOME, f"{HOME}/submissions/{number}", "/nowhere", "/api/me", "/api/openapi.json"):
        headers = browser.get(path).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'self'" in policy
        assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
        assert headers["cache-control"] == "no-store" and "server" not in headers


NAMES = {
    "../../etc/passwd": "passwd",
    "/etc/shadow": "shadow",
    "..\\..\\boot.ini": "boot.ini",
    "..": "submission.cu",
    "": "submission.cu",
    "a\0b.cu": "a?b.cu",
    "a\nb.cu": "a_b.cu",
    "\u202eexe.cu": "_exe.cu",
    "x" * 500 + ".cu": "x" * 97 + ".cu",
    "~/.ssh/id.cu": "id.cu",
    "%2e%2e%2fk.cu": "%2e%2e%2fk.cu",
}


@on_both
@pytest.mark.parametrize("given", NAMES)
def test_file_names_are_names_alone(hall: Hall, given: str) -> None:
    assert file_name(given) == NAMES[given]
    assert hall.database.submission(hall.submit("ada", file=given)).file == NAMES[given]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/%2e%2e/server.py",
        "/static/x/..%2f..%2fserver.py",
        "/..%2f..%2fetc/passwd",
    ],
)
def test_no_path_leads_out_of_the_site(hall: Hall, path: str) -> None:
    with socket.create_connection(("127.0.0.1", int(hall.address.rpartition(":")[2]))) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404") and b"import" not in answer and b"root:" not in answer


class Tags(HTMLParser):
    """What in a page could act: handlers, addresses that are scripts, scripts that are not the server's own."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.active: list[object] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = [name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript:")]
        if found or tag in ("img", "iframe", "object", "embed"):
            self.active.append((tag, attrs))


def test_markup_runs_nowhere(tmp_path: Path) -> None:
    with open_hall(tmp_path, title=HOSTILE[:60]) as hall:
        from .site_samples import secrets

        name = HOSTILE[:64]
        hall.database.add_accounts(SLUG, [NewAccount(name, "", "student", None, *secrets("mallory"))], who=HOSTILE)
        hall.database.announce(SLUG, HOSTILE, who=HOSTILE)
        number = hall.submit("mallory", source=f"// {HOSTILE}", file=f"{HOSTILE[:60]}.cu")
        report = replace(
            wrong(), problem="matmul", headline=HOSTILE, printed=HOSTILE, diagnostics=(Diagnostic("error", HOSTILE, 1),)
        )
        waiting = hall.submit("mallory", source=f"</textarea>{HOSTILE}", problem="zip")
        hall.judge(report)
        tutor, mallory = hall.signed_in("tutor"), hall.signed_in("mallory")
        hall.database.disqualify_submission(number, HOSTILE, who=HOSTILE)
        pages = [tutor.get(f"{HOME}/staff{end}") for end in ("", "/submissions", "/scoreboard")]
        pages += [tutor.get(f"{HOME}/staff/submissions", params={"account": HOSTILE[:190], "problem": HOSTILE[:190]})]
        pages += [mallory.get(HOME + end) for end in ("", "/scoreboard", "/submissions", "/problems/zip")]
        pages += [mallory.get(f"{HOME}/submissions/{each}") for each in (number, waiting)]
        pages += [mallory.get(f"/contests/{quote(HOSTILE)}"), mallory.get(f"/{quote(HOSTILE)}")]
        for page in pages:
            assert "<script>document" not in page.text and "<img" not in page.text, page.url
            assert Tags(page.text).active == [], page.url
        assert sum("&lt;script&gt;" in page.text for page in pages) >= 8


INJECTIONS = (
    "' OR 1=1 --",
    "'; DROP TABLE submission; --",
    '" UNION SELECT * FROM account --',
    "%' AND '1'='1",
    "\\'; --",
)


@on_both
@pytest.mark.parametrize("text", INJECTIONS)
def test_sql_in_every_field(hall: Hall, text: str) -> None:
    hall.submit("bob", SECRET)
    number = hall.submit("ada", source=f"// {text}", file=text)
    assert hall.database.source(number) == f"// {text}"
    ada, browser, tutor = hall.program("ada"), hall.signed_in("ada"), hall.signed_in("tutor")
    new = {"problem": text, "file": "k.cu", "source": "//"}
    assert ada.post("/api/submissions", json=new).status_code == 404
    assert ada.post("/api/submissions", json={**new, "problem": "zip", "key": text}).status_code == 400
    assert ada.get("/api/submissions", params={"problem": text}).json() == []
    assert ada.get(f"/api/contests/{quote(text)}").status_code == 404
    assert ada.get(f"/api/submissions/{quote(text)}").status_code == 422
    assert browser.get(f"{HOME}/problems/{quote(text)}").status_code == 404
    assert hall.browser().get(f"/sign-in/{quote(text)}").status_code == 401
    found = tutor.get(f"{HOME}/staff/submissions", params={"account": text, "problem": text, "verdict": text})
    assert "None that fit" in found.text
    assert len(hall.database.submissions(SLUG)) == 2


def test_a_hundred_megabytes_are_refused_before_they_are_read(hall: Hall) -> None:
    sent = 0

    def drip() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1600):
            sent += 65536
            yield b"x" * 65536

    browser = hall.signed_in("ada")
    # Announced, and without an announcement.
    head = f"POST {HOME}/problems/matmul HTTP/1.1\r\nHost: x\r\nContent-Length: {100 << 20}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(hall.address.rpartition(":")[2])), timeout=60) as raw:
        raw.sendall(head.encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 413")
    # Or the server has hung up on a sender that went on.
    with suppress(httpx.TransportError):
        assert browser.post(f"{HOME}/problems/matmul", content=drip()).status_code == 411
    assert sent < 50 << 20
    assert hall.program("ada").get("/api/me").status_code == 200


def test_a_file_above_the_limit(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    data = {"csrf": form_token(browser.get(page).text)}
    answer = browser.post(page, data=data, files={"file": ("big.cu", b"/" * 300_000)})
    assert answer.status_code == 413 and "too large" in answer.text


def test_slow_requests_are_ended(tmp_path: Path) -> None:
    with open_hall(tmp_path, patience=Patience(headers=2.0, body=2.0)) as hall:
        place = ("127.0.0.1", int(hall.address.rpartition(":")[2]))
        silent = [socket.create_connection(place, timeout=60) for _ in range(50)]
        for each in silent:
            each.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        slow = socket.create_connection(place, timeout=60)
        slow.sendall(b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na")
        # Others are served meanwhile.
        assert hall.program("ada").get("/api/me").status_code == 200
        began = time.monotonic()
        assert b" 408 " in slow.recv(100)
        assert [each.recv(100) for each in silent] == [b""] * 50
        assert time.monotonic() - began < 9
        for each in (*silent, slow):
            each.close()


def test_guessing_tokens_is_slowed_down(hall: Hall) -> None:
    guesser = hall.browser()
    codes = [
        guesser.get("/api/me", headers={"authorization": f"Bearer guess-{number}"}).status_code for number in range(30)
    ]
    assert codes[:20] == [401] * 20 and set(codes[20:]) == {429}
    assert guesser.get("/sign-in/another-guess").status_code == 429
    token = form_token(guesser.get("/sign-in").text)
    assert guesser.post("/sign-in", data={"csrf": token, "token": "guess"}).status_code == 429
    # Who shares the address and has a token is not locked out.
    assert hall.program("ada").get("/api/me").status_code == 200


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer x y", "Basic YTpi", "Bearer " + "x" * 5000, "bearer\ttoken-of-ada", "é"]
)
def test_odd_authorization(hall: Hall, header: str) -> None:
    answer = httpx.get(f"{hall.address}/api/me", headers={b"authorization": header.encode()})
    assert answer.status_code == 401


def test_the_secret_is_the_owners_alone(hall: Hall) -> None:
    path = hall.workspace.root / "contests" / "secret"
    assert path.stat().st_mode & 0o777 == 0o600
    assert server_secret(path.parent) == server_secret(path.parent)


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    secret = server_secret(tmp_path)
    for mode in (0o640, 0o604, 0o620):
        (tmp_path / "secret").chmod(mode)
        with pytest.raises(StoreError, match="others on this machine can read"):
            server_secret(tmp_path)
    (tmp_path / "secret").chmod(0o600)
    assert server_secret(tmp_path) == secret


def test_live_streams_are_counted_before_they_are_answered(hall: Hall) -> None:
    """All at once: a place is taken by the request, not by the first event."""
    address = urlsplit(hall.address)
    request = f"GET /api/contests/{SLUG}/scoreboard/events HTTP/1.1\r\nHost: x\r\n"
    request += "Authorization: Bearer token-of-ada\r\n\r\n"
    assert address.port is not None
    opened = [socket.create_connection((address.hostname, address.port), timeout=20) for _ in range(30)]
    for each in opened:
        each.sendall(request.encode())
    codes = [int(each.recv(200).split(b" ")[1]) for each in opened]
    assert sorted(codes) == [200] * MOST_OF_ONE + [429] * (30 - MOST_OF_ONE)
    for each in opened:
        each.close()
    # What was given back can be had again.
    deadline = time.monotonic() + 60
    while True:
        with hall.program("ada").stream("GET", f"/api/contests/{SLUG}/scoreboard/events") as answer:
            if answer.status_code == 200:
                break
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_no_secret_is_in_the_database(hall: Hall) -> None:
    data = b"".join(path.read_bytes() for path in (hall.workspace.root / "contests").glob("contests.db*"))
    assert b"token-of-ada" not in data and b"link-of-ada" not in data


ODD: tuple[Any, ...] = (None, True, 0, -1, 1e308, 2**63, "", "a" * 10_000, "\0", "\ud800", [], {}, [[]], {"a": 1})


@on_both
def test_odd_values_in_every_field_of_the_api_break_nothing(hall: Hall) -> None:
    """What schemathesis would do, from the server's own description: every operation, every field, odd values."""
    description = hall.browser().get("/api/openapi.json").json()
    schemas = description["components"]["schemas"]
    number = hall.submit("ada")
    worker = hall.worker()
    clients = {"worker": hall.browser(), "student": hall.program("ada")}
    clients["worker"].headers["authorization"] = "Bearer token-of-machine"
    del worker
    asked = 0
    for path, operations in description["paths"].items():
        client = clients["worker" if path.startswith("/api/worker") else "student"]
        for method, operation in operations.items():
            if path.endswith("/events"):
                continue
            place = path.replace("{number}", str(number)).replace("{slug}", SLUG)
            if method == "get":
                for odd in ("0", "-1", str(2**31), str(2**70), "é", "1.5", "%00", "null"):
                    place = path.replace("{number}", odd).replace("{slug}", odd)
                    assert client.get(place, params={"problem": odd}).status_code < 500, place
                    asked += 1
                continue
            reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            fields = schemas[reference.rpartition("/")[2]]["properties"]
            valid: dict[str, Any] = {"problem": "matmul", "file": "k.cu", "source": "//", "gpu_model": "x", "name": "x"}
            valid |= {"judging_id": 1, "attempt": 1, "progress": "x", "verdict": "accepted", "state": "idle"}
            body = {key: value for key, value in valid.items() if key in fields}
            for field, odd in itertools.product(fields, ODD):
                text = json.dumps({**body, field: odd})
                answer = client.post(place, content=text, headers={"content-type": "application/json"})
                assert answer.status_code < 500, (place, field, odd, answer.text)
                assert answer.status_code < 300 or answer.json()["error"]
                asked += 1
            for text in ("", "{", "[]", "null", "\xff", '{"a":' * 2000):
                answer = client.post(
                    place, content=text.encode("latin-1"), headers={"content-type": "application/json"}
                )
                assert 400 <= answer.status_code < 500
    assert asked > 200


def test_the_report_that_is_kept_has_no_source(hall: Hall) -> None:
    """A report that leaks by another way would carry the code along."""
    number = hall.submit("ada", SECRET)
    hall.judge(replace(accepted(), source=SECRET))
    assert "secret_of_ada" in to_json(replace(accepted(), source=SECRET))
    assert "secret_of_ada" not in (hall.database.report(number) or "")


HOSTILE_BODIES = {
    "deep": b'{"problem":' + b"[" * 900_000,
    "nested": b'{"problem":{"a":1}}',
    "many lists": b'{"source":[' + b"[]," * 300_000 + b"[]]}",
    "many fields": b"{" + b",".join(b'"k%d":0' % n for n in range(70_000)) + b"}",
    "a long number": b'{"source":' + b"9" * 900_000 + b"}",
    "two": b"{}{}",
    "no end": b'{"source":"' + b"x" * 900_000,
    "not UTF-8": b"\xff" * 900_000,
}


@pytest.mark.parametrize("name", HOSTILE_BODIES)
def test_nothing_parses_what_is_no_flat_object(hall: Hall, name: str) -> None:
    program, content = hall.program("ada"), HOSTILE_BODIES[name]
    began = time.process_time()
    answer = program.post("/api/submissions", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422) and answer.json()["error"]
    # Of the server and the client, which share this process: a hundred times less than what these used to take.
    assert time.process_time() - began < 2


def test_flat_objects_are_read_as_json_is() -> None:
    given = {"a": 'x"\\\n\u2028é\U0001f600', "b": -1, "c": 1.5e-7, "d": True, "e": None, "": "\ud800"}
    for text in (json.dumps(given), json.dumps(given, indent=3), json.dumps(given, ensure_ascii=False)):
        assert flat_object(text.encode("utf-8", "surrogatepass")) == given
    assert flat_object(b" { } ") == {}
    for other in (b"", b"[]", b"null", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{"a":1 "b":2}', b'{"a":01}', b"{'a':1}"):
        with pytest.raises(ValueError):
            flat_object(other)


FORM = "multipart/form-data; boundary=frontier"
PART = b'--frontier\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("application/x-www-form-urlencoded", b"a&" * 30_000),
        ("application/x-www-form-urlencoded", b"source=" + b"%41" * 300_000),
        (FORM, PART * 10_000 + b"--frontier--\r\n"),
        (FORM, PART[:-5] + b"a: b\r\n" * 100_000 + b"\r\n\r\n--frontier--\r\n"),
        (FORM, PART + b"\r" * 900_000),
        (FORM, PART + b"\r\n--" * 200_000),
        ("multipart/form-data", PART),
        (FORM, b""),
    ],
)
def test_forms_of_too_many_parts_are_not_read(hall: Hall, kind: str, content: bytes) -> None:
    browser = hall.signed_in("ada")
    began = time.process_time()
    answer = browser.post(f"{HOME}/problems/matmul", content=content, headers={"content-type": kind})
    assert answer.status_code in (400, 403) and time.process_time() - began < 2


def test_an_uploaded_file_arrives_as_it_is(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    source = "// é --frontier\r\n\r\n--x\nint main;\n"
    data = {"csrf": form_token(browser.get(page).text), "source": "// not this"}
    answer = browser.post(page, data=data, files={"file": ('a "b".cu', source.encode())})
    assert answer.status_code == 303
    (row,) = hall.database.submissions(SLUG)
    assert hall.database.source(row.id) == source.replace("\r\n", "\n") and row.file.endswith(".cu")


def test_a_sender_of_large_bodies_is_told_to_wait_before_they_are_read(hall: Hall) -> None:
    program, body = hall.program("ada"), b"{" + b" " * 900_000
    codes = [
        program.post("/api/submissions", content=body, headers={"content-type": "application/json"}).status_code
        for _ in range(8)
    ]
    assert codes[:4] == [422] * 4 and codes[-1] == 429
    # Others are not.
    assert hall.program("bob").post("/api/submissions", content=body).status_code == 422
    assert hall.submit("bob")


@pytest.mark.parametrize(
    ("said", "length"),
    [(b"12", 12), (b"00000000000001000045", 1_000_045), (b"0" * 30, 0), (b"1" + b"0" * 30, 10**18), (b"-1", None)],
)
def test_a_length_is_not_shortened(said: bytes, length: int | None) -> None:
    assert announced_length({"type": "http", "headers": [(b"content-length", said)]}) == length


def test_strangers_send_little(hall: Hall) -> None:
    for headers in ({}, {"authorization": "Bearer guess"}, {"cookie": f"{SESSION}=guess"}):
        for path in ("/api/submissions", "/api/worker/finish", f"{HOME}/problems/matmul", "/sign-in"):
            assert httpx.post(hall.address + path, content=b"x" * 20_000, headers=headers).status_code == 413


@pytest.mark.parametrize("header", [b"a:\r\n" * 5000, b"a: " + b"x" * 100_000 + b"\r\n", b"a: b\r\n" * 101])
def test_too_many_or_too_long_headers(hall: Hall, header: bytes) -> None:
    with socket.create_connection(("127.0.0.1", int(hall.address.rpartition(":")[2])), timeout=10) as raw:
        with suppress(ConnectionError):
            raw.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + header + b"\r\n")
        with suppress(ConnectionError):
            assert raw.recv(100)[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
    assert hall.program("ada").get("/api/me").status_code == 200


def test_no_parser_and_no_lexer_meets_a_submission_in_the_server(contest_url: str, tmp_path: Path) -> None:
    """What took it 22 seconds: 72 KB of comment openers."""
    # Its threads have to start in here.
    with calls_of(parse, make_submission, highlight) as calls, open_hall(tmp_path, contest_url) as hall:
        check_that_a_text_is_shown(hall)
    assert calls == []


def check_that_a_text_is_shown(hall: Hall) -> None:
    source = 'inline const char* f() { return "' + "/* " * 24_000 + '"; }\n' + "x\n" * 3000
    number = hall.submit("ada", source)
    browser = hall.signed_in("ada")
    assert "/* /* " in browser.get(f"{HOME}/submissions/{number}").text
    hall.judge()
    assert "/* /* " in browser.get(f"{HOME}/submissions/{number}").text
    assert browser.get(f"{HOME}/problems/matmul").status_code == 200


def test_pages_show_the_colours_that_a_worker_sent(hall: Hall) -> None:
    from grader.boards.code import colour_lines, colours_of

    source = "// <b>\n__global__ void f(int* a) { a[0] = 1; }\n/* two\nlines */\n"
    assert colour_lines(source, colours_of(source, LanguageName.CUDA)) == highlight(source, LanguageName.CUDA)
    number = hall.submit("ada", source)
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None
    hall.database.queue.finish(job, replace(outcome_of(accepted()), colours=colours_of(source, LanguageName.CUDA)))
    page = hall.signed_in("ada").get(f"{HOME}/submissions/{number}").text
    assert '<span class="nb">__global__</span>' in page and "<b>" not in page.partition("two")[0][-400:]
    plain = ["".join(line) for line in colour_lines(source, None)]
    for forged in ('"><script>.33', "k.5", "k.99999", "x.-1", colours_of("int other;", LanguageName.CUDA)):
        assert colour_lines(source, forged) == plain


def test_an_account_has_so_many_sessions_and_the_oldest_ends(hall: Hall) -> None:
    ada, bob = (hall.database.account_by_name(SLUG, name) for name in ("ada", "bob"))
    hall.database.add_session(bob, hash_token("bob's"))
    for number in range(MOST_SESSIONS + 1):
        hall.pass_time(seconds=1)
        hall.database.add_session(ada, hash_token(f"ada's {number}"))
    known = [hall.database.account_by_session(hash_token(f"ada's {n}")) is not None for n in range(MOST_SESSIONS + 1)]
    assert known == [False] + [True] * MOST_SESSIONS
    assert hall.database.account_by_session(hash_token("bob's")) is not None


def test_no_worker_is_named_like_the_process_of_another(hall: Hall) -> None:
    with pytest.raises(UsageError, match="a worker can't be called 'lab:0'"):
        hall.database.add_worker("lab:0", "emulator", hash_token("x"), who="tutor")


def test_a_rejudges_live_stream_counts_with_the_others_and_is_for_staff(tmp_path: Path) -> None:
    with open_hall(tmp_path, patience=Patience(known=0.0, silence=0.2)) as hall:
        number = hall.submit("ada")
        hall.judge()
        rejudge = hall.database.add_rejudge(SLUG, "a reason", [number], None, who="tutor")
        tutor = hall.database.account_by_name(SLUG, "tutor")
        page = f"{HOME}/staff/rejudges/{rejudge}/events"
        browser = hall.signed_in("tutor")
        for _ in range(MOST_OF_ONE):
            hall.site.streams.take(tutor.id)
        assert browser.get(page).status_code == 429
        hall.site.streams.give_back(tutor.id)
        with browser.stream("GET", page, timeout=20) as answer:
            assert answer.status_code == 200
            news = answer.iter_lines()
            next(news)
            with hall.database.writing() as connection:
                connection.execute(update(Account).where(Account.id == tutor.id).values(role="student"))
            assert len(list(news)) < 200
