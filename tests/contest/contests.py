"""A contest in a database of its own, with people, submissions and verdicts as a test needs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

from grader.contest.database import Database
from grader.contest.jobs import Outcome
from grader.contest.records import NewAccount
from grader.contest.settings import ContestProblem, Settings, settings_to_json

START = datetime(2026, 10, 1, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)
SETTINGS = Settings(
    slug="a1",
    title="A1",
    problems=(ContestProblem("matmul", 2.0), ContestProblem("zip", 1.0)),
    start=START,
    freeze=START + 90 * MINUTE,
    end=START + 120 * MINUTE,
    gpu_model="NVIDIA H100",
)
WORKER = "gpu-1"


@contextmanager
def contest(
    folder: Path, settings: Settings = SETTINGS, people: Sequence[str | NewAccount] = ("ada", "bob", "cy")
) -> Iterator[Database]:
    database = Database(str(folder / "contests.db"))
    try:
        database.add_contest(settings.slug, settings_to_json(settings), who="test")
        accounts = [NewAccount(each, f"{each}@example.org") if isinstance(each, str) else each for each in people]
        database.add_accounts(settings.slug, accounts, who="test")
        yield database
    finally:
        database.close()


def submit(
    database: Database,
    name: str,
    minute: float,
    problem: str = "matmul",
    text: str = "",
    settings: Settings = SETTINGS,
    file: str = "",
) -> int:
    """A submission that waits in the queue."""
    return database.submit(
        database.account_by_name(settings.slug, name),
        problem,
        file or f"{problem}.cu",
        text or f"// {name} {minute}\n",
        START + minute * MINUTE,
        gpu_model=settings.gpu_model or "any",
    )


def judge(
    database: Database,
    verdicts: dict[int, str | float],
    report: str | None = None,
    settings: Settings = SETTINGS,
    language: str = "cuda",
) -> None:
    """Judges all that waits: a score is accepted with it, anything else a verdict; what is not named is accepted."""
    while job := database.queue.claim(settings.gpu_model or "any", WORKER):
        verdict = verdicts.get(job.submission_id, "accepted")
        if isinstance(verdict, float):
            outcome = Outcome("accepted", verdict, verdict * 0.999, verdict * 1.001, report, language=language)
        else:
            outcome = Outcome(verdict, report=report, language=language)
        assert database.queue.finish(job, outcome)


def handed_in(
    database: Database,
    name: str,
    minute: float,
    verdict: str | float,
    problem: str = "matmul",
    text: str = "",
    settings: Settings = SETTINGS,
    file: str = "",
) -> int:
    """A submission that is judged."""
    number = submit(database, name, minute, problem, text, settings, file)
    judge(database, {number: verdict}, settings=settings)
    return number
