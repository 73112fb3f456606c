"""Sign-in by OpenID Connect, the whole way against a provider of the tests' own: who enters, and everything refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import RSAKey

from grader.contest.accounts import add_people, revoke
from grader.contest.auth import Signer
from grader.contest.entering import admit
from grader.contest.limits import Failures
from grader.contest.provider import FILE, Provider, SignIn, read_provider
from grader.contest.roster import parse_roster
from grader.contest.settings import settings_to_json
from grader.core.errors import UsageError
from grader.store.workspace import Workspace

from .site_samples import NOW, SLUG, Hall, form_token, open_hall, settings
from .university import CLIENT, SECRET, University, open_university


@pytest.fixture(scope="module")
def provider() -> Iterator[University]:
    with open_university() as there:
        yield there


@pytest.fixture
def university(provider: University) -> University:
    reset(provider)
    return provider


def reset(provider: University) -> None:
    provider.claims, provider.metadata, provider.user = {}, {}, {}
    provider.algorithm, provider.token, provider.other = "RS256", None, None


@contextmanager
def hall_of(folder: Path, university: University, **more: Any) -> Iterator[Hall]:
    given: dict[str, Any] = {"issuer": university.address, "address": "http://localhost:8000", **more}
    with open_hall(
        folder, provider=SignIn(Provider("Example University", client_id=CLIENT, client_secret=SECRET, **given))
    ) as hall:
        yield hall


@pytest.fixture
def hall(tmp_path: Path, university: University) -> Iterator[Hall]:
    with hall_of(tmp_path, university) as opened:
        yield opened


def way_back(browser: httpx.Client) -> str:
    """Path and query with which the provider sends this browser back."""
    answer = browser.get("/sign-in/provider")
    assert answer.status_code == 302, answer.text
    answer = httpx.get(answer.headers["location"])
    assert answer.status_code == 302, answer.text
    return answer.headers["location"].removeprefix("http://localhost:8000")


def come_back(hall: Hall) -> tuple[httpx.Client, httpx.Response]:
    browser = hall.browser()
    return browser, browser.get(way_back(browser))


def message(answer: httpx.Response) -> str:
    found = re.search(r'role="alert">([^<]*)<', answer.text)
    assert found is not None and "Your personal link" in answer.text
    return found[1]


def test_who_is_on_the_roster_enters(hall: Hall, university: University) -> None:
    university.claims = {"email": "ADA@example.ORG"}
    browser = hall.browser()
    assert browser.get(f"/contests/{SLUG}").status_code == 401
    assert "Sign in with Example University" in browser.get("/sign-in").text
    answer = browser.get(way_back(browser))
    assert (answer.status_code, answer.headers["location"]) == (303, f"/contests/{SLUG}")
    assert "ada" in browser.get(f"/contests/{SLUG}").text
    assert "kgrade_provider" not in browser.cookies
    asked = university.asked[-1]
    assert len(asked["state"]) >= 20 and len(asked["nonce"]) >= 20 and asked["code_challenge_method"] == "S256"
    # As lax as it has to be to come back with a visit from the provider, and no laxer.
    cookie = hall.browser().get("/sign-in/provider").headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Max-Age=86400" in cookie


def test_signing_in_leads_back_to_the_page_that_was_refused(hall: Hall) -> None:
    browser = hall.browser()
    page = f"/contests/{SLUG}/problems/matmul"
    assert browser.get(page).status_code == 401
    assert browser.get(way_back(browser)).headers["location"] == page


def test_a_text_comes_back_by_the_provider_too(hall: Hall, university: University) -> None:
    page = f"/contests/{SLUG}/problems/matmul"
    browser = hall.signed_in("ada")
    browser.cookies.delete("kgrade_session")
    sent = {"language": "cuda", "source": "// half a kernel"}
    assert browser.post(page, data=sent).status_code == 401
    university.claims = {"exp": 1_000_000_000}
    # A failed way there keeps it.
    assert "// half a kernel" in browser.get(way_back(browser)).text
    reset(university)
    answer = browser.get(way_back(browser))
    assert (answer.status_code, answer.headers["location"]) == (303, f"{page}?draft=cuda")
    assert "// half a kernel</textarea>" in browser.get(answer.headers["location"]).text
    assert browser.get(way_back(browser)).headers["location"] == f"/contests/{SLUG}"
    # A stranger's text is not kept on the server.
    stranger = hall.browser()
    assert stranger.post(page, data=sent).status_code == 401
    assert hall.site.left_texts.take(stranger.cookies["kgrade_visit"]) is None


def test_one_person_enters_all_their_contests(hall: Hall) -> None:
    hall.database.add_contest("other", settings_to_json(settings(slug="other")), who="test")
    add_people(hall.database, "other", parse_roster(b"name,email\nAda,ada@example.org\n", "r"), lambda _: None, who="t")
    browser, answer = come_back(hall)
    assert answer.headers["location"] == "/"
    assert [browser.get(f"/contests/{slug}").status_code for slug in (SLUG, "other")] == [200, 200]


def test_nobody_else_enters(hall: Hall, university: University) -> None:
    for address in ("eve@example.org", "ada@example.org.evil.org", "%@example.org", "ADA"):
        university.claims = {"email": address}
        browser, answer = come_back(hall)
        assert answer.status_code == 403 and "not on the roster" in message(answer)
        assert browser.get(f"/contests/{SLUG}").status_code == 401
        assert "kgrade_session" not in answer.headers["set-cookie"]


def test_who_was_revoked_stays_out(hall: Hall) -> None:
    revoke(hall.database, hall.database.account_by_name(SLUG, "ada"), who="tutor")
    assert come_back(hall)[1].status_code == 403


def test_people_are_matched_by_a_subject_of_the_roster(tmp_path: Path, university: University) -> None:
    with hall_of(tmp_path, university, match="subject", claim="sub") as hall:
        assert come_back(hall)[1].status_code == 403
        roster = b"name,email,subject\nada,ada@example.org,person-17\nDora,dora@example.org,person-18\n"
        add_people(hall.database, SLUG, parse_roster(roster, "r"), lambda _: None, who="t")
        # The address says nothing here.
        university.claims = {"email": "bob@example.org", "email_verified": False}
        browser, answer = come_back(hall)
        assert answer.status_code == 303 and "ada" in browser.get(f"/contests/{SLUG}").text
        university.claims = {"sub": "person-19", "email": "ada@example.org"}
        assert come_back(hall)[1].status_code == 403


def test_an_address_that_only_the_user_information_has(hall: Hall, university: University) -> None:
    university.claims = {"email": None, "email_verified": None}
    university.user = {"sub": "person-17", "email": "ada@example.org", "email_verified": True}
    assert come_back(hall)[1].status_code == 303
    university.user["sub"] = "person-18"
    assert come_back(hall)[1].status_code == 401


def test_an_address_that_is_not_verified(tmp_path: Path, university: University) -> None:
    university.claims = {"email_verified": None}
    with hall_of(tmp_path, university, unverified_email=True) as hall:
        assert come_back(hall)[1].status_code == 303


SPOILT: dict[str, dict[str, Any]] = {
    "another nonce": {"claims": {"nonce": "another"}},
    "no nonce": {"claims": {"nonce": None}},
    "for another client": {"claims": {"aud": "another"}},
    "for another client too, without the party": {"claims": {"aud": [CLIENT, "another"]}},
    "for nobody": {"claims": {"aud": None}},
    "of another issuer": {"claims": {"iss": "https://login.example.org"}},
    "of no issuer": {"claims": {"iss": None}},
    "expired": {"claims": {"exp": 1_000_000_000}},
    "without an end": {"claims": {"exp": None}},
    "of nobody": {"claims": {"sub": None}},
    "an address that is not verified": {"claims": {"email_verified": False}},
    "verified in a word": {"claims": {"email_verified": "true"}},
    "no address": {"claims": {"email": None}},
    "a list of addresses": {"claims": {"email": ["ada@example.org"]}},
    "signed by the client's secret": {"algorithm": "HS256"},
    "signed by another key": {"other": RSAKey.generate_key(2048, {"kid": "1"})},
    "not signed": {"token": "eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFkYUBleGFtcGxlLm9yZyIsImVtYWlsX3ZlcmlmaWVkIjp0cnVlfQ."},
    "no token": {"token": ""},
    "no text": {"token": "\0.\0.\0"},
}


def test_a_token_that_is_not_right_is_refused(hall: Hall, university: University) -> None:
    hall.site.failures = Failures(most=10_000)
    for name, spoilt in SPOILT.items():
        reset(university)
        for key, value in spoilt.items():
            setattr(university, key, value)
        browser, answer = come_back(hall)
        assert answer.status_code == 401 and "could not be signed in" in message(answer), name
        assert browser.get(f"/contests/{SLUG}").status_code == 401, name
    reset(university)
    assert come_back(hall)[1].status_code == 303


def test_a_return_that_did_not_begin_here_is_refused(hall: Hall) -> None:
    browser = hall.browser()
    back = way_back(browser)
    # Somebody else's browser, which an attacker sends back as themselves.
    assert hall.browser().get(back).status_code == 401
    assert browser.get(back.replace("state=", "state=x")).status_code == 401
    # The cookie was taken back with the failure.
    assert browser.get(back).status_code == 401
    browser = hall.browser()
    back = way_back(browser)
    kept = browser.cookies.get("kgrade_provider")
    assert browser.get(back).status_code == 303
    assert kept is not None
    # The provider takes each code once, and a cookie can't be made elsewhere.
    other = hall.browser()
    other.cookies.set("kgrade_provider", kept)
    assert other.get(back).status_code == 401
    other.cookies.clear()
    for made in (Signer(b"another").seal("[9e9, {}]"), "x", "x.y", "." * 5000, kept[:-4]):
        other.cookies.set("kgrade_provider", made)
        assert other.get(way_back(hall.browser())).status_code in (401, 429)
        other.cookies.clear()


def test_a_return_without_a_code_is_refused(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    for query in ("error=access_denied&error_description=%0Ax", "", "code=1", "state=1", "code=%ff&state=%00"):
        browser = hall.browser()
        way_back(browser)
        answer = browser.get(f"/sign-in/provider/back?{query}")
        assert answer.status_code == 401 and "could not be signed in" in message(answer)
        assert "\n" not in caplog.messages[-1] and "sign-in by the identity provider" in caplog.messages[-1]


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://login.example.org"},
        {"token_endpoint": "http://login.example.org/token"},
        {"jwks_uri": None},
        {"id_token_signing_alg_values_supported": ["none", "HS256"]},
    ],
)
def test_a_provider_that_is_another_or_not_protected_is_not_used(
    tmp_path: Path, university: University, metadata: dict[str, Any]
) -> None:
    university.metadata = metadata
    with hall_of(tmp_path, university) as hall:
        answer = hall.browser().get("/sign-in/provider")
    assert answer.status_code == 503 and "can't be reached" in message(answer).replace("&#39;", "'")


def test_a_provider_that_is_away_is_said_and_links_go_on(tmp_path: Path, university: University) -> None:
    with hall_of(tmp_path, university, issuer="http://127.0.0.1:1") as hall:
        answer = hall.browser().get("/sign-in/provider")
        assert answer.status_code == 503 and "use your personal link" in message(answer)
        assert hall.signed_in("ada").get(f"/contests/{SLUG}").status_code == 200


def test_without_a_provider_there_is_no_such_page(tmp_path: Path) -> None:
    with open_hall(tmp_path) as hall:
        assert [hall.browser().get(f"/sign-in/provider{end}").status_code for end in ("", "/back")] == [404, 404]
        assert "/sign-in/provider" not in hall.browser().get("/sign-in").text


ASKING = "/sign-in/provider/ask"


def ask(browser: httpx.Client, **fields: str) -> httpx.Response:
    form = {"csrf": form_token(browser.get("/sign-in").text), "contest": SLUG, "name": "Eve Adams", **fields}
    return browser.post(ASKING, data=form)


def decide(hall: Hall, what: str, number: int) -> httpx.Response:
    tutor, page = hall.signed_in("tutor"), f"/contests/{SLUG}/staff/people"
    form = {"csrf": form_token(tutor.get(page).text), "entry": str(number)}
    return tutor.post(f"{page}/{what}", data=form)


def test_who_is_not_on_the_roster_asks_and_staff_let_them_in(hall: Hall, university: University) -> None:
    hall.change(entry="ask")
    university.claims = {"email": "Eve@Example.org", "name": "Eve <b>"}
    browser, answer = come_back(hall)
    assert (answer.status_code, answer.headers["location"]) == (303, ASKING)
    page = browser.get(ASKING).text
    assert "eve@example.org" in page and 'value="Eve &lt;b&gt;"' in page and "CS 149, assignment 1" in page
    assert browser.get(f"/contests/{SLUG}").status_code == 401
    for wrong, told in (({"name": ""}, "name is missing"), ({"name": "Eve (2)"}, "without the number")):
        refused = ask(browser, **wrong)
        assert refused.status_code == 400 and told in refused.text
    assert ask(browser, contest="none").status_code == 400
    # A name that somebody has gets a number.
    assert ask(browser, name="ada").status_code == 303 and "waits for staff" in browser.get(ASKING).text
    # A second question is none: there is nothing left to ask for.
    assert ask(browser).status_code == 400
    tutor = hall.signed_in("tutor")
    assert "(1 asks to enter)" in tutor.get(f"/contests/{SLUG}/staff").text
    assert "eve@example.org" in tutor.get(f"/contests/{SLUG}/staff/people").text
    entry = hall.database.entries(SLUG)[0]
    assert decide(hall, "refuse", entry.id).status_code == 303
    assert "refused" in browser.get(ASKING).text and ask(browser).status_code == 400
    assert decide(hall, "admit", entry.id).status_code == 303
    assert 'href="/sign-in/provider">Enter' in browser.get(ASKING).text
    assert browser.get(way_back(browser)).headers["location"] == f"/contests/{SLUG}"
    assert "ada" in browser.get(f"/contests/{SLUG}").text
    assert [each.name for each in hall.database.accounts(SLUG)][-1] == "ada (2)"
    # Twice decided is once.
    assert decide(hall, "admit", entry.id).status_code == 400
    assert [decide(hall, "refuse", number).status_code for number in (2, -1)] == [400, 404]


def test_nobody_asks_without_the_provider_or_where_they_may_not(hall: Hall, university: University) -> None:
    # Without `entry = "ask"` there is nothing to ask for, also on the way that is for asking.
    browser, _ = come_back(hall)
    assert browser.get(ASKING).headers["location"] == "/sign-in/provider?ask=true"
    assert "ask to enter" not in browser.get("/").text.lower()
    hall.change(entry="ask")
    assert "Ask to enter" in browser.get("/").text
    revoke(hall.database, hall.database.account_by_name(SLUG, "ada"), who="tutor")
    # Who was shut out is known, and stays out.
    browser, answer = come_back(hall)
    assert answer.status_code == 403
    university.claims = {"email": "eve@example.org"}
    form = {"csrf": form_token(hall.browser().get("/sign-in").text), "contest": SLUG, "name": "Eve"}
    assert hall.browser().post(ASKING, data=form).status_code == 403
    stranger, (_, answer) = hall.browser(), come_back(hall)
    for made in (Signer(b"another").seal('{"until": 9e9, "value": "eve", "name": ""}'), "x", "." * 5000):
        stranger.cookies.set("kgrade_known_as", made)
        assert stranger.get(ASKING).status_code == 303
    # One sealed cookie is not taken for the other.
    begun = hall.browser()
    begun.get("/sign-in/provider")
    stranger.cookies.set("kgrade_known_as", begun.cookies["kgrade_provider"])
    assert stranger.get(ASKING).status_code == 303
    hall.change(entry="ask", end=NOW, freeze=None)
    hall.pass_time(hours=1)
    assert come_back(hall)[1].status_code == 403
    assert hall.database.entries(SLUG) == []


def test_who_is_in_one_contest_asks_for_another(tmp_path: Path, university: University) -> None:
    with hall_of(tmp_path, university, match="subject", claim="sub") as hall:
        roster = b"name,email,subject\nada,ada@example.org,person-17\n"
        add_people(hall.database, SLUG, parse_roster(roster, "r"), lambda _: None, who="t")
        hall.database.add_contest("other", settings_to_json(settings(slug="other", entry="ask")), who="test")
        browser, answer = come_back(hall)
        assert answer.headers["location"] == f"/contests/{SLUG}"
        assert ask(browser, contest="other").status_code == 303
        entry = hall.database.entries("other")[0]
        assert (entry.kind, entry.value) == ("subject", "person-17")
        assert admit(hall.database, "other", entry.id, who="tutor") == "Eve Adams"
        assert browser.get(way_back(browser)).headers["location"] == "/"
        assert browser.get("/contests/other").status_code == 200
        with pytest.raises(UsageError, match="nobody asks"):
            admit(hall.database, "other", entry.id, who="tutor")


GOOD = """issuer = "https://login.example.edu/"
client_id = "kgrade"
client_secret_file = "oidc.secret"
address = "https://grader.example.org/"
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("KGRADE_OIDC_SECRET", raising=False)
    (tmp_path / "contests").mkdir()
    secret = tmp_path / "contests" / "oidc.secret"
    secret.write_text("word\n")
    secret.chmod(0o600)
    return Workspace(tmp_path)


