"""What is procrastinate's in the queue of PostgreSQL."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from grader.contest.database import Database
from grader.contest.jobs import Outcome

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)


def submit(database: Database, name: str, gpu_model: str) -> int:
    return database.submit(database.account_by_name("c1", name), "matmul", "k.cu", "text", gpu_model=gpu_model)


def jobs(database: Database) -> list[tuple[str, str]]:
    with database.reading() as connection:
        query = text("SELECT queue_name, status::text FROM procrastinate_jobs ORDER BY id")
        return [(row[0], row[1]) for row in connection.execute(query)]


def test_its_jobs_follow_the_judgings(contest_database: Database) -> None:
    first = submit(contest_database, "ada", "H200")
    submit(contest_database, "bob", "H100")
    assert jobs(contest_database) == [("H200", "todo"), ("H100", "todo")]
    job = contest_database.queue.claim("NVIDIA H200", "w")
    assert job is not None
    assert jobs(contest_database) == [("H200", "doing"), ("H100", "todo")]
    assert contest_database.queue.release(job)
    assert jobs(contest_database) == [("H200", "todo"), ("H100", "todo")]
    job = contest_database.queue.claim("NVIDIA H200", "w")
    assert job is not None and job.submission_id == first
    assert contest_database.queue.finish(job, Outcome("accepted"))
    assert jobs(contest_database) == [("H100", "todo")]


def test_a_dropped_rejudge_leaves_no_job(contest_database: Database) -> None:
    number = submit(contest_database, "ada", "H200")
    job = contest_database.queue.claim("NVIDIA H200", "w")
    assert job is not None and contest_database.queue.finish(job, Outcome("accepted"))
    rejudge = contest_database.add_rejudge("c1", "why", [number], who="prof")
    assert jobs(contest_database) == [("H200", "todo")]
    contest_database.drop_rejudge(rejudge, who="prof")
    assert jobs(contest_database) == []


def test_work_without_a_job_is_taken_over_when_the_database_is_opened(open_contest: Callable[[], Database]) -> None:
    first = open_contest()
    number = submit(first, "ada", "H200")
    with first.writing() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    job = open_contest().queue.claim("NVIDIA H200", "w")
    assert job is not None and job.submission_id == number
