"""Leases, fencing tokens, retries and turns, on SQLite, on PostgreSQL with procrastinate, and without it."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection

from grader.contest.database import Database
from grader.contest.jobs import LEASE, RETRIES, Claim, Job, Outcome
from grader.contest.queue import LeaseQueue
from grader.core.errors import UsageError

H200 = "NVIDIA H200"


pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql", "leases"], indirect=True)
"""On PostgreSQL with procrastinate, and with the queue in the database's own tables alone."""


@pytest.fixture
def database(request: pytest.FixtureRequest, open_contest: Callable[[], Database]) -> Database:
    database = open_contest()
    if request.node.callspec.params["database_kind"] == "leases":
        database.queue = LeaseQueue(database)
    return database


def submit(database: Database, name: str = "ada", gpu_model: str = "H200", problem: str = "matmul") -> int:
    return database.submit(database.account_by_name("c1", name), problem, "k.cu", "text", gpu_model=gpu_model)


def claim(database: Database, worker: str = "w", model: str = H200) -> Job:
    job = database.queue.claim(model, worker)
    assert job is not None
    return job


def test_a_job_has_what_the_judge_needs(database: Database) -> None:
    number = submit(database)
    job = claim(database)
    assert (job.submission_id, job.contest, job.problem, job.file) == (number, "c1", "matmul", "k.cu")
    assert (job.text, job.account, job.attempt) == ("text", "ada", 1)
    assert job.hidden_seed is not None
    row = database.submission(number)
    assert (row.state, row.worker, row.progress) == ("running", "w", "starting")
    assert database.queue.claim(H200, "w") is None


def test_an_outcome_is_recorded_once_and_may_be_told_twice(database: Database, clock: Any) -> None:
    number = submit(database)
    job = claim(database)
    clock.forward(seconds=5)
    outcome = Outcome("accepted", 0.5, 0.4, 0.6, "{}")
    assert database.queue.finish(job, outcome) and database.queue.finish(job, outcome)
    row = database.submission(number)
    assert (row.state, row.verdict, row.score, row.score_low, row.score_high) == ("judged", "accepted", 0.5, 0.4, 0.6)
    assert row.finished == clock.now() and database.report(number) == "{}"
    assert not database.queue.heartbeat(job, "late") and not database.queue.release(job)


def test_only_the_current_attempt_writes(database: Database, clock: Any) -> None:
    number = submit(database)
    old = claim(database, "slow")
    clock.forward(seconds=LEASE.total_seconds() + 1)
    new = claim(database, "quick")
    assert (new.judging_id, new.attempt > old.attempt) == (old.judging_id, True)
    assert not database.queue.heartbeat(old, "still at it")
    assert not database.queue.release(old)
    assert not database.queue.finish(old, Outcome("wrong_answer"))
    assert database.queue.finish(new, Outcome("accepted"))
    assert not database.queue.finish(old, Outcome("wrong_answer"))
    assert database.submission(number).verdict == "accepted"


def test_a_forged_attempt_writes_nothing(database: Database) -> None:
    submit(database)
    job = claim(database)
    for forged in (Claim(job.judging_id, job.attempt + 1), Claim(job.judging_id, 0), Claim(999, 1)):
        assert not database.queue.finish(forged, Outcome("accepted"))
        assert not database.queue.heartbeat(forged, "x")


def test_a_heartbeat_keeps_the_lease_and_tells_progress(database: Database, clock: Any) -> None:
    number = submit(database)
    job = claim(database)
    for step in range(5):
        clock.forward(seconds=LEASE.total_seconds() - 1)
        assert database.queue.heartbeat(job, f"case {step} of 5")
        assert database.queue.claim(H200, "other") is None
    assert database.submission(number).progress == "case 4 of 5"


def test_stalled_work_is_given_on_once_and_then_held_for_staff(database: Database, clock: Any) -> None:
    number = submit(database)
    attempts = []
    for _ in range(1 + RETRIES):
        attempts.append(claim(database).attempt)
        clock.forward(seconds=LEASE.total_seconds() + 1)
    assert database.queue.claim(H200, "w") is None
    assert attempts == sorted(set(attempts)) and RETRIES == 1 and LEASE.total_seconds() < 30
    row = database.submission(number)
    assert (row.state, row.verdict, row.tries) == ("held", None, 2)
    assert [(each.submission_id, each.progress) for each in database.held("c1")] == [
        (number, "its workers went silent")
    ]
    # Others are judged meanwhile, and staff have it judged again with all its tries.
    other = submit(database)
    assert database.queue.finish(claim(database), Outcome("accepted")) and database.submission(other).verdict
    assert database.queue.judge_again([number], "prof") == 1 and database.queue.judge_again([number], "prof") == 0
    assert [each.what for each in database.audits(limit=1)] == ["held judgings queued"]
    assert database.queue.finish(claim(database), Outcome("wrong_answer"))
    assert database.submission(number).verdict == "wrong_answer" and database.held("c1") == []


def test_a_grading_that_had_to_be_ended_is_given_on_once(database: Database) -> None:
    number = submit(database)
    first = claim(database)
    assert database.queue.stalled(first, "no sign for 15 s, at: compiling")
    assert database.submission(number).state == "queued" and not database.queue.stalled(first, "again")
    assert database.queue.stalled(claim(database), "no sign for 15 s, at: compiling")
    assert database.submission(number).progress == "no sign for 15 s, at: compiling"
    assert database.submission(number).state == "held" and database.queue.claim(H200, "w") is None


def test_the_judges_own_failure_is_retried_too(database: Database) -> None:
    number = submit(database)
    for _ in range(RETRIES):
        assert database.queue.finish(claim(database), Outcome("internal_error"))
        assert database.submission(number).state == "queued"
    assert database.queue.finish(claim(database), Outcome("accepted"))
    assert database.submission(number).verdict == "accepted"


