"""What is seen when the server's disk is full: on the page, in the API, in the terminal, and in the log."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from grader.cli import run
from grader.contest.auth import server_secret
from grader.contest.connect import Address
from grader.core.errors import DiskFull, StoreError
from grader.store import failures

from .site_samples import SLUG, Hall, form_token, open_hall

PAGE = f"/contests/{SLUG}/problems/matmul"
LONG = "// more than fits\n" * 10_000


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path / "server") as opened:
        yield opened


@contextmanager
def full(hall: Hall) -> Iterator[None]:
    """SQLite says that the disk is full, as it does when a page more can't be had."""
    engine = hall.database._engine

    def limit(connection: Any, record: object, proxy: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "checkout", limit)
    yield
    event.remove(engine, "checkout", limit)
    engine.dispose()


def test_a_program_is_told_what_is_wrong_and_when_to_ask_again(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    program = hall.program("ada")
    new = {"problem": "matmul", "file": "k.cu", "source": LONG, "key": "k1"}
    with full(hall):
        answer = program.post("/api/submissions", json=new)
    assert (answer.status_code, answer.headers["retry-after"]) == (507, "60")
    told = answer.json()
    assert "disk is full" in told["error"] and "not taken" in told["error"] and "try again" in told["hint"]
    path = str(hall.database.address.path)
    assert path not in answer.text and path in caplog.text and re.search(r"[\d,]+ bytes are free", caplog.text)
    assert hall.database.submissions(SLUG) == []
    assert program.post("/api/submissions", json=new).status_code == 201


def test_what_was_typed_is_still_on_the_page(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    browser = hall.signed_in("ada")
    data = {"csrf": form_token(browser.get(PAGE).text), "source": LONG}
    with full(hall):
        page = browser.post(PAGE, data=data, files={"upload": ("", b"")})
    assert (page.status_code, page.headers["retry-after"]) == (507, "60")
    assert "disk is full, so this was not taken" in page.text and "Tell whoever runs the contest" in page.text
    assert page.text.count("// more than fits") == 10_000 and "POST" in caplog.text
    assert hall.database.submissions(SLUG) == []


def test_staff_are_told_too(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    hall.database.fails["announce"] = DiskFull("no space left in /srv/contests.db")
    browser = hall.signed_in("tutor")
    token = form_token(browser.get(f"/contests/{SLUG}/staff").text)
    page = browser.post(f"/contests/{SLUG}/staff/announcements", data={"csrf": token, "text": "Lunch at one"})
    assert page.status_code == 507 and "disk is full" in page.text and page.headers["retry-after"] == "60"
    assert "/srv" not in page.text and "/srv/contests.db" in caplog.text


def test_the_command_says_so_at_once(
    hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGRADE_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("it waits for a disk that nobody mends meanwhile"))
    kernel = tmp_path / "k.cu"
    kernel.write_text(LONG)
    assert run(["login", hall.address, "--token", "token-of-ada"]) == 0
    with full(hall):
        assert run(["submit", "matmul", str(kernel), "--contest", SLUG]) == 3
    said = capsys.readouterr().err
    assert "the server's disk is full, so this was not taken" in said and "try again in a few minutes" in said


@pytest.mark.parametrize("words", ["database or disk is full", "disk I/O error", "unable to open database file"])
def test_sqlites_words_for_a_full_disk(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=4096))
    error = failures.explain(tmp_path / "x.db", words)
    assert isinstance(error, DiskFull) and "4,096 bytes are free" in error.message


@pytest.mark.parametrize("words", ["disk I/O error", "unable to open database file"])
def test_with_space_they_mean_something_else(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1 << 30))
    assert not isinstance(failures.explain(tmp_path / "x.db", words), DiskFull)


def test_the_systems_own_word_for_it(tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match="no space left"), failures.naming_the_database(tmp_path / "x.db"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_postgresqls_words_for_it() -> None:
    words = psycopg.errors.DiskFull('could not extend file "base/1": No space left on device')
    with pytest.raises(DiskFull, match="no space left"), Address("postgresql://h/d").explained():
        raise OperationalError("INSERT", {}, words)


def test_a_secret_that_is_there_needs_no_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = server_secret(tmp_path / "old")

    def no_space(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", no_space)
    assert server_secret(tmp_path / "old") == secret
    with pytest.raises(DiskFull, match="no space left to make the server's secret"):
        server_secret(tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def test_another_failure_is_told_in_general(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    hall.database.fails["submissions"] = StoreError("contests.db is locked")
    answer = hall.program("ada").get("/api/submissions")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
    assert "locked" not in answer.text and "locked" in caplog.text
