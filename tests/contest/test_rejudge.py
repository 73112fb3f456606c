"""Rejudging as a set: picked, judged beside the old verdicts, previewed, applied or dropped; old judgings are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.contest.rejudging import Move, Pick, pick, preview, start
from grader.contest.standing import standing
from grader.core.errors import UsageError

from .contests import contest, handed_in, judge, submit


def test_submissions_are_picked_by_what_they_are(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        a = handed_in(database, "ada", 1, 0.5)
        b = handed_in(database, "ada", 2, "wrong_answer", "zip")
        c = handed_in(database, "bob", 3, "wrong_answer")
        waiting = submit(database, "bob", 4)

        def picked(**chosen: object) -> list[int]:
            return [each.id for each in pick(database, "a1", Pick(**chosen))]  # type: ignore[arg-type]

        assert picked() == [a, b, c]
        assert picked(problem="zip") == [b]
        assert picked(account="ada") == [a, b]
        assert picked(verdict="wrong_answer") == [b, c]
        assert picked(ids=(a, c), problem="matmul") == [a, c]
        for wrong, words in (
            ({"problem": "none"}, "no problem 'none'"),
            ({"account": "none"}, "nobody in 'a1' is called 'none'"),
            ({"verdict": "none"}, "no verdict 'none'"),
            ({"ids": (a, 99)}, "not to be rejudged: 99"),
            ({"ids": (waiting,)}, f"not to be rejudged: {waiting}"),
        ):
            with pytest.raises(UsageError, match=words):
                picked(**wrong)


def test_the_old_verdicts_hold_until_the_new_ones_are_applied(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        first = handed_in(database, "ada", 1, 0.5)
        second = handed_in(database, "bob", 2, "wrong_answer")
        third = handed_in(database, "cy", 3, 0.4)
        number = start(database, "a1", Pick(problem="matmul"), "wrong tolerance", who="prof")
        waiting = preview(database, number)
        assert (waiting.total, waiting.waiting, waiting.differences, waiting.moves) == (3, 3, (), ())
        with pytest.raises(UsageError, match="3 submissions to judge"):
            database.apply_rejudge(number, who="prof")
        judge(database, {first: "wrong_answer", second: 0.9, third: 0.4001})
        assert [row.who for row in standing(database, "a1").rows] == ["ada", "cy", "bob"]

        found = preview(database, number)
        assert (found.total, found.waiting, found.failed) == (3, 0, 0)
        assert [(d.submission.id, d.before, d.after) for d in found.differences] == [
            (first, "accepted", "wrong_answer"),
            (second, "wrong_answer", "accepted"),
        ]
        assert [move.who for move in found.moves] == ["bob", "ada", "cy"]
        assert found.moves[0] == Move("bob", 3, 1, 0.0, pytest.approx(1.8))
        assert [row.who for row in standing(database, "a1").rows] == ["ada", "cy", "bob"]

        assert database.apply_rejudge(number, who="prof") == 3
        after = standing(database, "a1").rows
        assert [(row.rank, row.who) for row in after] == [(1, "bob"), (2, "cy"), (3, "ada")]
        assert [j.verdict for j in database.judgings(first)] == ["accepted", "wrong_answer"]
        assert [j.active for j in database.judgings(first)] == [False, True]
        with pytest.raises(UsageError, match="applied already"):
            database.apply_rejudge(number, who="prof")


def test_the_preview_says_what_applying_does(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        numbers = [
            handed_in(database, name, minute, 0.1 * minute) for minute, name in enumerate(("ada", "bob", "cy"), 1)
        ]
        rejudge = start(database, "a1", Pick(), "new GPU", who="prof")
        judge(database, dict(zip(numbers, (0.6, "internal_error", 0.3), strict=True)))
        while database.queue.claim("NVIDIA H100", "gpu-1"):
            pass
        before = {row.who: (row.rank, row.points.value) for row in standing(database, "a1").rows}
        found = preview(database, rejudge)
        database.apply_rejudge(rejudge, who="prof")
        after = {row.who: (row.rank, row.points.value) for row in standing(database, "a1").rows}
        moved = {
            move.who: ((move.rank_before, move.points_before), (move.rank_after, move.points_after))
            for move in found.moves
        }
        assert moved == {who: (before[who], after[who]) for who in before if before[who] != after[who]}
        assert found.failed == 1


def test_a_dropped_rejudge_changes_nothing(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        number = handed_in(database, "ada", 1, 0.5)
        handed_in(database, "ada", 2, 0.6)
        before = standing(database, "a1").rows
        rejudge = start(database, "a1", Pick(ids=(number,)), "typo", who="prof")
        database.drop_rejudge(rejudge, who="prof")
        assert database.queue.claim("NVIDIA H100", "gpu-1") is None
        assert standing(database, "a1").rows == before
        assert len(database.judgings(number)) == 2
        with pytest.raises(UsageError, match="dropped already"):
            database.apply_rejudge(rejudge, who="prof")
        assert [a.what for a in database.audits("a1", 2)] == ["rejudge dropped", "rejudge started"]


def test_nothing_to_rejudge_is_said(tmp_path: Path) -> None:
    with contest(tmp_path) as database, pytest.raises(UsageError, match="no judged submission"):
        start(database, "a1", Pick(), "x", who="prof")


def test_scores_that_cannot_be_told_apart_are_no_difference(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        number = handed_in(database, "ada", 1, 0.5)
        rejudge = start(database, "a1", Pick(), "again", who="prof")
        judge(database, {number: 0.5005})
        assert preview(database, rejudge).differences == ()
        second = start(database, "a1", Pick(), "again", who="prof")
        judge(database, {number: 0.6})
        assert [d.submission.id for d in preview(database, second).differences] == [number]
