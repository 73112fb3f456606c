"""The scoreboard out of a database: who is on it, what the freeze hides, and how it is lifted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from grader.contest.records import NewAccount
from grader.contest.settings import settings_to_json
from grader.contest.standing import emails, freeze_again, results, reveal_next, standing, unfreeze
from grader.core.errors import UsageError

from .contests import MINUTE, SETTINGS, START, contest, handed_in, judge, submit

AFTER = START + 100 * MINUTE


def test_points_come_from_the_judgings_that_count(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        handed_in(database, "ada", 1, 0.5)
        handed_in(database, "ada", 2, "wrong_answer")
        handed_in(database, "bob", 3, 0.9)
        rows = standing(database, "a1", now=START + 5 * MINUTE).rows
    assert [(row.rank, row.who, round(row.points.value, 3)) for row in rows] == [
        (1, "bob", 1.8),
        (2, "ada", 1.0),
        (3, "cy", 0.0),
    ]


def test_disqualified_people_and_submissions_and_staff_are_not_on_it(tmp_path: Path) -> None:
    people = ["ada", "bob", NewAccount("prof", "p@example.org", "staff")]
    with contest(tmp_path, people=people) as database:
        handed_in(database, "prof", 1, 0.99)
        handed_in(database, "ada", 2, 0.9)
        best = handed_in(database, "bob", 3, 0.8)
        handed_in(database, "bob", 4, 0.3)
        database.disqualify_account(database.account_by_name("a1", "ada").id, "copied", who="prof")
        database.disqualify_submission(best, "copied", who="prof")
        rows = standing(database, "a1").rows
        assert [(row.who, round(row.points.value, 3)) for row in rows] == [("bob", 0.6)]
        database.disqualify_submission(best, None, who="prof")
        assert round(standing(database, "a1").rows[0].points.value, 3) == 1.6


def test_the_results_of_a_team_leave_out_its_disqualified_member(tmp_path: Path) -> None:
    people = [NewAccount(name, f"{name}@example.org", team="T") for name in ("ada", "bob")]
    with contest(tmp_path, replace(SETTINGS, teams=True), people) as database:
        handed_in(database, "ada", 1, 0.5)
        handed_in(database, "bob", 2, 0.9)
        database.disqualify_account(database.account_by_name("a1", "bob").id, "copied", who="prof")
        found = results(database, "a1")
    assert [(row.who, round(row.points.value, 3)) for row in found.rows] == [("T", 1.0), ("bob (T)", 0.0)]
    assert found.emails == {"T": "ada@example.org", "bob (T)": "bob@example.org"}
    assert found.reasons == {"bob (T)": "copied"}


def test_teams_stand_together(tmp_path: Path) -> None:
    settings = replace(SETTINGS, teams=True)
    people = [
        NewAccount("ada", "a@example.org", team="T"),
        NewAccount("bob", "b@example.org", team="T"),
        NewAccount("T", "t@example.org"),
    ]
    with contest(tmp_path, settings, people) as database:
        handed_in(database, "ada", 1, 0.5)
        handed_in(database, "bob", 2, 0.5, "zip")
        handed_in(database, "T", 3, 0.1)
        rows = standing(database, "a1").rows
        assert [(row.who, round(row.points.value, 3)) for row in rows] == [("T", 1.5), ("T (no team)", 0.2)]
        assert emails(settings, database.accounts("a1"))["T"] == "a@example.org b@example.org"


def test_an_extension_makes_late_work_count_afterwards(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        handed_in(database, "ada", 125, 0.5)
        assert standing(database, "a1", everything=True).rows[0].points.value == 0
        account = database.account_by_name("a1", "ada")
        database.set_extension(account.id, 600, who="prof")
        assert standing(database, "a1", everything=True).rows[0].points.value == pytest.approx(1.0)


def test_the_freeze_hides_from_students_and_not_from_staff(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        handed_in(database, "ada", 95, 0.5)
        before, public, staff = (
            standing(database, "a1", now=START + 80 * MINUTE),
            standing(database, "a1", now=AFTER),
            standing(database, "a1", now=AFTER, everything=True),
        )
        assert not before.frozen and public.frozen and not staff.frozen
        assert public.rows[0].points.value == 0 and staff.rows[0].points.value == pytest.approx(1.0)


def test_what_was_submitted_before_the_freeze_shows_however_late_it_is_judged(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        number = submit(database, "ada", 89)
        assert standing(database, "a1", now=AFTER).rows[0].points.value == 0
        judge(database, {number: 0.5})
        assert standing(database, "a1", now=AFTER).rows[0].points.value == pytest.approx(1.0)


def test_unfreezing_step_by_step(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        for name, score in (("ada", 0.9), ("bob", 0.5), ("cy", 0.1)):
            handed_in(database, name, 10, score)
        handed_in(database, "cy", 95, 0.7)
        handed_in(database, "ada", 96, "wrong_answer")
        first = reveal_next(database, "a1", who="prof")
        assert first is not None and (first.reveal, first.before, first.after) == (("cy", "matmul"), 3, 2)
        half = standing(database, "a1", now=AFTER)
        assert [row.who for row in half.rows] == ["ada", "cy", "bob"] and half.frozen
        second = reveal_next(database, "a1", who="prof")
        assert second is not None and second.reveal == ("ada", "matmul")
        assert reveal_next(database, "a1", who="prof") is None
        done = standing(database, "a1", now=AFTER)
        assert not done.frozen and done.rows == standing(database, "a1", everything=True).rows
        freeze_again(database, "a1", who="prof")
        assert [row.who for row in standing(database, "a1", now=AFTER).rows] == ["ada", "bob", "cy"]
        unfreeze(database, "a1", who="prof")
        assert standing(database, "a1", now=AFTER).rows == done.rows
        assert reveal_next(database, "a1", who="prof") is None
        assert [a.what for a in database.audits("a1", 2)] == ["scoreboard unfrozen", "scoreboard frozen again"]


def test_what_comes_in_after_a_reveal_is_shown_with_it(tmp_path: Path) -> None:
    """Who practises on after everything was shown hides nothing again."""
    settings = replace(SETTINGS, freeze=START, end=START + timedelta(days=1))
    with contest(tmp_path, settings, ["ada"]) as database:
        handed_in(database, "ada", 1, 0.5)
        assert reveal_next(database, "a1", who="prof") is not None
        handed_in(database, "ada", 2, 0.7)
        assert standing(database, "a1", now=AFTER).rows[0].points.value == pytest.approx(1.4)


def test_changed_settings_hold_at_once(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        handed_in(database, "ada", 1, 0.5)
        changed = replace(SETTINGS, gpu_model="emulator")
        database.add_contest("a1", settings_to_json(changed), who="prof")
        assert standing(database, "a1").rows[0].points.value == 2.0
        with pytest.raises(UsageError, match="no contest 'none'"):
            standing(database, "none")
