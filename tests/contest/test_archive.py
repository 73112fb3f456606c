"""The archive: what it holds and what it doesn't, that it comes back whole, and that a damaged one changes nothing."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.contest.accounts import add_people
from grader.contest.archive import DATA, contest_data, read_archive, write_archive
from grader.contest.archive_site import archive_pages
from grader.contest.database import Database
from grader.contest.jobs import Outcome
from grader.contest.rejudging import Pick, start
from grader.contest.roster import Person
from grader.contest.standing import standing
from grader.core.errors import UsageError, WorkspaceError
from grader.core.report import to_json
from tests.boards.samples import HOSTILE, accepted, hostile

from .contests import contest, handed_in, judge, submit

Change = Callable[[dict[str, Any]], None]
ODD: Sequence[tuple[str, str, object]] = [
    ("submission", "problem", 7),
    ("submission", "practice", "no"),
    ("submission", "submitted", "soon"),
    ("submission", "submitted", 5),
    ("submission", "submitted", "2026-10-01T00:00:00"),
    ("submission", "submitted", "0001-01-01T00:00:00+23:59"),
    ("submission", "late_seconds", 10**30),
    ("submission", "late_seconds", True),
    ("submission", "file", "a\x1b[2J.cu"),
    ("account", "name", None),
    ("account", "name", "\ud800"),
    ("account", "name", "a\0"),
    ("account", "name", ""),
    ("account", "role", "root"),
    ("source", "text", "\ud800"),
    ("judging", "score", 10**400),
    ("judging", "score", math.nan),
    ("judging", "score", -1),
    ("judging", "state", "\x1b[2J"),
    ("judging", "verdict", "zz"),
    ("judging", "language", "basic"),
    ("judging", "gpu_model", "x" * 100_000),
    ("judging", "report", '{"x":1}'),
    ("judging", "groups", '{"a":1}'),
    ("judging", "groups", "[" * 100_000),
    ("audit", "detail", "[]"),
    ("audit", "detail", '{"why": "\\ud800"}'),
]
"""A table, a column and a value that none may have."""


def put(data: dict[str, Any], table: str, column: str, value: object) -> None:
    data["tables"][table][0][column] = value


def fill(database: Database) -> None:
    """Something in every table: teams, announcements, a rejudge, disqualified and unjudged submissions."""
    people = [Person("Zoë", "zoe@example.org", "T"), Person("=1+1", "x@example.org")]
    add_people(database, "a1", people, lambda issued: None, who="prof")
    first = handed_in(database, "Zoë", 1, 0.5)
    handed_in(database, "=1+1", 2, "wrong_answer", text="// é\n")
    number = submit(database, "ada", 3, text="// ada's\n")
    judge(database, {number: 0.7}, report=to_json(replace(accepted(), source="", score=0.7)), language="triton")
    handed_in(database, "bob", 95, 0.9, "zip")
    start(database, "a1", Pick(ids=(first,)), "again", who="prof")
    judge(database, {first: 0.6})
    database.apply_rejudge(1, who="prof")
    database.disqualify_submission(number, "copied", who="prof")
    database.set_extension(database.account_by_name("a1", "bob").id, 600, who="prof")
    database.announce("a1", "Line 1 <b>", who="prof")
    for question in ("may N be 0?", "when is lunch?"):
        database.ask(database.account_by_name("a1", "ada"), "zip", question)
    database.answer("a1", 1, "no", announce_as="Zip", who="prof")


def same(data: dict[str, Any]) -> dict[str, Any]:
    """What has to be the same after reading back: rows without their numbers, the log without the reading."""
    tables = {}
    for name, rows in data["tables"].items():
        hidden = {key for row in rows for key in row if key == "id" or (key.endswith("_id") and name != "audit")}
        tables[name] = [{k: v for k, v in row.items() if k not in hidden | {"contest"}} for row in rows]
    tables["audit"] = [row for row in tables["audit"] if row["what"] != "archive read back"]
    return {"settings": data["settings"], "tables": tables}


def test_a_contest_comes_back_into_a_fresh_database(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        fill(database)
        counts = write_archive(database, "a1", path, archive_pages(database, "a1", {}))
        before, board = contest_data(database, "a1"), standing(database, "a1").rows
        texts = {s.account: database.source(s.id) for s in database.submissions("a1")}
    assert (counts.accounts, counts.submissions, counts.judgings) == (5, 4, 5)
    fresh = Database(str(tmp_path / "fresh" / "contests.db"))
    try:
        # Rows of another contest, so that numbers differ.
        fresh.add_contest("other", before["settings"], who="test")
        add_people(fresh, "other", [Person("Somebody", "s@example.org", "U")], lambda issued: None, who="test")
        assert read_archive(fresh, path, who="prof") == ("a1", counts)
        assert same(contest_data(fresh, "a1")) == same(before)
        after = standing(fresh, "a1").rows
        assert [(r.rank, r.who, r.points) for r in after] == [(r.rank, r.who, r.points) for r in board]
        assert {s.account: fresh.source(s.id) for s in fresh.submissions("a1")} == texts
        assert {s.account: s.team for s in fresh.submissions("a1")}["Zoë"] == "T"
        assert fresh.audits("a1", 1)[0].what == "archive read back"
        assert len(fresh.accounts("other")) == 1
    finally:
        fresh.close()


def test_an_archive_of_before_there_were_questions_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        fill(database)
        data = contest_data(database, "a1")
        del data["tables"]["clarification"]
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr(DATA, json.dumps(data))
        read_archive(database, path, who="prof", slug="b1")
        assert len(database.clarifications("a1")) == 2 and database.clarifications("b1") == []


def test_it_comes_back_under_another_name_beside_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        fill(database)
        write_archive(database, "a1", path)
        with pytest.raises(UsageError, match="a contest 'a1' already"):
            read_archive(database, path, who="prof")
        read_archive(database, path, who="prof", slug="b1")
        assert same(contest_data(database, "b1")) == same(contest_data(database, "a1"))
        with pytest.raises(UsageError, match="small letters"):
            read_archive(database, path, who="prof", slug="../b")


def test_what_waits_is_queued_again(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        submit(database, "ada", 1)
        running = submit(database, "bob", 2)
        database.queue.claim("NVIDIA H100", "gpu-1")
        write_archive(database, "a1", path)
    fresh = Database(str(tmp_path / "fresh.db"))
    try:
        read_archive(fresh, path, who="prof")
        assert [s.state for s in fresh.submissions("a1")] == ["queued", "queued"]
        judge(fresh, {running: 0.9})
        assert sorted(s.verdict or "" for s in fresh.submissions("a1")) == ["accepted", "accepted"]
    finally:
        fresh.close()


def test_an_archive_of_before_there_were_languages_is_of_cuda(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        fill(database)
        data = contest_data(database, "a1")
        assert {row.pop("language") for row in data["tables"]["judging"]} == {"cuda", "triton"}
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr(DATA, json.dumps(data))
        read_archive(database, path, who="prof", slug="b1")
        assert {row.language for row in database.submissions("b1")} == {"cuda"}


def test_nobody_signs_in_by_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path, people=()) as database:
        issued = add_people(database, "a1", [Person("Ada", "ada@example.org")], lambda issued: None, who="prof").issued
        account = database.account_by_name("a1", "Ada")
        write_archive(database, "a1", path, archive_pages(database, "a1", {}))
    assert path.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(path) as bundle:
        everything = "".join(bundle.read(name).decode() for name in bundle.namelist())
        pages = "".join(bundle.read(name).decode() for name in bundle.namelist() if name != DATA)
    for secret in (issued[0].token, issued[0].link, account.token_hash, account.link_hash):
        assert secret is not None and secret not in everything
    assert "ada@example.org" in everything and "ada@example.org" not in pages


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for key, value in attrs if key in ("href", "src") and value]


def test_the_pages_lead_to_each_other_and_to_no_other_place(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        fill(database)
        pages = dict(archive_pages(database, "a1", {"matmul": "Multiply <matrices>"}))
    assert "Multiply &lt;matrices&gt;" in pages["index.html"]
    assert "Line 1 &lt;b&gt;" in pages["index.html"]
    for name, text in pages.items():
        for link in Links(text).found:
            target = link.split("#")[0]
            assert not target or (Path(name).parent / target).as_posix().replace("submissions/../", "") in pages
    assert "submissions/3.html" in pages and "disqualified" in pages["index.html"]


def test_hostile_names_and_code_are_only_shown(tmp_path: Path) -> None:
    with contest(tmp_path, people=[HOSTILE]) as database:
        number = submit(database, HOSTILE, 1, text=HOSTILE)
        judge(database, {number: 0.5}, report=to_json(replace(hostile(), source="")))
        database.announce("a1", HOSTILE, who="prof")
        for text in dict(archive_pages(database, "a1", {"matmul": HOSTILE})).values():
            assert "<script>document" not in text and "<img" not in text


def test_a_report_that_cannot_be_read_costs_only_its_page(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        number = submit(database, "ada", 1)
        judge(database, {number: 0.5}, report='{"problem": "of another kgrade"}')
        assert list(dict(archive_pages(database, "a1", {}))) == ["index.html"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(kgrade_archive=99), "newer kgrade"),
        (lambda data: data.update(kgrade_archive="x"), "it is none"),
        (lambda data: data.update(contest=None), "parts of it are missing"),
        (lambda data: data["tables"].pop("judging"), "parts of it are missing"),
        (lambda data: data["tables"]["submission"][0].update(account_id=999), "names account 999"),
        (lambda data: data["tables"]["account"].append(5), "account[5] is 5, where a row is expected"),
        (lambda data: data["tables"]["account"].append({**data["tables"]["account"][0], "id": 99}), "contradict each"),
        (lambda data: data["tables"]["source"][0].update(text="// other"), "is not what was archived"),
        (lambda data: data["tables"]["judging"].clear(), "not every submission has a judging"),
        (lambda data: data["tables"]["judging"][0].update(active=True), "contradict each other"),
        (lambda data: data.update(settings="{}"), "start = (missing)"),
        (lambda data: data.update(settings="[]"), "are '[]', where a JSON object is expected"),
        (lambda data: data.update(settings="[" * 100_000), "where a JSON object is expected"),
        (lambda data: data.update(contest="../x"), "small letters"),
        (lambda data: data["tables"]["account"].append({**data["tables"]["account"][0], "name": "x"}), "two rows of"),
        *((lambda data, odd=odd: put(data, *odd), f"{odd[0]}[0].{odd[1]} is ") for odd in ODD),
    ],
)
def test_a_damaged_archive_changes_nothing(tmp_path: Path, change: Change, words: str) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        fill(database)
        data = contest_data(database, "a1")
    change(data)
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr(DATA, json.dumps(data))
    fresh = Database(str(tmp_path / "fresh.db"))
    try:
        with pytest.raises(UsageError) as error:
            read_archive(fresh, path, who="prof")
        assert words in error.value.message and str(path) in error.value.message
        assert "is expected" in error.value.message or "[0]" not in words
        assert fresh.contests() == [] and fresh.audits() == []
    finally:
        fresh.close()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"[" * 100_000])
def test_what_is_no_archive_is_said(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    nested = tmp_path / "y.zip"
    with zipfile.ZipFile(nested, "w") as bundle:
        bundle.writestr(DATA, data)
    with contest(tmp_path) as database:
        for file in (path, nested):
            with pytest.raises(UsageError, match="no archive that can be read back"):
                read_archive(database, file, who="prof")
        with pytest.raises(UsageError, match="there is no"):
            read_archive(database, tmp_path / "none.zip", who="prof")


def test_a_failure_leaves_the_archive_of_before(tmp_path: Path) -> None:
    def failing() -> Any:
        yield "index.html", "x"
        raise OSError(28, "No space left on device")

    path = tmp_path / "out" / "a1.zip"
    with contest(tmp_path) as database:
        write_archive(database, "a1", path)
        before = path.read_bytes()
        with pytest.raises(WorkspaceError, match="No space left"):
            write_archive(database, "a1", path, failing())
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]


def test_groups_that_are_no_list_are_told_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a1.zip"
    with contest(tmp_path) as database:
        number = submit(database, "ada", 1)
        job = database.queue.claim("NVIDIA H100", "gpu-1")
        assert job and database.queue.finish(job, Outcome("accepted", groups='{"a": 1}', language="cuda"))
        assert len(standing(database, "a1").rows) == 3
        with pytest.raises(UsageError, match=f"submission {number} of 'a1' passed the groups .* list of names") as told:
            write_archive(database, "a1", path)
        assert f"rejudge a1 --submission {number}" in told.value.hint and not path.exists()
        start(database, "a1", Pick(ids=(number,)), "again", who="prof")
        judge(database, {})
        database.apply_rejudge(1, who="prof")
        write_archive(database, "a1", path, archive_pages(database, "a1", {}))
        read_archive(database, path, who="prof", slug="b1")
