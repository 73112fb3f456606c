"""The server's copies of drafts: who may keep them, how much, and that a text sent too late is not lost."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from boards.samples import NAIVE

from grader.contest.auth import hash_token
from grader.contest.database import Database
from grader.contest.left_texts import SECONDS, Kept, LeftTexts
from grader.contest.limits import LARGEST_SOURCE
from grader.contest.records import NewAccount
from grader.contest.settings import settings_to_json
from grader.contest.tables.drafts import MOST_DRAFTS
from grader.core.verdict import LanguageName

from .conftest import HandClock
from .site_samples import NOW, SLUG, Hall, form_token, open_hall, settings

PAGE = f"/contests/{SLUG}/problems/matmul"
DRAFT = f"{PAGE}/draft"
AS_SCRIPT = {"accept": "application/json"}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path) as opened:
        yield opened


def save(browser: httpx.Client, text: str, language: str = "cuda", **more: str) -> httpx.Response:
    token = form_token(browser.get(PAGE).text)
    parts = {"csrf": token, "language": language, "source": text, **more}
    return browser.post(DRAFT, files={name: (None, value) for name, value in parts.items()}, headers=AS_SCRIPT)


def test_a_draft_is_its_accounts_and_of_one_problem_and_language(hall: Hall) -> None:
    ada = hall.signed_in("ada")
    assert save(ada, "// first\r\n").json() == {"time": "2026-10-01T12:00:00.000+00:00"}
    hall.pass_time(seconds=5)
    assert save(ada, "// second\r\n").json() == {"time": "2026-10-01T12:00:05.000+00:00"}
    assert save(ada, "# other", "triton").status_code == 200
    assert ada.get(DRAFT, params={"language": "cuda"}).json()["text"] == "// second\n"
    saved = html.unescape(re.findall('data-saved="([^"]*)"', ada.get(PAGE).text)[0])
    assert saved == '{"cuda": "2026-10-01T12:00:05.000+00:00", "triton": "2026-10-01T12:00:05.000+00:00"}'
    bob = hall.signed_in("bob")
    assert bob.get(DRAFT, params={"language": "cuda"}).status_code == 404 and 'data-saved="{}"' in bob.get(PAGE).text
    assert save(ada, "", drop="yes").json() == {"time": None}
    assert ada.get(DRAFT, params={"language": "cuda"}).status_code == 404
    # Without a script the page itself offers it.
    hall.pass_time(seconds=5)
    save(ada, "// third")
    assert 'href="?draft=cuda"' in ada.get(PAGE).text
    page = ada.get(PAGE, params={"draft": "cuda"}).text
    assert "// third</textarea>" in page and "is back" in page


def test_what_could_not_be_handed_in_is_not_kept(hall: Hall) -> None:
    ada = hall.signed_in("ada")
    too_large = save(ada, "x" * (LARGEST_SOURCE + 1))
    assert (too_large.status_code, too_large.json()["error"].split(":")[0]) == (413, "the text is too large")
    assert save(ada, "x", "fortran").status_code == 400
    elsewhere = DRAFT.replace("matmul", "softmax")
    form = {"csrf": form_token(ada.get(PAGE).text), "language": "cuda", "source": "x"}
    assert ada.post(elsewhere, data=form, headers=AS_SCRIPT).status_code == 404
    assert ada.post(DRAFT, data={**form, "csrf": "other"}, headers=AS_SCRIPT).status_code == 403
    assert hall.browser().post(DRAFT, data=form, headers=AS_SCRIPT).status_code == 401
    hall.change(practice_after_end=False, end=NOW, freeze=None)
    hall.pass_time(hours=1)
    late = ada.post(DRAFT, data=form, headers=AS_SCRIPT)
    assert (late.status_code, late.json()["error"]) == (403, "the contest is over")


def test_drafts_have_a_budget_of_their_own(hall: Hall) -> None:
    ada = hall.signed_in("ada")
    form = {"csrf": form_token(ada.get(PAGE).text), "language": "cuda", "source": NAIVE}
    parts = {name: (None, value) for name, value in {**form, "source": "x" * LARGEST_SOURCE}.items()}
    answers = [ada.post(DRAFT, files=parts, headers=AS_SCRIPT).status_code for _ in range(18)]
    assert answers == [200] * 15 + [429] * 3
    assert ada.post(PAGE, data=form, headers=AS_SCRIPT).status_code == 201
    # What was spent comes back with time.
    hall.pass_time(seconds=10)
    assert ada.post(DRAFT, files=parts, headers=AS_SCRIPT).status_code == 200


def test_an_account_keeps_a_few_and_they_are_the_newest(contest_database: Database, clock: HandClock) -> None:
    ada, bob = (contest_database.account_by_name("c1", name) for name in ("ada", "bob"))
    contest_database.keep_draft(bob, "p0", "cuda", "bob's")
    for number in range(MOST_DRAFTS + 3):
        clock.forward(seconds=1)
        contest_database.keep_draft(ada, f"p{number}", "cuda", "first")
        contest_database.keep_draft(ada, f"p{number}", "cuda", "\0text")
    kept = [number for number in range(MOST_DRAFTS + 3) if contest_database.drafts_saved(ada, f"p{number}")]
    assert kept == list(range(3, MOST_DRAFTS + 3))
    newest = contest_database.draft(ada, f"p{kept[-1]}", "cuda")
    assert newest is not None and (newest.text, newest.saved) == ("?text", clock.now())
    other = contest_database.draft(bob, "p0", "cuda")
    assert other is not None and other.text == "bob's"
    contest_database.drop_draft(ada, f"p{kept[-1]}", "cuda")
    assert contest_database.draft(ada, f"p{kept[-1]}", "cuda") is None


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/run"])
def test_a_text_sent_after_the_session_ended_comes_back(hall: Hall, path: str) -> None:
    browser = hall.signed_in("ada")
    token = form_token(browser.get(PAGE).text)
    browser.cookies.delete("kgrade_session")
    # More than the server reads of a stranger, who was never signed in.
    text = "// <b>half</b> a kernel\n" + "// more\n" * 5000
    sent = {"csrf": token, "language": "cuda", "source": text.replace("\n", "\r\n")}
    answer = browser.post(path, files={key: (None, value) for key, value in sent.items()})
    assert answer.status_code == 401 and "// &lt;b&gt;half&lt;/b&gt; a kernel" in answer.text
    stranger = hall.browser().post(path, files={key: (None, value) for key, value in sent.items()})
    assert stranger.status_code == 413
    form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
    assert form["back"] == PAGE
    form |= {"source": text.replace("\n", "\r\n"), "token": "no such link"}
    wrong = browser.post("/sign-in", files={key: (None, value) for key, value in form.items()})
    assert wrong.status_code == 401 and "// &lt;b&gt;half" in wrong.text
    form["token"] = "link-of-ada"
    signed_in = browser.post("/sign-in", files={key: (None, value) for key, value in form.items()})
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, f"{PAGE}?draft=cuda")
    page = browser.get(signed_in.headers["location"]).text
    assert html.unescape(page.split('aria-describedby="keys">\n')[1].split("</textarea>")[0]) == text


def test_a_text_of_another_site_is_not_kept(hall: Hall) -> None:
    form = {"language": "cuda", "source": "// not mine"}
    answer = hall.browser().post(PAGE, data=form, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 401 and "not mine" not in answer.text
    assert hall.browser().post(PAGE, data={**form, "language": "x"}).text.count("not mine") == 0


def test_a_kept_text_that_is_refused_can_still_be_copied(hall: Hall) -> None:
    browser = hall.browser()
    answer = browser.post(PAGE, data={"language": "cuda", "source": "// too late"})
    form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
    hall.change(practice_after_end=False, end=NOW, freeze=None)
    hall.pass_time(hours=1)
    refused = browser.post("/sign-in", data={**form, "source": "// too late", "token": "link-of-ada"})
    assert refused.status_code == 403 and "The contest is over." in refused.text and "// too late" in refused.text
    assert browser.get(f"/contests/{SLUG}").status_code == 200


def test_a_kept_text_waits_for_its_contest(hall: Hall) -> None:
    hall.database.add_contest("other", settings_to_json(settings(slug="other", title="The other one")), who="test")
    eve = NewAccount("eve", "", "student", None, hash_token("token-of-eve"), hash_token("link-of-eve"))
    hall.database.add_accounts("other", [eve], who="test")
    browser = hall.browser()
    answer = browser.post(PAGE, data={"language": "cuda", "source": "// for the first"})
    for link in ("link-of-eve", "link-of-ada"):
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
        answer = browser.post("/sign-in", data={**form, "source": "// for the first", "token": link})
        if link == "link-of-eve":
            assert answer.status_code == 200 and "// for the first" in answer.text
            assert (
                'signed in to <a href="/contests/other">The other one</a>. The text below is for another' in answer.text
            )
            assert browser.get("/contests/other").status_code == 200
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?draft=cuda")


def test_texts_left_for_the_way_to_a_provider_are_few_and_not_old() -> None:
    now = [0.0]
    left = LeftTexts(lambda: now[0], most=2)
    texts = [Kept(PAGE, LanguageName.CUDA, text) for text in "abc"]
    for browser, text in zip("xyz", texts, strict=True):
        left.leave(browser, text)
    assert [left.take(browser) for browser in "xyy"] == [None, texts[1], None]
    now[0] = SECONDS
    assert left.take("z") is None
