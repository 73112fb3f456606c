"""Ranking, on boards whose order is known."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import permutations

import pytest

from grader.boards.ranking import Step, accepted_users, by_board, progress, rank
from grader.core.verdict import Form, Verdict
from grader.store.entry import Summary

START = datetime(2026, 3, 1, tzinfo=timezone.utc)
H100, A100 = "NVIDIA H100", "NVIDIA A100"


def entry(
    number: int,
    user: str,
    score: float | None = None,
    device: str = H100,
    verdict: Verdict = Verdict.ACCEPTED,
    hour: int | None = None,
    within: float | None = None,
) -> Summary:
    """`within` is half the width of the score's interval, as a share of the score."""
    return Summary(
        id=number,
        problem="zip",
        title="Vector addition",
        user=user,
        form=Form.KERNEL,
        device=device,
        file="add.cu",
        source_hash="",
        submitted=START + timedelta(hours=number if hour is None else hour),
        verdict=verdict,
        headline="",
        score=score,
        score_low=None if within is None or score is None else score * (1 - within),
        score_high=None if within is None or score is None else score * (1 + within),
    )


def places(entries: list[Summary]) -> list[tuple[int | None, int]]:
    return [(row.rank, row.entry.id) for row in rank(entries)]


def test_nobody() -> None:
    assert rank([]) == []


def test_the_best_score_of_each_user_counts_and_order_of_arrival_does_not() -> None:
    entries = [entry(1, "ada", 0.5), entry(2, "bob", 0.7), entry(3, "ada", 0.9), entry(4, "ada", 0.8)]
    for order in permutations(entries):
        assert places(list(order)) == [(1, 3), (2, 2)]


def test_equal_scores_share_a_rank_and_the_earlier_stands_first() -> None:
    entries = [entry(1, "ada", 0.5), entry(2, "bob", 0.7), entry(3, "cy", 0.7), entry(4, "di", 0.6)]
    assert places(entries) == [(1, 2), (1, 3), (3, 4), (4, 1)]


def test_scores_whose_intervals_overlap_share_a_rank() -> None:
    entries = [
        entry(1, "ada", 0.700, within=0.003),
        entry(2, "bob", 0.703, within=0.003),
        entry(3, "cy", 0.650, within=0.003),
        entry(4, "di", 0.690, within=0.003),
    ]
    for order in permutations(entries):
        assert places(list(order)) == [(1, 2), (1, 1), (3, 4), (4, 3)]


def test_scores_that_can_be_told_apart_do_not_share_a_rank() -> None:
    assert places([entry(1, "ada", 0.700, within=0.001), entry(2, "bob", 0.703, within=0.001)]) == [(1, 2), (2, 1)]


def test_intervals_overlap_within_one_device_model_only() -> None:
    entries = [entry(1, "ada", 0.7, H100, within=0.01), entry(2, "bob", 0.7, A100, within=0.01)]
    assert places(entries) == [(1, 2), (1, 1)]


def test_a_time_that_scatters_does_not_lift_an_entry() -> None:
    """Else a kernel that runs quickly now and then would share the first rank with everybody."""
    entries = [entry(1, "ada", 0.9, within=0.003), entry(2, "bob", 0.5, within=0.9), entry(3, "cy", 0.51, within=0.003)]
    assert places(entries) == [(1, 1), (2, 3), (3, 2)]


def test_an_entry_without_an_interval_stands_where_its_score_is() -> None:
    entries = [entry(1, "ada", 0.7), entry(2, "bob", 0.701, within=0.003), entry(3, "cy", 0.6999)]
    assert places(entries) == [(1, 2), (1, 1), (1, 3)]


def test_a_score_that_is_equalled_later_keeps_the_first_entry() -> None:
    assert places([entry(1, "ada", 0.5), entry(2, "ada", 0.5)]) == [(1, 1)]


def test_only_accepted_entries_stand_on_the_board() -> None:
    others = [verdict for verdict in Verdict if verdict is not Verdict.ACCEPTED]
    assert rank([entry(n, "ada", 0.5, verdict=verdict) for n, verdict in enumerate(others)]) == []


