"""Clarifications: who asks, who answers, and who sees what of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from grader.contest.database import Database
from grader.contest.tables.clarifications import QUESTIONS_PER_HOUR
from grader.core.errors import UsageError

from .contests import contest
from .site_samples import NOW, SLUG, Hall, form_token, open_hall

HOME = f"/contests/{SLUG}"
HOSTILE = "may N be 0? <script>alert(1)</script> \u202e{{ 7 * 7 }}"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path) as opened:
        yield opened


def ask(hall: Hall, name: str, text: str, problem: str = "") -> int:
    browser = hall.signed_in(name)
    token = form_token(browser.get(f"{HOME}/questions").text)
    data = {"csrf": token, "problem": problem, "question": text}
    return browser.post(f"{HOME}/questions", data=data).status_code


def answer(hall: Hall, number: int, text: str, to: str, name: str = "tutor") -> int:
    browser = hall.signed_in(name)
    data = {"csrf": form_token(browser.get(f"{HOME}/questions").text), "answer": text, "to": to}
    return browser.post(f"{HOME}/staff/questions/{number}", data=data).status_code


def page(hall: Hall, name: str, path: str = "/questions") -> str:
    return hall.signed_in(name).get(HOME + path).text


def test_an_answer_to_one_is_the_askers_alone(hall: Hall) -> None:
    assert ask(hall, "ada", HOSTILE, "matmul") == 303
    shown = page(hall, "tutor", "/staff/questions")
    assert "ada" in shown and "about Matrix multiplication" in shown
    assert "<script>alert" not in shown and "&lt;script&gt;" in shown
    assert "{{ 7 * 7 }}" in shown and "\u202e" not in shown
    assert "(1 open)" in page(hall, "tutor", "/staff") and "No answer yet" in page(hall, "ada")
    assert answer(hall, 1, "Only <b>positive</b>", "one") == 303
    assert "Only &lt;b&gt;positive&lt;/b&gt;" in page(hall, "ada")
    assert "positive" not in page(hall, "bob") and "may N" not in page(hall, "bob")
    assert "open)" not in page(hall, "tutor", "/staff")


def test_an_answer_to_all_is_announced_without_a_name(hall: Hall) -> None:
    ask(hall, "ada", "may N be 0?", "matmul")
    answer(hall, 1, "No, never", "all")
    for path in ("/questions", ""):
        shown = page(hall, "bob", path)
        assert "may N be 0?" in shown and "No, never" in shown and "ada" not in shown
    assert hall.database.announcements(SLUG)[0].text.startswith("About Matrix multiplication: may N")
    assert any(each.what == "question answered" and each.who == "tutor" for each in hall.database.audits(SLUG))


def test_what_is_refused_stays_in_the_form(hall: Hall) -> None:
    assert ask(hall, "ada", "  ") == 400
    assert ask(hall, "ada", "x" * 2001) == 400
    assert ask(hall, "ada", "what?", "conv") == 404
    assert hall.database.clarifications(SLUG) == []
    for number in range(QUESTIONS_PER_HOUR):
        assert ask(hall, "ada", f"question {number}") == 303
    browser = hall.signed_in("ada")
    data = {"csrf": form_token(browser.get(f"{HOME}/questions").text), "question": "one more"}
    refused = browser.post(f"{HOME}/questions", data=data)
    assert refused.status_code == 429 and "one more</textarea>" in refused.text and "Ask again in" in refused.text
    assert ask(hall, "bob", "me too") == 303
    hall.pass_time(minutes=61)
    assert ask(hall, "ada", "an hour later") == 303
    assert answer(hall, 1, " ", "one") == 400


def test_students_answer_nothing_and_forms_need_their_token(hall: Hall) -> None:
    ask(hall, "ada", "may N be 0?")
    assert answer(hall, 1, "yes", "all", name="bob") == 404
    assert hall.signed_in("bob").get(f"{HOME}/staff/questions").status_code == 404
    assert hall.browser().get(f"{HOME}/questions").status_code == 401
    assert hall.signed_in("ada").post(f"{HOME}/questions", data={"question": "forged"}).status_code == 403
    assert hall.signed_in("tutor").post(f"{HOME}/staff/questions/1", data={"answer": "forged"}).status_code == 403
    assert answer(hall, 99, "yes", "all") == 404
    assert [each.answer for each in hall.database.clarifications(SLUG)] == [None]


def test_before_the_start_only_the_contest_is_asked_about(hall: Hall) -> None:
    hall.change(start=NOW + timedelta(hours=1))
    assert "Matrix multiplication" not in page(hall, "ada")
    assert ask(hall, "ada", "what is asked?", "matmul") == 404
    assert ask(hall, "ada", "when is it?") == 303


def open_question(database: Database) -> None:
    database.ask(database.account_by_name("a1", "ada"), None, "when?")


def test_a_second_answer_replaces_the_first(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        open_question(database)
        for text in ("at one", "at two"):
            database.answer("a1", 1, text, announce_as="the contest", who="prof")
        assert [each.text.rpartition(" ")[2] for each in database.announcements("a1")] == ["two"]
        database.answer("a1", 1, "I can't say", who="prof")
        assert database.announcements("a1") == []
        assert [each.answer for each in database.clarifications("a1")] == ["I can't say"]


def test_a_withdrawn_answer_stays_with_the_asker(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        open_question(database)
        database.answer("a1", 1, "at one", announce_as="the contest", who="prof")
        database.withdraw_announcement(database.announcements("a1")[0].id, who="prof")
        found = database.clarifications("a1")[0]
        assert (found.announcement_id, found.answer) == (None, "at one")


def test_a_question_of_another_contest_is_not_answered(contest_database: Database) -> None:
    contest_database.ask(contest_database.account_by_name("c1", "ada"), None, "when?")
    with pytest.raises(UsageError, match="no question 1"):
        contest_database.answer("other", 1, "now", who="prof")
