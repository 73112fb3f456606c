"""The database keeps contests, accounts and submissions, alike on SQLite and PostgreSQL."""

import contextlib
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

import grader.contest
from grader.contest.clock import Clock
from grader.contest.connect import Address
from grader.contest.database import Database, default_url
from grader.contest.jobs import RETRIES, Outcome
from grader.contest.records import NewAccount
from grader.contest.schema import HEAD, Base
from grader.core.errors import KgradeError, StoreError, UsageError, WorkspaceError
from grader.store.layout import upgrade
from grader.store.workspace import Workspace

from . import contests
from .conftest import HandClock
from .contests import contest, handed_in

MIGRATIONS = Path(grader.contest.__file__).with_name("migrations")


def submit(database: Database, name: str, text: str = "x", **more: object) -> int:
    account = database.account_by_name("c1", name)
    return database.submit(account, "matmul", "k.cu", text, gpu_model="H200", **more)  # type: ignore[arg-type]


def judge(database: Database, verdict: str = "accepted", score: float | None = None) -> int:
    job = database.queue.claim("NVIDIA H200", "w")
    assert job is not None
    assert database.queue.finish(job, Outcome(verdict, score, report="{}"))
    return job.submission_id


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_the_migrations_make_the_tables_of_the_schema(contest_database: Database) -> None:
    with contest_database.reading() as connection:

        def ours(_object: object, name: str | None, kind: str, _reflected: bool, _to: object) -> bool:
            return kind != "table" or name in Base.metadata.tables

        options = {"compare_type": True, "include_object": ours}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata) == []