def test_released_work_does_not_count_as_a_try(database: Database) -> None:
    number = submit(database)
    for _ in range(2 * RETRIES + 2):
        assert database.queue.release(claim(database))
    assert database.submission(number).tries == 0
    assert database.queue.finish(claim(database), Outcome("accepted"))


def test_students_with_work_in_the_queue_wait_behind_those_without(database: Database) -> None:
    ada = [submit(database, "ada") for _ in range(4)]
    bob = [submit(database, "bob") for _ in range(2)]
    cleo = submit(database, "cleo")
    order = [claim(database).submission_id for _ in range(7)]
    assert order == [ada[0], bob[0], cleo, ada[1], bob[1], ada[2], ada[3]]


def test_a_newcomer_passes_a_long_queue_in_its_middle(database: Database) -> None:
    ada = [submit(database, "ada") for _ in range(6)]
    for expected in ada[:3]:
        job = claim(database)
        assert job.submission_id == expected
        database.queue.finish(job, Outcome("accepted"))
    running = claim(database)
    bob = submit(database, "bob")
    assert running.submission_id == ada[3]
    assert (database.place(bob), database.place(ada[4]), database.place(ada[3])) == (1, 2, None)
    assert claim(database).submission_id == bob


def test_retried_work_keeps_its_turn(database: Database, clock: Any) -> None:
    first = submit(database, "ada")
    submit(database, "bob")
    claim(database)
    clock.forward(seconds=LEASE.total_seconds() + 1)
    assert claim(database).submission_id == first


def test_rejudged_work_waits_behind_what_students_wait_for(database: Database) -> None:
    first = submit(database, "ada")
    database.queue.finish(claim(database), Outcome("accepted"))
    database.add_rejudge("c1", "why", [first], who="prof")
    second = submit(database, "bob")
    assert [claim(database).submission_id for _ in range(2)] == [second, first]


def test_each_gpu_model_has_its_queue(database: Database) -> None:
    h100, anywhere, emulator = (submit(database, gpu_model=model) for model in ("H100", "any", "emulator"))
    assert claim(database, model="NVIDIA H100 80GB HBM3").submission_id == h100
    assert claim(database, model="NVIDIA H200").submission_id == anywhere
    assert database.queue.claim("NVIDIA H200", "w") is None
    assert claim(database, model="emulator").submission_id == emulator


def test_many_workers_claim_each_job_once(open_contest: Callable[[], Database]) -> None:
    databases = [open_contest() for _ in range(4)]
    numbers = [submit(databases[0], name) for name in ("ada", "bob", "cleo") for _ in range(8)]
    taken: list[int] = []

    def work(database: Database) -> None:
        misses = 0
        while misses < 3:
            job = database.queue.claim(H200, threading.current_thread().name)
            if job is None:
                misses += 1
                continue
            taken.append(job.submission_id)
            assert database.queue.finish(job, Outcome("accepted"))

    threads = [threading.Thread(target=work, args=(each,)) for each in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(numbers)


def test_what_is_rolled_back_is_in_no_queue(database: Database) -> None:
    number = submit(database)
    database.queue.finish(claim(database), Outcome("accepted"))
    with pytest.raises(UsageError):
        database.add_rejudge("c1", "why", [number, 999], who="prof")
    assert database.queue.claim(H200, "w") is None
    assert len(database.judgings(number)) == 1


def test_work_of_a_dead_worker_is_given_on_though_nobody_asks_for_work(database: Database, clock: Any) -> None:
    number = submit(database)
    job = claim(database)
    clock.forward(seconds=LEASE.total_seconds() - 1)
    database.queue.recover()
    assert database.submission(number).state == "running"
    clock.forward(seconds=2)
    database.queue.recover()
    database.queue.recover()
    assert (database.submission(number).state, database.submission(number).worker) == ("queued", None)
    assert not database.queue.finish(job, Outcome("accepted"))
    assert database.queue.finish(claim(database), Outcome("wrong_answer"))
    assert database.submission(number).verdict == "wrong_answer" and database.queue.claim(H200, "w") is None


def test_work_that_can_be_claimed_is_counted(database: Database, clock: Any) -> None:
    assert database.queue.waiting() == 0
    submit(database)
    submit(database, "bob", gpu_model="H100")
    assert database.queue.waiting() == 2
    claim(database)
    assert database.queue.waiting() == 1
    # Its worker has gone silent.
    clock.forward(seconds=LEASE.total_seconds() + 1)
    assert database.queue.waiting() == 2


def test_what_is_withdrawn_while_a_worker_asks_for_it_blocks_neither(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim and a withdrawal change the same two rows; in opposite orders they would wait for each other."""
    ada = database.account_by_name("c1", "ada")
    first = database.add_run(ada, "matmul", "k.cu", "text", None, database.now(), per_hour=None)
    claims: list[Job | None] = []
    other = threading.Thread(target=lambda: claims.append(database.queue.claim(H200, "w")))
    ends = database.queue._ends

    def claim_meanwhile(connection: Connection, judging_id: int) -> None:
        other.start()
        # Long enough for the claim to take what it can; SQLite's waits for its turn.
        other.join(timeout=0.5)
        ends(connection, judging_id)

    monkeypatch.setattr(database.queue, "_ends", claim_meanwhile)
    second = database.add_run(ada, "matmul", "k.cu", "text", None, database.now(), per_hour=None)
    other.join()
    claimed = claims[0] or database.queue.claim(H200, "w")
    assert claimed is not None and claimed.run_id == second
    assert [run.progress for run in database.runs([first])] == ["withdrawn"]
