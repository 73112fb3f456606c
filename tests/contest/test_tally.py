"""The board that is kept says at every step what a board says that is made of the whole database."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.jobs import Outcome
from grader.contest.records import NewAccount
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.contest.standing import freeze_again, reveal_next, standing, unfreeze
from grader.contest.tally import Tally

from .conftest import HandClock
from .failing import FailingDatabase

PEOPLE = ("ada", "bob", "cleo", "dan")


@pytest.fixture
def database(open_contest: Callable[[], FailingDatabase], clock: HandClock) -> FailingDatabase:
    """The contest "c1" with a freeze in an hour and a fourth student, beside another contest."""
    database = open_contest()
    settings = Settings(
        slug="c1",
        title="Contest",
        problems=(ContestProblem("matmul"), ContestProblem("reduce", 2.0)),
        start=clock.now() - timedelta(hours=1),
        freeze=clock.now() + timedelta(hours=1),
        end=clock.now() + timedelta(hours=10),
        gpu_model="H200",
    )
    database.add_contest("c1", settings_to_json(settings), who="staff")
    database.add_contest("c2", settings_to_json(settings), who="staff")
    database.add_accounts("c1", [NewAccount("dan"), NewAccount("prof", role="staff")], who="staff")
    database.add_accounts("c2", [NewAccount("eve")], who="staff")
    return database


def submit(database: Database, contest: str, name: str, rng: random.Random) -> None:
    account = database.account_by_name(contest, name)
    database.submit(account, rng.choice(["matmul", "reduce"]), "k.cu", str(rng.random()), gpu_model="H200")


def judge(database: Database, rng: random.Random) -> None:
    if job := database.queue.claim("H200", "w"):
        verdict = rng.choice(["accepted", "accepted", "wrong_answer", "internal_error"])
        score = rng.choice([0.25, 0.5, 0.51, 0.9]) if verdict == "accepted" else None
        database.queue.finish(job, Outcome(verdict, score, score and score - 0.02, score and score + 0.02))


def steps(database: Database, clock: HandClock, rng: random.Random) -> list[tuple[int, Callable[[], Any]]]:
    """What may happen in a contest, by how often it does."""

    def anybody() -> int:
        return database.account_by_name("c1", rng.choice(PEOPLE)).id

    def rejudge() -> None:
        rows = database.submissions("c1", state="judged", limit=3)
        if rows:
            number = database.add_rejudge("c1", "why", [row.id for row in rows], who="prof")
            while any(each.state != "judged" for each in database.judgings(rejudge_id=number)):
                judge(database, rng)
            database.apply_rejudge(number, who="prof")

    def disqualify() -> None:
        if rows := database.submissions("c1"):
            database.disqualify_submission(rng.choice(rows).id, rng.choice(["copied", None]), who="prof")

    return [
        (20, lambda: submit(database, "c1", rng.choice(PEOPLE), rng)),
        (3, lambda: submit(database, "c1", "prof", rng)),
        (3, lambda: submit(database, "c2", "eve", rng)),
        (25, lambda: judge(database, rng)),
        (5, lambda: clock.forward(minutes=20)),
        (2, rejudge),
        (2, disqualify),
        (1, lambda: database.disqualify_account(anybody(), rng.choice(["copied", None]), who="prof")),
        (1, lambda: database.set_extension(anybody(), 600, who="prof")),
        (1, lambda: reveal_next(database, "c1", who="prof")),
        (1, lambda: rng.choice([unfreeze, freeze_again])(database, "c1", who="prof")),
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_kept_board_is_the_whole_one_whatever_happens(database: Database, clock: HandClock, seed: int) -> None:
    rng = random.Random(seed)
    # So few submissions would all be looked at again.
    tallies = {every: Tally(database, "c1", everything=every, overlap=0) for every in (False, True)}
    weights, actions = zip(*steps(database, clock, rng), strict=True)
    hidden = 0
    for _ in range(70):
        rng.choices(actions, weights)[0]()
        for everything, tally in tallies.items():
            before = tally.rows, tally.frozen
            changed = tally.refresh(settings_of(database, "c1"))
            whole = standing(database, "c1", everything=everything)
            assert (list(tally.rows), tally.frozen) == (list(whole.rows), whole.frozen)
            assert changed or before == (tally.rows, tally.frozen)
            hidden += tally.frozen
    assert hidden and len(database.submissions("c1")) > 10


def test_nothing_new_is_no_change_and_costs_no_reading_of_everything(
    database: FailingDatabase,
) -> None:
    rng, tally, settings = random.Random(1), Tally(database, "c1"), settings_of(database, "c1")
    submit(database, "c1", "ada", rng)
    assert tally.refresh(settings) and not tally.refresh(settings)
    database.fails["accounts"] = AssertionError("everything was read")
    submit(database, "c1", "bob", rng)
    assert tally.refresh(settings) and [cell.pending for row in tally.rows for cell in row.cells].count(1) == 2


def test_what_shows_after_a_higher_number_is_found(database: Database) -> None:
    """PostgreSQL hands numbers out before their rows can be seen."""
    rng, tally, settings = random.Random(1), Tally(database, "c1"), settings_of(database, "c1")
    submit(database, "c1", "ada", rng)
    tally.refresh(settings)
    # As if the newest number that was seen were one whose forerunners are still on their way.
    tally._newest += 20
    submit(database, "c1", "bob", rng)
    while job := database.queue.claim("H200", "w"):
        database.queue.finish(job, Outcome("accepted", 0.5))
    assert tally.refresh(settings)
    assert list(tally.rows) == list(standing(database, "c1").rows) and tally.rows[1].points.value > 0


def test_what_another_server_took_in_after_the_freeze_is_hidden_when_it_comes_here(
    database: Database, clock: HandClock
) -> None:
    """Its clock is a little ahead."""
    tally, settings = Tally(database, "c1"), settings_of(database, "c1")
    clock.forward(minutes=59, seconds=58)
    account = database.account_by_name("c1", "ada")
    database.submit(account, "matmul", "k.cu", "text", clock.now() + timedelta(seconds=3), gpu_model="H200")
    tally.refresh(settings)
    clock.forward(seconds=4)
    assert tally.refresh(settings) and tally.frozen