def test_what_was_judged_before_there_were_languages_is_cuda(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        handed_in(database, "ada", 1, 0.5)
        contests.submit(database, "bob", 2)
    older = tmp_path / "older.db"
    engine = create_engine(f"sqlite:///{older}")
    with engine.connect() as opened, opened.begin():
        upgrade(opened, MIGRATIONS, "0002", "older", "")
    engine.dispose()
    connection = sqlite3.connect(older)
    connection.execute("ATTACH ? AS newer", (str(tmp_path / "contests.db"),))
    for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
        if table != "alembic_version":
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
    connection.commit()
    connection.close()
    database = Database(str(older))
    assert [row.language for row in database.submissions("a1")] == ["cuda", None]
    assert database.clarifications("a1") == []
    database.close()


def test_a_submission_comes_back_as_it_went_in(contest_database: Database, clock: Clock) -> None:
    number = submit(contest_database, "ada", "// ünï\0\ud800code\n", late_seconds=7, practice=True)
    row = contest_database.submission(number)
    assert (row.account, row.problem, row.file, row.submitted) == ("ada", "matmul", "k.cu", clock.now())
    assert (row.late_seconds, row.practice, row.state, row.verdict) == (7, True, "queued", None)
    assert contest_database.source(number) == "// ünï??code\n"
    assert contest_database.sources("c1") == {row.source_hash: "// ünï??code\n"}
    assert contest_database.report(number) is None


def test_an_instant_survives_as_utc(contest_database: Database) -> None:
    zone = timezone(timedelta(hours=-7))
    account = contest_database.account_by_name("c1", "ada")
    when = datetime(2026, 3, 1, 5, 0, 0, 123456, tzinfo=zone)
    number = contest_database.submit(account, "matmul", "k.cu", "x", when)
    found = contest_database.submission(number).submitted
    assert found == when and found.utcoffset() == timedelta(0)


def test_filters_and_order(contest_database: Database, clock: Any) -> None:
    numbers = []
    for name in ("ada", "bob", "ada"):
        numbers.append(submit(contest_database, name, name))
        clock.forward(minutes=1)
    judged = judge(contest_database, "wrong_answer")
    ada = contest_database.account_by_name("c1", "ada")

    def found(**filters: object) -> list[int]:
        return [row.id for row in contest_database.submissions("c1", **filters)]  # type: ignore[arg-type]

    assert found() == numbers
    assert found(account_id=ada.id) == [numbers[0], numbers[2]]
    assert found(newest_first=True, limit=2) == [numbers[2], numbers[1]]
    assert found(verdict="wrong_answer") == found(state="judged") == [judged]
    assert found(ids=[numbers[1]]) == [numbers[1]]
    assert found(problem="reduce") == []
    assert contest_database.submissions("another") == []


def test_the_same_request_twice_is_one_submission(contest_database: Database) -> None:
    first = submit(contest_database, "ada", "a", request_key="k1")
    assert submit(contest_database, "ada", "a", request_key="k1") == first
    assert submit(contest_database, "bob", "a", request_key="k1") != first
    assert submit(contest_database, "ada", "a", request_key="k2") != first
    assert len(contest_database.submissions("c1")) == len(contest_database.judgings(contest="c1")) == 3


def test_the_rate_limit_counts_one_accounts_last_hour(contest_database: Database, clock: Any) -> None:
    for _ in range(2):
        submit(contest_database, "ada", per_hour=2)
        clock.forward(minutes=10)
    with pytest.raises(UsageError, match=r"2 submissions in the last hour.* allows 2") as caught:
        submit(contest_database, "ada", per_hour=2)
    assert "in 41 minutes" in caught.value.hint
    submit(contest_database, "bob", per_hour=2)
    clock.forward(minutes=41)
    submit(contest_database, "ada", per_hour=2)


def test_the_rate_limit_holds_among_requests_at_once(open_contest: Callable[[], Database]) -> None:
    results: list[str] = []

    def ask(database: Database) -> None:
        try:
            submit(database, "ada", per_hour=3)
            results.append("taken")
        except UsageError:
            results.append("refused")

    threads = [threading.Thread(target=ask, args=(open_contest(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["refused"] * 5 + ["taken"] * 3


def test_accounts(contest_database: Database) -> None:
    new = [NewAccount("dan", "d@x", team="T1", token_hash="t1", link_hash="l1"), NewAccount("eve", role="staff")]
    dan, eve = contest_database.add_accounts("c1", new, who="staff")
    assert contest_database.account(eve).role == "staff"
    assert contest_database.account_by_token("t1") == contest_database.account_by_link("l1")
    assert contest_database.account(dan).team == "T1"
    contest_database.set_secrets(dan, "t2", None, who="staff")
    contest_database.set_extension(dan, 3600, who="staff")
    contest_database.set_team(dan, "T2", who="staff")
    contest_database.disqualify_account(dan, "copied", who="staff")
    found = contest_database.account_by_token("t2")
    assert found is not None and contest_database.account_by_token("t1") is None
    assert (found.session_epoch, found.extension_seconds, found.team, found.disqualified) == (1, 3600, "T2", "copied")
    assert [team.name for team in contest_database.teams("c1")] == ["T1", "T2"]


def test_a_name_that_is_taken_adds_nobody(contest_database: Database) -> None:
    with pytest.raises(UsageError, match="'ada' can't be added"):
        contest_database.add_accounts("c1", [NewAccount("new"), NewAccount("ada")], who="staff")
    assert [account.name for account in contest_database.accounts("c1")] == ["ada", "bob", "cleo"]


def test_every_change_is_in_the_log(contest_database: Database, clock: Clock) -> None:
    number = submit(contest_database, "ada")
    ada = contest_database.account_by_name("c1", "ada")
    contest_database.set_extension(ada.id, 60, who="prof")
    contest_database.disqualify_submission(number, "copied", who="prof")
    contest_database.announce("c1", "hello", who="prof")
    contest_database.audit("prof", "exported", "c1", {"rows": 3})
    newest = contest_database.audits("c1", limit=4)
    assert [entry.what for entry in newest] == [
        "exported",
        "announced",
        "submission disqualified",
        "extension given",
    ]
    assert {(entry.who, entry.at) for entry in newest} == {("prof", clock.now())}
    assert newest[3].detail == {"account": "ada", "seconds": 60}


@pytest.mark.parametrize(
    "ask",
    [
        lambda db: db.contest("none"),
        lambda db: db.account(999),
        lambda db: db.account_by_name("c1", "nobody"),
        lambda db: db.submission(999),
        lambda db: db.source(999),
        lambda db: db.rejudge(999),
        lambda db: db.withdraw_announcement(999, who="x"),
        lambda db: db.disqualify_submission(999, "x", who="x"),
        lambda db: db.set_extension(999, 1, who="x"),
        lambda db: db.remove_worker("none", who="x"),
        lambda db: db.add_rejudge("c1", "why", [], who="x"),
        lambda db: db.add_rejudge("c1", "why", [999], who="x"),
    ],
)
def test_what_is_not_there_is_a_usage_error_and_changes_nothing(
    contest_database: Database, ask: Callable[[Database], object]
) -> None:
    before = contest_database.audits()
    with pytest.raises(UsageError):
        ask(contest_database)
    assert contest_database.audits() == before and contest_database.rejudges("c1") == []


@pytest.mark.parametrize("words", ["'; DROP TABLE submission; --", '" OR 1=1 --', "%s %(x)s :x", "\\'; --"])
def test_sql_in_a_field_is_text(contest_database: Database, words: str) -> None:
    contest_database.add_accounts("c1", [NewAccount(words, words, team=words)], who=words)
    account = contest_database.account_by_name("c1", words)
    number = contest_database.submit(account, words, words, words, request_key=words)
    row = contest_database.submission(number)
    assert (row.account, row.team, row.problem, row.file) == (words,) * 4
    assert contest_database.submissions(words) == [] and contest_database.account_by_token(words) is None
    contest_database.announce("c1", words, who=words)
    assert contest_database.announcements("c1")[0].text == words


def test_a_rejudge_beside_the_old_verdicts_then_applied(contest_database: Database) -> None:
    first, second = submit(contest_database, "ada", "a"), submit(contest_database, "bob", "b")
    for _ in range(2):
        judge(contest_database, "accepted", 0.5)
    number = contest_database.add_rejudge("c1", "wrong tolerance", [first, second], who="prof")
    with pytest.raises(UsageError, match="still has 2 submissions to judge"):
        contest_database.apply_rejudge(number, who="prof")
    assert judge(contest_database, "wrong_answer") == first
    for _ in range(1 + RETRIES):
        job = contest_database.queue.claim("NVIDIA H200", "w")
        assert job is not None
        contest_database.queue.finish(job, Outcome("internal_error"))
    assert [row.verdict for row in contest_database.submissions("c1")] == ["accepted", "accepted"]
    assert contest_database.apply_rejudge(number, who="prof") == 1
    # The judge's own failure replaces no verdict.
    assert [row.verdict for row in contest_database.submissions("c1")] == ["wrong_answer", "accepted"]
    assert [(each.verdict, each.active) for each in contest_database.judgings(first)] == [
        ("accepted", False),
        ("wrong_answer", True),
    ]
    with pytest.raises(UsageError, match="was applied already"):
        contest_database.drop_rejudge(number, who="prof")


def test_a_dropped_rejudge_is_not_judged_and_changes_nothing(contest_database: Database) -> None:
    first, second = submit(contest_database, "ada", "a"), submit(contest_database, "bob", "b")
    for _ in range(2):
        judge(contest_database)
    number = contest_database.add_rejudge("c1", "why", [first, second], who="prof")
    running = contest_database.queue.claim("NVIDIA H200", "w")
    assert running is not None
    contest_database.drop_rejudge(number, who="prof")
    assert not contest_database.queue.heartbeat(running, "compiling")
    assert not contest_database.queue.finish(running, Outcome("wrong_answer"))
    assert contest_database.queue.claim("NVIDIA H200", "w") is None
    assert [row.verdict for row in contest_database.submissions("c1")] == ["accepted", "accepted"]


def test_the_database_itself_refuses_two_verdicts_that_count(contest_database: Database) -> None:
    number = submit(contest_database, "ada")
    judge(contest_database)
    contest_database.add_rejudge("c1", "why", [number], who="prof")
    with pytest.raises(IntegrityError), contest_database._engine.begin() as connection:
        connection.execute(text("UPDATE judging SET active = (1 = 1)"))


def test_workers(contest_database: Database, clock: Clock) -> None:
    contest_database.add_worker("m1", "H200", "hash", who="prof")
    contest_database.worker_seen("m1", "NVIDIA H200", "judging")
    contest_database.worker_seen("local", "emulator", "idle")
    found = contest_database.worker_by_token("hash")
    assert found is not None and (found.name, found.gpu_model, found.state) == ("m1", "NVIDIA H200", "judging")
    assert [worker.name for worker in contest_database.workers()] == ["local", "m1"]
    contest_database.remove_worker("m1", who="prof")
    assert contest_database.worker_by_token("hash") is None


def test_silent_workers_are_dead_and_vanish(contest_database: Database, clock: HandClock) -> None:
    def shown() -> list[tuple[str, str]]:
        return [(each.name, each.state) for each in contest_database.present_workers()]

    contest_database.add_worker("lab", "any", "hash", who="prof")
    for name, state in (("lab:0", "judging"), ("lab:1", "idle"), ("lab:2", "out"), ("lab:3", "gone")):
        contest_database.worker_seen(name, "H200", "idle")
        contest_database.worker_seen(name, "H200", state)
    assert shown() == [("lab:0", "judging"), ("lab:1", "idle"), ("lab:2", "out")]
    clock.forward(seconds=26)
    contest_database.worker_seen("lab:1", "H200", "idle")
    assert shown() == [("lab:0", "dead"), ("lab:1", "idle"), ("lab:2", "out")]
    clock.forward(minutes=11)
    assert shown() == [("lab:2", "out")]
    assert contest_database.worker_by_token("hash") is not None


def test_a_database_of_a_newer_kgrade_is_refused(contest_url: str, contest_database: Database) -> None:
    with contest_database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"written by a newer kgrade: its layout is '9999'"):
        Database(contest_url)


def test_processes_that_open_a_new_database_at_once_all_can(empty_url: str) -> None:
    code = "import sys; from grader.contest.database import Database; Database(sys.argv[1]).contests()"
    command = [sys.executable, "-c", code, empty_url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate(timeout=60)[1] for process in processes] == [""] * 4


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://x/y", "'mysql' is a kind of database"),
        ("sqlite://", "names no database that lasts"),
        ("sqlite:///:memory:", "names no database that lasts"),
        ("postgresql://host", "names no database"),
        ("://", "is no address of a database"),
    ],
)
def test_an_address_that_is_none(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        Address(url)
    assert "postgresql+psycopg://" in caught.value.hint


def test_odd_paths_are_paths(tmp_path: Path) -> None:
    path = tmp_path / "100% odd?#name" / "contests.db"
    database = Database(str(path))
    assert database.contests() == [] and path.exists() and database.address.name == str(path)
    database.close()


def test_a_password_is_in_no_message() -> None:
    # Port 1 is answered by nobody.
    with pytest.raises(StoreError, match="can't be reached") as caught:
        Database("postgresql://kgrade:geheim@127.0.0.1:1/x")
    assert "geheim" not in caught.value.message + caught.value.hint


def test_a_damaged_file_and_a_folder_that_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "contests.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="is damaged"):
        Database(str(path))
    with pytest.raises(KgradeError) as caught:
        Database(str(path / "below" / "contests.db"))
    assert isinstance(caught.value, WorkspaceError) and caught.value.hint


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "contests.db"))
    database.add_contest("c1", "{}", who="x")
    with database.writing() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
    with pytest.raises(StoreError, match="no space left"), database.writing() as connection:
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))
        database.log(connection, "x", "y", "c1", {"long": "z" * 1_000_000})
    assert database.contest("c1").settings == "{}" and len(database.audits()) == 1
    database.close()


