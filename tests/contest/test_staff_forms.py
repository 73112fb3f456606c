"""What staff do in the browser: settings, roster, extensions, disqualified accounts, the freeze; and who may not."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from grader.contest.changes import details, differences
from grader.contest.definitions import defined_contests, definition, read_definition
from grader.contest.records import NewAccount
from grader.contest.settings import PRACTICE, ContestProblem, settings_to_json
from grader.contest.settings_form import form_values, settings_of_form
from grader.contest.spans import parse_span
from grader.core.errors import UsageError

from .site_samples import NOW, SLUG, Hall, form_token, open_hall, secrets, settings

STAFF = f"/contests/{SLUG}/staff"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path) as opened:
        yield opened


def send(browser: httpx.Client, path: str, page: str = "", **data: str) -> httpx.Response:
    """Sends a form of the page, with its hidden fields."""
    text = browser.get(f"{STAFF}{page}").text
    seen = re.search(r'name="seen" value="(\w+)"', text)
    hidden = {"csrf": form_token(text)} | ({"seen": seen[1]} if seen else {})
    return browser.post(f"{STAFF}{path}", data={**hidden, **data})


def number(hall: Hall, name: str) -> str:
    return str(hall.database.account_by_name(SLUG, name).id)


def test_a_form_that_is_unchanged_changes_nothing() -> None:
    found = settings(freeze=None)
    assert settings_of_form(found, form_values(found)) == found


def test_the_form_is_checked_as_the_file_is() -> None:
    texts = form_values(settings())
    for key, text, told in (
        ("end", "tomorrow", "end = "),
        ("end", "2026-10-01T09:00:00", "time with its zone"),
        ("per_hour", "9" * 5000, "per_hour = "),
        ("per_hour", "nan", "a whole number"),
        ("per_hour", "", "a whole number"),
        ("weight:zip", "-1", "weight = "),
        ("late.percent_per_hour", "10", "late.hours"),
        ("scoreboard", "secret", "scoreboard = "),
        ("title", "\u202e", "title = "),
        ("start", "2027-01-01T00:00:00+00:00", "after the start"),
    ):
        with pytest.raises(UsageError, match=re.escape(told)):
            settings_of_form(settings(), {**texts, key: text})


def test_differences_are_told_by_key() -> None:
    before = settings()
    first = replace(before.problems[0], weight=2.5)
    after = replace(before, per_hour=7, teams=True, freeze=None, problems=(first, before.problems[1]))
    assert differences(settings_to_json(before), settings_to_json(after)) == [
        "freeze: 2026-10-01T16:00:00+00:00 → none",
        "per_hour: 20 → 7",
        "teams: no → yes",
        "problem matmul, weight: 1 → 2.5",
    ]
    assert differences(settings_to_json(before), settings_to_json(before)) == []
    # Many problems are one line, in their order.
    many = settings(problems=tuple(ContestProblem(f"p{number:02}") for number in range(90)))
    (said,) = differences(settings_to_json(many), settings_to_json(replace(many, problems=many.problems[:1])))
    assert said.startswith("problems taken out: p01, p02, p03") and len(said) < 250


def test_settings_are_changed_and_the_change_is_told(hall: Hall) -> None:
    staff = hall.signed_in("tutor")
    values = form_values(settings())
    end = (NOW + timedelta(hours=9)).isoformat()
    answer = send(
        staff,
        "/settings",
        "/settings",
        **{**values, "end": end, "per_hour": "7", "scoreboard": "public", "explain": "yes", "entry": "ask"},
    )
    assert answer.status_code == 200 and "per_hour: 20 → 7" in answer.text
    found = hall.site.access.contest(SLUG)
    assert (found.end, found.per_hour, found.scoreboard) == (NOW + timedelta(hours=9), 7, "public")
    assert (found.explain, found.entry) == (True, "ask")
    last = hall.database.audits(SLUG, 1)[0]
    assert (last.what, last.who) == ("contest changed", "tutor") and "per_hour: 20 → 7" in details(last)
    assert "per_hour: 20 → 7" in staff.get(STAFF).text
    assert "Nothing was different" in send(staff, "/settings", "/settings", **form_values(found)).text


def test_wrong_settings_change_nothing_and_stay_in_the_form(hall: Hall) -> None:
    staff, values = hall.signed_in("tutor"), form_values(settings())
    answer = send(staff, "/settings", "/settings", **{**values, "end": "<b>soon", "per_hour": "0"})
    assert answer.status_code == 400 and "2 mistakes" in answer.text
    assert 'value="&lt;b&gt;soon"' in answer.text and "<b>soon" not in answer.text
    assert hall.site.access.contest(SLUG) == settings()


def test_what_somebody_else_changed_is_not_written_over(hall: Hall) -> None:
    staff, values = hall.signed_in("tutor"), form_values(settings())
    page = staff.get(f"{STAFF}/settings").text
    hall.change(per_hour=3)
    data = {**values, "csrf": form_token(page), "seen": page.partition('name="seen" value="')[2].partition('"')[0]}
    assert staff.post(f"{STAFF}/settings", data=data).status_code == 409
    assert hall.site.access.contest(SLUG).per_hour == 3


def test_a_roster_is_pasted_and_its_links_work(hall: Hall) -> None:
    staff = hall.signed_in("tutor")
    roster = "name,email\r\nDan <i>,dan@example.org\r\nada,ada@example.org\r\n"
    page = send(staff, "/people/roster", "/people", roster=roster).text
    assert "1 account added" in page and "1 were there" in page and "<i>" not in page
    area = page.partition('<textarea id="secrets"')[2].partition(">")[2].partition("</textarea>")[0]
    (row,) = csv.DictReader(io.StringIO(html.unescape(area).lstrip("\n")))
    assert (row["name"], row["email"]) == ("Dan <i>", "dan@example.org")
    assert row["link"].startswith(hall.address)
    assert "This link is" in hall.browser().get(row["link"]).text
    me = hall.browser().get("/api/me", headers={"authorization": f"Bearer {row['token']}"})
    assert me.json()["name"] == "Dan <i>"
    assert row["token"] not in staff.get(f"{STAFF}/people").text
    assert any(each.what == "account added" and each.who == "tutor" for each in hall.database.audits(SLUG))


@pytest.mark.parametrize("roster", ["", "nobody", "name,email\nEve,none\n", "name,email\nada,other@example.org\n"])
def test_a_roster_with_a_mistake_adds_nobody(hall: Hall, roster: str) -> None:
    before = len(hall.database.accounts(SLUG))
    answer = send(hall.signed_in("tutor"), "/people/roster", "/people", roster=roster)
    assert answer.status_code == 400 and 'role="alert"' in answer.text
    assert len(hall.database.accounts(SLUG)) == before


def test_an_extension_is_given_and_taken_back(hall: Hall) -> None:
    staff, ada = hall.signed_in("tutor"), number(hall, "ada")
    assert send(staff, "/people/extend", "/people", account=ada, time="1d2h").status_code == 303
    assert "1 d 2 h" in staff.get(f"{STAFF}/people").text
    assert hall.database.account_by_name(SLUG, "ada").extension_seconds == 93_600
    send(staff, "/people/extend", "/people", account=ada, time="0")
    assert hall.database.account_by_name(SLUG, "ada").extension_seconds == 0
    for time in ("soon", "", "-1h", "999999d999999d999999d"):
        assert send(staff, "/people/extend", "/people", account=ada, time=time).status_code == 400
    assert [each.detail["seconds"] for each in hall.database.audits(SLUG, 2)] == [0, 93_600]


def test_a_span_is_at_most_ten_years() -> None:
    assert parse_span("3650d") == timedelta(days=3650)
    with pytest.raises(UsageError, match="too long"):
        parse_span("3650d1s")


def test_an_account_is_disqualified_and_reinstated(hall: Hall) -> None:
    staff, ada = hall.signed_in("tutor"), number(hall, "ada")
    assert send(staff, "/people/disqualify", "/people", account=ada, reason=" ").status_code == 400
    assert send(staff, "/people/disqualify", "/people", account=ada, reason="copied <b>").status_code == 303
    page = staff.get(f"{STAFF}/people").text
    assert "copied &lt;b&gt;" in page
    assert hall.signed_in("ada").get(f"/contests/{SLUG}").text.count("copied &lt;b&gt;") == 1
    send(staff, "/people/reinstate", "/people", account=ada)
    assert hall.database.account_by_name(SLUG, "ada").disqualified is None
    assert [each.what for each in hall.database.audits(SLUG, 2)] == ["account reinstated", "account disqualified"]


def test_what_was_unfrozen_is_frozen_again(hall: Hall) -> None:
    hall.pass_time(hours=4, minutes=1)
    hall.submit("ada")
    hall.judge()
    staff = hall.signed_in("tutor")
    assert "Freeze again" not in staff.get(STAFF).text
    send(staff, "/unfreeze", all="yes")
    assert "Freeze again" in staff.get(STAFF).text
    assert send(staff, "/freeze").status_code == 303
    assert "Freeze again" not in staff.get(STAFF).text
    assert hall.database.audits(SLUG, 1)[0].what == "scoreboard frozen again"


def test_no_student_no_stranger_and_no_forged_form(hall: Hall) -> None:
    other = hall.database.account_by_name(SLUG, "tutor")
    paths = ["/settings", "/people/roster", "/people/extend", "/people/disqualify", "/people/reinstate", "/freeze"]
    ada, tutor, stranger = hall.signed_in("ada"), hall.signed_in("tutor"), hall.browser()
    token = form_token(ada.get(f"/contests/{SLUG}").text)
    before = hall.database.audits()
    data = {"account": str(other.id), "reason": "x", "time": "1h", "roster": "name,email\nEve,e@x.org\n"}
    for path in paths:
        assert ada.post(f"{STAFF}{path}", data={**data, "csrf": token}).status_code == 404
        assert tutor.post(f"{STAFF}{path}", data={**data, "csrf": token}).status_code == 403
        assert stranger.post(f"{STAFF}{path}", data=data).status_code in (401, 403)
    for page in ("/settings", "/people"):
        assert ada.get(f"{STAFF}{page}").status_code == 404 and stranger.get(f"{STAFF}{page}").status_code == 401
    assert hall.database.audits() == before


def test_an_account_of_another_contest_is_out_of_reach(hall: Hall) -> None:
    hall.database.add_contest("other", settings_to_json(replace(settings(), slug="other")), who="test")
    (eve,) = hall.database.add_accounts("other", [NewAccount("eve")], who="test")
    staff = hall.signed_in("tutor")
    for path in ("extend", "disqualify", "reinstate"):
        answer = send(staff, f"/people/{path}", "/people", account=str(eve), time="1h", reason="x")
        assert answer.status_code == 404
    assert hall.database.account(eve).disqualified is None


def test_a_new_link_ends_the_old_one(hall: Hall) -> None:
    ada, tutor = hall.signed_in("ada"), hall.signed_in("tutor")
    page = send(tutor, "/people/renew", "/people", account=number(hall, "ada")).text
    (row,) = csv.DictReader(io.StringIO(html.unescape(page.split('class="wrapless">\n')[1].split("</textarea>")[0])))
    old = (ada.get(f"/contests/{SLUG}"), hall.browser().get("/sign-in/link-of-ada"))
    assert [each.status_code for each in old] == [401, 401]
    assert hall.browser().get(row["link"]).status_code == 200
    assert hall.database.audits(SLUG)[0].what == "sign-in renewed"
    assert hall.signed_in("bob").post(f"{STAFF}/people/renew", data={}).status_code in (403, 404)


def test_scores_are_packed_for_other_systems(hall: Hall) -> None:
    hall.submit("ada")
    hall.judge()
    tutor = hall.signed_in("tutor")
    answer = tutor.get(f"{STAFF}/scores-gradescope.zip")
    assert answer.headers["content-disposition"] == f'attachment; filename="{SLUG}-gradescope.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert json.loads(archive.read("ada@example.org.json"))["score"] == 1.0
    with zipfile.ZipFile(io.BytesIO(tutor.get(f"{STAFF}/scores-autolab.zip").content)) as archive:
        assert json.loads(archive.read("bob@example.org.txt"))["scores"] == {"matmul": 0.0, "zip": 0.0}
    assert tutor.get(f"{STAFF}/scores-csv.zip").status_code == 404
    assert hall.signed_in("bob").get(f"{STAFF}/scores-gradescope.zip").status_code == 404


def test_who_runs_the_server_makes_contests(tmp_path: Path) -> None:
    with open_hall(tmp_path, practice=True) as hall:
        hall.database.add_accounts(PRACTICE, [NewAccount("eve", "", "student", None, *secrets("eve"))], who="test")
        hall.database.add_accounts(PRACTICE, [NewAccount("aid", "", "staff", None, *secrets("aid"))], who="test")
        page = f"/contests/{PRACTICE}/new-contest"
        eve = hall.signed_in("eve")
        assert eve.get(page).status_code == 404 and page not in eve.get(f"/contests/{PRACTICE}").text
        owner = hall.browser()
        form = {"csrf": form_token(owner.get(page).text), "name": "lab", "title": 'A "lab"', "problems": "zip\nmatmul"}
        form |= {"start": "2026-10-01T09:00:00+02:00", "end": "2026-10-01T10:30:00+02:00"}
        hers = form_token(eve.get(f"/contests/{PRACTICE}").text)
        assert eve.post(page, data={**form, "csrf": hers}).status_code == 404
        for wrong, words in (
            ({"name": "../lab"}, "can&#39;t be used"),
            ({"name": PRACTICE}, "already"),
            ({"name": SLUG}, "already"),
            ({"end": "tomorrow"}, "a time with its zone"),
            ({"end": "2026-10-01T10:30:00+02:00:30"}, "new contest"),
            ({"problems": "zip nothing"}, "no such problem"),
            ({"problems": ""}, "one or more tables"),
            ({"title": "a\u202eb"}, "printable"),
        ):
            answer = owner.post(page, data={**form, **wrong})
            # What was typed is there still.
            assert answer.status_code == 400 and words in answer.text and "2026-10-01T09:00:00+02:00" in answer.text
        assert defined_contests(hall.workspace) == []
        made = owner.post(page, data=form)
        assert made.status_code == 200 and "A &#34;lab&#34; is there" in made.text
        found = read_definition(hall.workspace, "lab")
        assert (found.title, found.freeze) == ('A "lab"', None)
        assert [each.name for each in found.problems] == ["zip", "matmul"]
        assert definition(hall.workspace, "lab").stat().st_mode & 0o777 == 0o600
        # The maker is staff, by the session and by the link.
        assert owner.get("/contests/lab/staff").status_code == 200
        (link,) = re.findall(r'value="(http[^"]*/sign-in/[^"]*)"', made.text)
        assert "me" in hall.browser().get(link).text
        assert "already" in owner.post(page, data=form).text
        # Staff of the practice may as well.
        aid = hall.signed_in("aid")
        assert aid.get(page).status_code == 200