def test_device_models_are_ranked_apart() -> None:
    entries = [entry(1, "ada", 0.5, H100), entry(2, "bob", 0.9, H100), entry(3, "ada", 0.2, A100)]
    assert places(entries) == [(1, 3), (1, 2), (2, 1)]


def test_emulated_entries_follow_unranked_by_their_time_of_acceptance() -> None:
    entries = [
        entry(1, "cy", None, "emulator", hour=9),
        entry(2, "bob", None, "emulator", hour=5),
        entry(3, "bob", None, "emulator", hour=7),
        entry(4, "ada", 0.5),
    ]
    assert places(entries) == [(1, 4), (None, 2), (None, 1)]


def test_a_score_that_is_no_number_is_not_ranked() -> None:
    assert places([entry(1, "ada", float("nan")), entry(2, "bob", 0.5)]) == [(1, 2), (None, 1)]


@pytest.mark.parametrize("score", [None, 123.0])
def test_an_emulated_entry_is_never_ranked_whatever_its_score(score: float | None) -> None:
    assert places([entry(1, "ada", score, "emulator")]) == [(None, 1)]


def test_who_is_ranked_is_not_listed_as_unranked_too() -> None:
    assert places([entry(1, "ada", None, "emulator"), entry(2, "ada", 0.5)]) == [(1, 2)]


def test_attempts_are_counted_up_to_the_entry_that_stands_on_the_board() -> None:
    entries = [
        entry(1, "ada", verdict=Verdict.COMPILE_ERROR),
        entry(2, "bob", verdict=Verdict.WRONG_ANSWER),
        entry(3, "ada", 0.5),
        entry(4, "ada", 0.4),
    ]
    assert [row.attempts for row in rank(entries)] == [2]


def test_progress_keeps_the_improvements_only() -> None:
    entries = [
        entry(1, "ada", 0.5),
        entry(2, "ada", 0.4),
        entry(3, "ada", 0.9, verdict=Verdict.WRONG_ANSWER),
        entry(4, "ada", 0.8),
        entry(5, "ada", 0.3, A100),
        entry(6, "bob", 0.1, "emulator"),
    ]
    hour = timedelta(hours=1)
    assert progress(entries) == {
        H100: {"ada": [Step(START + hour, 0.5), Step(START + 4 * hour, 0.8)]},
        A100: {"ada": [Step(START + 5 * hour, 0.3)]},
    }


def test_users_with_an_accepted_entry_are_counted_once() -> None:
    entries = [
        entry(1, "ada"),
        entry(2, "ada"),
        entry(3, "bob", verdict=Verdict.WRONG_ANSWER),
        entry(4, "cy"),
    ]
    assert accepted_users(entries) == 2


def modelled(number: int, user: str, score: float | None, revision: str = "1-a", note: str | None = None) -> Summary:
    found = entry(number, user, device="emulator")
    return replace(found, model_gpu="H200", model_revision=revision, model_score=score, model_note=note)


def test_model_times_rank_on_a_board_of_their_own() -> None:
    entries = [
        modelled(1, "ada", 0.5),
        entry(2, "bob", 0.1),
        modelled(3, "bob", 0.5001),
        modelled(4, "cy", 0.5),
        modelled(5, "di", None, note="the model does not know frob"),
        modelled(6, "ada", 0.4),
    ]
    rows = rank(entries)
    board = "model time on H200, not measured"
    # No noise: a tenth of a per mille is a rank, and equal scores share one.
    assert [(row.board, row.rank, row.entry.id) for row in rows] == [
        (H100, 1, 2),
        (board, 1, 3),
        (board, 2, 1),
        (board, 2, 4),
        ("", None, 5),
    ]
    assert [row.is_measured for row in rows] == [True, False, False, False, False]
    assert list(by_board(rows)) == [H100, board]
    assert progress(entries)[board]["ada"] == [Step(START + timedelta(hours=1), 0.5)]


def test_times_of_another_model_are_ranked_apart() -> None:
    old, new = modelled(1, "ada", 0.9), modelled(2, "bob", 0.2, revision="2-b")
    assert [(row.board, row.rank) for row in rank([old, new])] == [
        ("model time on H200, not measured", 1),
        ("model time on H200, not measured, by an earlier model (1-a)", 1),
    ]
