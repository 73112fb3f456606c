"""Who sees which names on the scoreboard: its page, its live updates, the API, the archive and the exports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from grader.contest.anonymity import nameless
from grader.contest.archive_site import archive_pages
from grader.contest.scoreboard import NOTHING, Row
from grader.contest.settings import read_settings
from grader.core.errors import UsageError
from grader.core.report import Interval, to_json
from tests.boards.samples import accepted as in_archive

from .contests import SETTINGS, contest, handed_in, judge, submit
from .site_samples import NOW, SLUG, Hall, open_hall

HOME = f"/contests/{SLUG}"
BOARD, API = f"{HOME}/scoreboard", f"/api/contests/{SLUG}/scoreboard"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path, practice_after_end=False) as opened:
        opened.submit("ada")
        opened.judge()
        yield opened


def names(text: str) -> list[str]:
    return re.findall(r'<tr data-who="([^"]*)"', text)


def first_event(client: httpx.Client, hall: Hall, name: str) -> str:
    """The scoreboard that a live page gets when `name` hands something in."""
    with client.stream("GET", f"{BOARD}/events") as answer:
        assert answer.status_code == 200
        hall.submit(name, problem="zip")
        lines = answer.iter_lines()
        next(line for line in lines if line.startswith("event: board"))
        text = ""
        for line in lines:
            if not line:
                break
            text += line
        return text


def test_a_class_board_is_for_who_is_signed_in(hall: Hall) -> None:
    guest = hall.browser()
    for path in (BOARD, f"{BOARD}/events", API):
        assert guest.get(path).status_code == 401
    for slug in ("other", "x" * 99):
        assert guest.get(f"/contests/{slug}/scoreboard").status_code == 401
        assert guest.get(f"/api/contests/{slug}/scoreboard").status_code == 401
    assert names(hall.signed_in("bob").get(BOARD).text) == ["ada", "bob", "carol"]


def test_a_public_board_needs_no_sign_in(hall: Hall) -> None:
    hall.change(scoreboard="public")
    guest = hall.browser()
    page = guest.get(BOARD)
    assert names(page.text) == ["ada", "bob", "carol"] and 'href="/sign-in"' in page.text
    assert [row["name"] for row in guest.get(API).json()["rows"]] == ["ada", "bob", "carol"]
    assert names(first_event(guest, hall, "bob")) == ["ada", "bob", "carol"]
    assert f'href="{BOARD}"' in guest.get("/").text
    for path in (HOME, f"{HOME}/problems/matmul", f"{HOME}/submissions/1", f"{HOME}/staff/scoreboard"):
        assert guest.get(path).status_code == 401
    assert 'data-own="ada"' in hall.signed_in("ada").get(BOARD).text
    assert hall.program("nobody").get(API).status_code == 401


def test_an_anonymous_board_names_only_the_reader(hall: Hall) -> None:
    hall.change(scoreboard="anonymous")
    for name, shown in (("ada", "ada"), ("bob", "#1")):
        page = hall.signed_in(name).get(BOARD).text
        assert names(page)[0] == shown and f'data-own="{name}"' in page
        board = page.partition('id="board"')[2]
        assert sorted(each for each in names(page) if not each.startswith("#")) == [name]
        assert not {"ada", "bob", "carol"} - {name} & set(re.findall(r"\w+", board))
        rows = hall.program(name).get(API).json()["rows"]
        assert [row["name"] for row in rows if not row["name"].startswith("#")] == [name]
        assert {row["rank"] for row in rows if row["name"] in ("#1", "ada")} == {1}
    assert names(first_event(hall.signed_in("bob"), hall, "carol")).count("bob") == 1
    assert hall.browser().get(BOARD).status_code == 401


def test_staff_see_all_names(hall: Hall) -> None:
    hall.change(scoreboard="anonymous")
    tutor = hall.signed_in("tutor")
    for path in (BOARD, f"{HOME}/staff/scoreboard"):
        assert names(tutor.get(path).text) == ["ada", "bob", "carol"]
    assert hall.program("tutor").get(API).json()["rows"][0]["name"] == "ada"


def test_others_code_stays_closed_where_names_are_hidden(hall: Hall) -> None:
    hall.pass_time(hours=6)
    page = f"{HOME}/submissions/1"
    assert hall.signed_in("bob").get(page).status_code == 200
    hall.change(scoreboard="anonymous")
    assert hall.signed_in("bob").get(page).status_code == 404
    assert hall.signed_in("ada").get(page).status_code == 200
    assert hall.program("bob").get("/api/submissions/1").status_code == 404


def test_an_open_page_obeys_a_change_at_once(hall: Hall) -> None:
    bob = hall.signed_in("bob")
    with bob.stream("GET", f"{BOARD}/events") as answer:
        hall.change(scoreboard="anonymous")
        hall.submit("bob", problem="zip")
        text = ""
        for line in answer.iter_lines():
            text += line
            if text.count("<tr") > 3:
                break
    assert "carol" not in text and names(text)[0] == "#1"


def test_the_archive_names_nobody_where_names_are_hidden(tmp_path: Path) -> None:
    settings = replace(SETTINGS, scoreboard="anonymous")
    with contest(tmp_path, settings, ["ada", "bob"]) as database:
        number = submit(database, "ada", 1, file="ada_lovelace.cu")
        judge(database, {number: 0.7}, report=to_json(replace(in_archive(), source="", score=0.7, user="ada")))
        handed_in(database, "bob", 2, 0.5)
        pages = dict(archive_pages(database, "a1", {}))
    assert set(pages) == {"index.html", "submissions/1.html"}
    assert "#1" in pages["index.html"] and "#2" in pages["index.html"]
    for text in pages.values():
        assert "lovelace" not in text and not re.search(r"<bdi>(ada|bob)</bdi>", text)


def test_rows_of_one_rank_stand_in_no_order_of_names() -> None:
    rows = [Row(1, "best", Interval(1.0, 1.0, 1.0), ())]
    rows += [Row(2, f"student {number:02}", NOTHING, ()) for number in range(30)]
    hidden = nameless(rows)
    assert [row.who for row in hidden.values()] == [f"#{number}" for number in range(1, 32)]
    assert next(iter(hidden)) == "best" and sorted(hidden) == sorted(row.who for row in rows)
    assert list(hidden)[1:] != [row.who for row in rows[1:]]
    assert list(nameless(rows)) == list(hidden)


def test_a_word_that_is_no_visibility_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a1" / "contest.toml"
    path.parent.mkdir()
    text = 'start = 2026-10-01T09:00:00Z\nend = 2026-10-02T09:00:00Z\nscoreboard = "{}"\n[[problems]]\nname = "zip"\n'
    path.write_text(text.format("secret"))
    with pytest.raises(UsageError, match='scoreboard = "secret": "class", "public" or "anonymous" is expected'):
        read_settings(path)
    path.write_text(text.format("anonymous"))
    assert read_settings(path).scoreboard == "anonymous"


@pytest.mark.parametrize("scoreboard", ["class", "public", "anonymous"])
def test_before_the_start_no_board_tells_the_problems(tmp_path: Path, scoreboard: str) -> None:
    with open_hall(tmp_path, start=NOW + timedelta(hours=1), scoreboard=scoreboard) as hall:
        readers = [hall.signed_in("ada"), hall.program("ada"), *([hall.browser()] if scoreboard == "public" else [])]
        tutor = hall.signed_in("tutor")
        # Nobody gets what was drawn for staff.
        assert "zip" in tutor.get(BOARD).text.lower() and "zip" in hall.program("tutor").get(API).text
        for reader in readers:
            path = API if "authorization" in reader.headers else BOARD
            shown = reader.get(path).text.lower()
            assert "zip" not in shown and "matmul" not in shown and "matrix" not in shown
            assert ("carol" in shown) is (scoreboard != "anonymous")
        rows = hall.program("ada").get(API).json()["rows"]
        assert len(rows) == 3 and all(row["cells"] == [] for row in rows)
        hall.pass_time(hours=2)
        assert "zip" in readers[0].get(BOARD).text.lower()
        assert [len(row["cells"]) for row in hall.program("ada").get(API).json()["rows"]] == [2, 2, 2]
