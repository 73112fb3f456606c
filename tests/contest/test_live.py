"""The board that is made once for all: how old the one may be that somebody is shown."""

from __future__ import annotations

from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.jobs import Outcome
from grader.contest.live import OLD, Boards


class SlowClock:
    """Each look at it takes so long that no board is quick to make."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += 0.2
        return self.time


def test_who_asks_after_a_while_sees_what_was_judged_meanwhile(contest_database: Database) -> None:
    clock = SlowClock()
    boards, contest = Boards(contest_database, clock), settings_of(contest_database, "c1")
    assert [row.points.value for row in boards.board(contest).rows] == [0.0, 0.0, 0.0]
    contest_database.submit(contest_database.account_by_name("c1", "bob"), "matmul", "k.cu", "x", gpu_model="H200")
    job = contest_database.queue.claim("H200", "w")
    assert job is not None and contest_database.queue.finish(job, Outcome("accepted", 0.5, 0.5, 0.5))
    clock.time += OLD + 100
    first = boards.board(contest).rows[0]
    assert (first.who, first.points.value) == ("bob", 0.5)
