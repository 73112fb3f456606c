"""`kgrade contest …` as an instructor types it, from a new contest to its archive."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path

import pytest

from grader.commands.contest import COMMANDS
from grader.commands.contests.common import parse_span, span
from grader.contest.auth import hash_token
from grader.contest.clock import Clock, utc_now
from grader.contest.database import Database
from grader.contest.jobs import Outcome
from grader.contest.practice import owner_of, publish_practice
from grader.core.errors import UsageError
from grader.store.workspace import Workspace, builtin_folder

from .conftest import Answer, Kgrade

ROSTER = "name,email,role\nAda Lovelace,ada@example.org,\nBob,bob@example.org,\nProf,p@example.org,staff\n"
TILED = (builtin_folder("problems") / "matmul/submissions/accepted/2_tiled.cu").read_text()


@pytest.fixture(autouse=True)
def no_other_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGRADE_DATABASE", raising=False)


@pytest.fixture
def started(workspace: Path, kgrade: Kgrade) -> Path:
    """A contest that began, with three accounts."""
    assert kgrade("contest", "new", "a1").code == 0
    path = workspace / "contests/a1/contest.toml"
    now = utc_now()
    lines = []
    for line in path.read_text().splitlines():
        key = line.split(" = ")[0]
        times = {"start": -timedelta(hours=1), "freeze": timedelta(minutes=30), "end": timedelta(hours=1)}
        lines.append(f"{key} = {(now + times[key]).isoformat()}" if key in times else line)
    path.write_text("\n".join(lines))
    (workspace / "students.csv").write_text(ROSTER)
    answer = kgrade("contest", "roster", "a1", "students.csv", "--to", "links.csv")
    assert answer.code == 0, answer.err
    return workspace


@contextmanager
def database(workspace: Path) -> Iterator[Database]:
    found = Database(str(workspace / "contests/contests.db"), Clock())
    try:
        yield found
    finally:
        found.close()


def hand_in(workspace: Path, name: str, verdict: str, problem: str = "matmul", text: str = "", minutes: int = 0) -> int:
    with database(workspace) as found:
        account = found.account_by_name("a1", name)
        moment = utc_now() + timedelta(minutes=minutes)
        number = found.submit(account, problem, "x.cu", text or f"// {name}\n", moment, gpu_model="emulator")
        judge(found, verdict)
    return number


def judge(found: Database, verdict: str) -> None:
    while job := found.queue.claim("emulator", "w"):
        assert found.queue.finish(job, Outcome(verdict))


def rows(answer: Answer) -> list[dict[str, str]]:
    assert answer.code == 0, answer.err
    return list(csv.DictReader(answer.out.splitlines()))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_explains_itself(name: str, kgrade: Kgrade) -> None:
    answer = kgrade("contest", name, "--help")
    assert answer.code == 0
    assert f"kgrade contest {name}" in answer.out.splitlines()[0]
    assert kgrade("contest", "--help").out.count(f"  {name} ") == 1


def test_every_module_of_commands_is_in_the_table() -> None:
    folder = Path(str(import_module("grader.commands.contests").__file__)).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__", "common"} == set(COMMANDS)


def test_a_mistyped_command_is_named(kgrade: Kgrade) -> None:
    answer = kgrade("contest", "rooster")
    assert answer.code == 2 and "Did you mean 'roster'?" in answer.err


@pytest.mark.usefixtures("workspace")
def test_two_commands_make_a_contest(kgrade: Kgrade) -> None:
    assert "kgrade contest check a1" in kgrade("contest", "new", "a1").out
    checked = kgrade("contest", "check", "a1")
    assert checked.code == 0 and "accepted scores 1" in checked.out
    assert "only a file so far" in kgrade("contest", "status").out
    assert kgrade("contest", "new", "a1").code == 2
    assert kgrade("contest", "new", "../a1").code == 2


def test_mistakes_in_the_file_are_said_and_nothing_changes(started: Path, kgrade: Kgrade) -> None:
    path = started / "contests/a1/contest.toml"
    path.write_text(path.read_text().replace('name = "zip"', 'name = "ziip"'))
    answer = kgrade("contest", "check", "a1", "--apply")
    assert answer.code == 2 and "did you mean 'zip'?" in answer.err and "contest.toml" in answer.err
    with database(started) as found:
        assert '"ziip"' not in found.contest("a1").settings


def test_a_change_holds_when_it_is_applied(started: Path, kgrade: Kgrade) -> None:
    path = started / "contests/a1/contest.toml"
    path.write_text(path.read_text().replace("per_hour = 20", "per_hour = 3"))
    assert "not in force yet: per_hour; next: kgrade contest check a1 --apply" in kgrade("contest", "check", "a1").out
    with database(started) as found:
        assert '"per_hour": 20' in found.contest("a1").settings
    assert "hold now" in kgrade("contest", "check", "a1", "--apply").out
    with database(started) as found:
        assert '"per_hour": 3' in found.contest("a1").settings
    assert "in force" not in kgrade("contest", "check", "a1").out


def test_to_check_a_file_makes_no_database(workspace: Path, kgrade: Kgrade) -> None:
    assert kgrade("contest", "new", "a1").code == 0
    assert "in force" not in kgrade("contest", "check", "a1").out
    assert [path.name for path in (workspace / "contests").iterdir()] == ["a1"]


def test_submissions_that_no_worker_takes_are_said(started: Path, kgrade: Kgrade) -> None:
    with database(started) as found:
        found.submit(found.account_by_name("a1", "Bob"), "matmul", "x.cu", "// bob", utc_now(), gpu_model="emulator")
        found.worker_seen("server/here:8000:1", "NVIDIA H200", "idle")
    assert "for a worker with the GPU emulator: none is here" in kgrade("contest", "status").out
    with database(started) as found:
        found.worker_seen("server/here:8000:2", "emulator", "idle")
    assert "none is here" not in kgrade("contest", "status").out
    with database(started) as found:
        found.worker_seen("server/here:8000:2", "emulator", "out", "no GPU")
    assert "none is here" in kgrade("contest", "status").out


def test_links_and_tokens_are_written_once_for_the_owner(started: Path, kgrade: Kgrade) -> None:
    path = started / "links.csv"
    assert path.stat().st_mode & 0o777 == 0o600
    issued = {row["name"]: row for row in csv.DictReader(path.read_text().splitlines())}
    with database(started) as found:
        for row in issued.values():
            by_token = found.account_by_token(hash_token(row["token"]))
            by_link = found.account_by_link(hash_token(row["link"].rpartition("/")[2]))
            assert by_token is not None and by_token == by_link
    assert "3 were there" in kgrade("contest", "roster", "a1", "students.csv").out
    assert kgrade("contest", "renew", "a1", "Bob", "--to", "links.csv").code == 2
    assert kgrade("contest", "renew", "a1", "Bob", "--to", "bob.csv").code == 0
    with database(started) as found:
        assert found.account_by_token(hash_token(issued["Bob"]["token"])) is None
        assert found.account_by_token(hash_token(issued["Ada Lovelace"]["token"])) is not None
    assert kgrade("contest", "revoke", "a1", "Ada Lovelace").code == 0
    with database(started) as found:
        assert found.account_by_token(hash_token(issued["Ada Lovelace"]["token"])) is None
    assert kgrade("contest", "renew", "a1").code == 2
    assert kgrade("contest", "revoke", "a1", "Nobody").code == 2


def test_a_faulty_roster_adds_nobody(started: Path, kgrade: Kgrade) -> None:
    (started / "more.csv").write_text("name,email\nCy,cy@example.org\nDan,nothing\n")
    answer = kgrade("contest", "roster", "a1", "more.csv", "--to", "more-links.csv")
    assert answer.code == 2 and "line 3" in answer.err and "nobody was added" in answer.err
    with database(started) as found:
        assert len(found.accounts("a1")) == 3
    assert not (started / "more-links.csv").exists()


def test_extension_team_announcement_and_their_log(started: Path, kgrade: Kgrade) -> None:
    assert "1 d 2 h" in kgrade("contest", "extend", "a1", "Bob", "1d2h").out
    assert "team Engines" in kgrade("contest", "team", "a1", "Bob", "Engines").out
    assert "Engines: Bob" in kgrade("contest", "team", "a1").out
    assert "announcement 1" in kgrade("contest", "announce", "a1", "Mind the gap").out
    assert "Mind the gap" in kgrade("contest", "announce", "a1").out
    assert kgrade("contest", "announce", "a1", "--withdraw", "9").code == 2
    assert kgrade("contest", "announce", "a1", "--withdraw", "1").code == 0
    with database(started) as found:
        bob = found.account_by_name("a1", "Bob")
        assert (bob.extension_seconds, bob.team) == (93_600, "Engines")
        assert found.announcements("a1") == []
    changes = kgrade("contest", "audit", "a1", "--json").json["changes"]
    assert [change["what"] for change in changes[:4]] == [
        "announcement withdrawn",
        "announced",
        "team set",
        "extension given",
    ]
    assert all(change["who"] == "ada (command line)" for change in changes)
    assert "extension given (account: Bob, time: 1 d 2 h)" in kgrade("contest", "audit", "a1").out
    for wrong in ("soon", "1x", "-1h", "1h2"):
        assert kgrade("contest", "extend", "a1", "--", "Bob", wrong).code == 2


def test_times_are_in_the_zone_of_the_contests_start(started: Path, kgrade: Kgrade) -> None:
    path = started / "contests/a1/contest.toml"
    text = path.read_text()
    start = next(line for line in text.splitlines() if line.startswith("start = "))
    moment = datetime.fromisoformat(start.removeprefix("start = ")).astimezone(timezone(timedelta(hours=9)))
    path.write_text(text.replace(start, f"start = {moment.isoformat()}"))
    assert f"{moment:%Y-%m-%d %H:%M} UTC+09:00" in kgrade("contest", "check", "a1", "--apply").out
    changed = kgrade("contest", "audit", "a1").out.splitlines()[0]
    assert "UTC+09:00" in changed and "contest changed (start: " in changed and " → " in changed
    for words in (["status", "a1"], ["extend", "a1", "bob@example.org", "1h"]):
        assert "UTC+09:00" in kgrade("contest", *words).out


def test_results_and_disqualification(started: Path, kgrade: Kgrade) -> None:
    hand_in(started, "Ada Lovelace", "accepted")
    number = hand_in(started, "Bob", "accepted", "zip", minutes=1)
    table = rows(kgrade("contest", "export", "a1"))
    assert [(row["rank"], row["name"], row["points"]) for row in table] == [
        ("1", "Ada Lovelace", "1.0000"),
        ("2", "Bob", "1.0000"),
    ]
    assert kgrade("contest", "disqualify", "a1", "Bob").code == 2
    assert kgrade("contest", "disqualify", "a1", "--submission", str(number), "--reason", "copied").code == 0
    assert [row["points"] for row in rows(kgrade("contest", "export", "a1"))] == ["1.0000", "0.0000"]
    assert kgrade("contest", "disqualify", "a1", "--submission", str(number), "--reinstate").code == 0
    assert kgrade("contest", "disqualify", "a1", "Ada Lovelace", "--reason", "copied").code == 0
    marked = rows(kgrade("contest", "export", "a1"))
    assert [(row["name"], row["rank"], row["points"], row["disqualified"]) for row in marked] == [
        ("Bob", "1", "1.0000", ""),
        ("Ada Lovelace", "", "0.0000", "copied"),
    ]
    assert (marked[1]["matmul_verdict"], marked[1]["matmul_points"]) == ("accepted", "0.0000")
    of_ada = kgrade("contest", "export", "a1", "--format", "gradescope", "--user", "ADA@example.org").json
    assert of_ada["score"] == 0 and of_ada["output"].endswith("; disqualified: copied")
    assert kgrade("contest", "export", "a1", "--format", "autolab", "--user", "lovelace").err.count("Ada Lovelace") == 1
    assert kgrade("contest", "disqualify", "a1", "--submission", "99", "--reason", "x").code == 2


def test_exports_for_other_systems(started: Path, kgrade: Kgrade) -> None:
    hand_in(started, "Bob", "accepted")
    one = kgrade("contest", "export", "a1", "--format", "autolab", "--user", "Bob").json
    assert one["scores"]["matmul"] == 1.0
    assert kgrade("contest", "export", "a1", "--format", "gradescope").code == 2
    assert kgrade("contest", "export", "a1", "--user", "Nobody").code == 2
    assert "2 files" in kgrade("contest", "export", "a1", "--format", "gradescope", "--to", "out").out
    assert json.loads((started / "out/bob@example.org.json").read_text())["score"] == 1.0
    assert kgrade("contest", "export", "a1", "--to", "table.csv").code == 0
    assert (started / "table.csv").read_text().startswith("rank,name,email")


def test_no_address_leads_out_of_the_folder(started: Path, kgrade: Kgrade) -> None:
    (started / "more.csv").write_text("name,email\nMallory,../../m/@example.org\n")
    assert kgrade("contest", "roster", "a1", "more.csv", "--to", "m.csv").code == 0
    assert kgrade("contest", "export", "a1", "--format", "gradescope", "--to", "out").code == 0
    assert len(list((started / "out").iterdir())) == 3


def test_rejudging(started: Path, kgrade: Kgrade) -> None:
    hand_in(started, "Bob", "wrong_answer")
    assert "nothing was rejudged" in kgrade("contest", "rejudge", "a1").out
    assert kgrade("contest", "rejudge", "a1", "--problem", "matmul").code == 2
    begun = kgrade("contest", "rejudge", "a1", "--problem", "matmul", "--reason", "wrong tolerance")
    assert "rejudge 1: 1 submissions are queued" in begun.out
    assert "0 of 1 judged" in kgrade("contest", "rejudge", "a1", "--preview", "1").out
    assert kgrade("contest", "rejudge", "a1", "--apply", "1").code == 2
    with database(started) as found:
        judge(found, "accepted")
    preview = kgrade("contest", "rejudge", "a1", "--preview", "1").out
    assert "1 of 1 judged, 1 differ" in preview and "2 → 1" not in preview and "0.000 → 1.000" in preview
    assert "wrong tolerance" in kgrade("contest", "rejudge", "a1").out
    assert rows(kgrade("contest", "export", "a1"))[0]["points"] == "0.0000"
    assert "1 verdicts hold" in kgrade("contest", "rejudge", "a1", "--apply", "1").out
    assert rows(kgrade("contest", "export", "a1"))[0]["points"] == "1.0000"
    assert kgrade("contest", "rejudge", "a1", "--drop", "1").code == 2
    assert kgrade("contest", "rejudge", "a1", "--drop", "7").code == 2


def test_copies_are_shown_with_their_lines(started: Path, kgrade: Kgrade) -> None:
    assert "no two are alike" in kgrade("contest", "similar", "a1").out
    hand_in(started, "Bob", "accepted", text=TILED)
    hand_in(started, "Ada Lovelace", "accepted", text=TILED.replace("sum", "total"))
    answer = kgrade("contest", "similar", "a1", "--problem", "matmul")
    assert answer.code == 0 and "100%" in answer.out and "Bob" in answer.out and "lines " in answer.out
    assert kgrade("contest", "similar", "a1", "--problem", "none").code == 2


def test_unfreezing(started: Path, kgrade: Kgrade) -> None:
    assert kgrade("contest", "unfreeze", "a1").code == 2
    hand_in(started, "Ada Lovelace", "accepted")
    hand_in(started, "Bob", "accepted", "zip")
    hand_in(started, "Bob", "accepted", minutes=40)
    assert "Bob, matmul: from 2 to 1" in kgrade("contest", "unfreeze", "a1", "--step").out
    assert "nothing is hidden" in kgrade("contest", "unfreeze", "a1", "--step").out
    assert kgrade("contest", "unfreeze", "a1", "--again").code == 0
    assert kgrade("contest", "unfreeze", "a1", "--all").code == 0


def test_archive_and_restore(started: Path, kgrade: Kgrade) -> None:
    hand_in(started, "Bob", "accepted")
    written = kgrade("contest", "archive", "a1")
    assert written.code == 0 and "3 accounts, 1 submissions" in written.out
    assert kgrade("contest", "restore", "a1.zip").code == 2
    assert "b1: 3 accounts" in kgrade("contest", "restore", "a1.zip", "--as", "b1").out
    tables = [
        [{key: cell for key, cell in row.items() if not key.endswith("_submission")} for row in rows(answer)]
        for answer in (kgrade("contest", "export", "a1"), kgrade("contest", "export", "b1"))
    ]
    assert tables[0] == tables[1]
    other = kgrade("contest", "restore", "a1.zip", "--database", "other.db")
    assert other.code == 0, other.err
    found = kgrade("contest", "status", "--json", "--database", "other.db").json
    assert [(each["slug"], each["submissions"]) for each in found["contests"]] == [("a1", {"accepted": 1})]
    assert kgrade("contest", "archive", "a1", "--data-only", "--to", "out/d.zip").code == 0
    assert (started / "out/d.zip").stat().st_size < (started / "a1.zip").stat().st_size


def test_a_workers_token_lets_it_in_until_it_is_removed(started: Path, kgrade: Kgrade) -> None:
    token = kgrade("contest", "worker", "gpu-1").out.split("shown once:")[1].split()[0]
    with database(started) as found:
        worker = found.worker_by_token(hash_token(token))
        assert worker is not None and worker.name == "gpu-1"
    assert "worker gpu-1" in kgrade("contest", "status").out
    assert kgrade("contest", "worker", "gpu-1", "--remove").code == 0
    assert kgrade("contest", "worker", "gpu-1", "--remove").code == 2


@pytest.mark.usefixtures("workspace")
def test_a_contest_that_is_not_there(kgrade: Kgrade) -> None:
    for words in (["roster", "a1", "x.csv"], ["export", "a1"], ["status", "a1"], ["check", "a1"], ["audit", "a1"]):
        answer = kgrade("contest", *words)
        assert answer.code == 2 and "kgrade contest new a1" in answer.err, words
    assert "no contest yet" in kgrade("contest", "status").out


def test_spans() -> None:
    assert parse_span("1d12h30m5s") == timedelta(days=1, hours=12, minutes=30, seconds=5)
    assert parse_span("0") == timedelta(0)
    assert span(parse_span("1d12h30m5s")) == "1 d 12 h 30 min 5 s"
    assert span(timedelta(0)) == "0 s"
    for wrong in ("", "h", "1", "1h 2m", "1.5h", "1y"):
        with pytest.raises(UsageError):
            parse_span(wrong)


def test_questions_are_listed_and_answered(started: Path, kgrade: Kgrade) -> None:
    assert "no question is open" in kgrade("contest", "clarify", "a1").out
    with database(started) as found:
        for question in ("may N be 0?", "is\x1b[31m it\nfloat?"):
            found.ask(found.account_by_name("a1", "Bob"), "matmul", question)
    listed = kgrade("contest", "clarify", "a1").out
    assert "Bob, about matmul" in listed and "may N be 0?" in listed and "\x1b" not in listed
    assert "for the asker" in kgrade("contest", "clarify", "a1", "1", "no").out
    assert "for all" in kgrade("contest", "clarify", "a1", "2", "yes", "--to-all").out
    assert "no question is open" in kgrade("contest", "clarify", "a1").out
    assert "answered by" in kgrade("contest", "clarify", "a1", "--everything").out
    assert "About matmul" in kgrade("contest", "announce", "a1").out
    rows = json.loads(kgrade("contest", "clarify", "a1", "--everything", "--json").out)["questions"]
    assert [(row["id"], row["answer"], row["to_all"]) for row in rows] == [(2, "yes", True), (1, "no", False)]
    for words in (["7", "no such"], ["1"], ["1", "x" * 2001], ["--to-all"]):
        assert kgrade("contest", "clarify", "a1", *words).code == 2


def test_a_table_for_students_has_no_addresses_and_obeys_the_scoreboard(started: Path, kgrade: Kgrade) -> None:
    shown = kgrade("contest", "export", "a1", "--for-students").out
    assert "Ada Lovelace" in shown and "@example.org" not in shown
    path = started / "contests/a1/contest.toml"
    path.write_text(path.read_text().replace('scoreboard = "class"', 'scoreboard = "anonymous"'))
    assert "without the names of others" in kgrade("contest", "check", "a1", "--apply").out
    shown = kgrade("contest", "export", "a1", "--for-students").out
    assert "#1" in shown and "Ada" not in shown and "Bob" not in shown
    assert "Ada Lovelace" in kgrade("contest", "export", "a1").out
    for words in (["--user", "Bob"], ["--format", "autolab"]):
        assert kgrade("contest", "export", "a1", "--for-students", *words).code == 2


def test_the_practice_is_told_among_contests_and_has_no_end(workspace: Path, kgrade: Kgrade) -> None:
    with database(workspace) as found:
        publish_practice(found, Workspace(workspace))
        owner_of(found, "ada")
    assert "Practice (practice): has no end" in kgrade("contest", "status").out
    assert json.loads(kgrade("contest", "status", "practice", "--json").out)["contests"][0]["end"] is None
    assert "has no end" in kgrade("contest", "extend", "practice", "ada", "2h").err
    assert kgrade("contest", "renew", "practice", "ada", "--to", "links.csv").code == 0
    answer = kgrade("contest", "new", "practice")
    assert answer.code != 0 and "kgrade serve" in answer.err


def test_without_words_a_group_says_its_commands(kgrade: Kgrade) -> None:
    for words in ((), ("contest",)):
        answer = kgrade(*words)
        assert answer.code == 2 and answer.err.startswith(f"Usage: {' '.join(['kgrade', *words])} [OPTIONS]")


def test_who_asks_to_enter_is_listed_let_in_and_refused(started: Path, kgrade: Kgrade) -> None:
    assert "nobody asks to enter" in kgrade("contest", "admit", "a1").out
    with database(started) as found:
        for person in ("eve", "mal\x1b[31m"):
            found.ask_to_enter("a1", "email", f"{person}@example.org", person)
    listed = kgrade("contest", "admit", "a1").out
    assert "1  " in listed and "eve, known as eve@example.org" in listed and "\x1b" not in listed
    assert kgrade("contest", "admit", "a1", "1").out == "eve may enter, by the sign-in they asked with\n"
    assert kgrade("contest", "admit", "a1", "2", "--refuse").out == "number 2 is refused\n"
    rows = json.loads(kgrade("contest", "admit", "a1", "--json").out)["entries"]
    assert [(row["id"], row["refused"] is None) for row in rows] == [(2, False)]
    with database(started) as found:
        assert [each.name for each in found.accounts_known_as(email="eve@example.org")] == ["eve"]
        found.ask_to_enter("a1", "email", "ada@example.org", "Another Ada")
    for words, told in ((["1"], "nobody asks"), (["3"], "has an account in 'a1' already"), (["--refuse"], "number")):
        answer = kgrade("contest", "admit", "a1", *words)
        assert answer.code == 2 and told in answer.err