def written(workspace: Workspace, text: str) -> Provider | None:
    (workspace.root / "contests" / FILE).write_text(text)
    return read_provider(workspace)


def test_the_file_says_who_signs_in(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_provider(workspace) is None
    found = written(workspace, GOOD)
    assert found is not None and found.redirect == "https://grader.example.org/sign-in/provider/back"
    assert (found.issuer, found.client_secret, found.match, found.claim) == (
        *("https://login.example.edu/", "word", "email", "email"),
    )
    monkeypatch.setenv("KGRADE_OIDC_SECRET", "other")
    found = written(workspace, GOOD + 'match = "subject"\n')
    assert found is not None and (found.client_secret, found.claim) == ("other", "sub")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("https://login", "http://login", "issuer = "),
        ("https://grader", "ftp://grader", "address = "),
        ('client_id = "kgrade"', "", "client_id = (missing)"),
        ("oidc.secret", "none.secret", "client_secret_file"),
        ('client_secret_file = "oidc.secret"', "", "KGRADE_OIDC_SECRET"),
        ("client_id", "klient_id", "did you mean 'client_id'"),
        ("issuer", 'match = "name"\nissuer', "match = "),
        ("issuer", "issuer = [", "can't be read"),
    ],
)
def test_a_mistake_in_the_file_keeps_the_server_from_starting(
    workspace: Workspace, old: str, new: str, told: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        written(workspace, GOOD.replace(old, new, 1))


def test_a_secret_that_others_can_read_is_none(workspace: Workspace) -> None:
    (workspace.root / "contests" / "oidc.secret").chmod(0o644)
    with pytest.raises(UsageError, match="nobody else may read"):
        written(workspace, GOOD)