def test_where_the_database_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGRADE_DATABASE", raising=False)
    assert default_url(Workspace(tmp_path)) == str(tmp_path / "contests" / "contests.db")
    monkeypatch.setenv("KGRADE_DATABASE", "postgresql://h/d")
    assert default_url(Workspace(tmp_path)) == "postgresql://h/d"
    assert default_url(Workspace(tmp_path), "x.db") == "x.db"


def test_a_clock_that_is_set_back_goes_on() -> None:
    wall, count = datetime(2026, 3, 1, 12, tzinfo=timezone.utc), 0.0
    clock = Clock(lambda: wall, lambda: count)
    assert clock.now() == wall
    wall, count = wall - timedelta(hours=1), 10.0
    assert clock.now() == datetime(2026, 3, 1, 12, 0, 10, tzinfo=timezone.utc)
    assert clock.set_back == timedelta(hours=1, seconds=10)
    wall += timedelta(hours=3)
    assert clock.now() == wall and clock.set_back == timedelta(0)


def test_a_clock_behind_the_newest_submission_is_named() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    clock = Clock(lambda: now, lambda: 0.0)
    clock.check(None)
    clock.check(now + timedelta(seconds=3))
    with pytest.raises(StoreError, match=r"clock is 5 hours behind the newest submission") as caught:
        clock.check(now + timedelta(hours=5))
    assert "timedatectl" in caught.value.hint


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    """Everybody's code and the hidden seeds are in it."""
    with contextlib.closing(Database(str(tmp_path / "contests.db"))) as database:
        database.audit("prof", "a change")
        files = sorted(tmp_path.iterdir())
        assert {path.name for path in files} >= {"contests.db", "contests.db-turn", "contests.db-wal"}
        assert [path.stat().st_mode & 0o777 for path in files] == [0o600] * len(files)
