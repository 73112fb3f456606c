"""Practice in the browser: who is its owner, what its pages show, and what the workspace's history keeps of it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select

from grader.contest import loopback
from grader.contest.clock import Clock
from grader.contest.database import Database
from grader.contest.definitions import read_definition, settings_of, write_new
from grader.contest.explainer import Explainer
from grader.contest.grading_process import GradingProcess
from grader.contest.jobs import Answer, Question, Stalled, outcome_of
from grader.contest.practice import first_link, owner_of, practice_settings, publish_practice
from grader.contest.schema import Explanation
from grader.contest.settings import PRACTICE, settings_from_json, settings_to_json
from grader.contest.tables.explanations import MOST_KEPT
from grader.core.errors import UsageError
from grader.core.report import Interval, Modelled, ModelSize
from grader.store.database import Store
from grader.store.workspace import Workspace

from .site_samples import NOW, Hall, accepted, form_token, open_hall, wrong
from .test_serve_server import answer_of, free_port

HOME = f"/contests/{PRACTICE}"
MATMUL = f"{HOME}/problems/matmul"


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A server with a practice and a contest; tests of this module only look, or submit what no other counts."""
    with open_hall(tmp_path_factory.mktemp("home"), practice=True) as hall:
        yield hall


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path, practice=True) as hall:
        yield hall


def hand_in(hall: Hall, browser: httpx.Client, source: str = "int x;", problem: str = "matmul") -> int:
    """Submits as a browser does and returns the submission's number."""
    page = browser.get(f"{HOME}/problems/{problem}")
    fields = {"csrf": form_token(page.text), "language": "cuda", "source": source}
    answer = browser.post(f"{HOME}/problems/{problem}", data=fields)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


def copied(hall: Hall) -> Path:
    """A problem of the workspace's own, called "twice"."""
    return Path(shutil.copytree(hall.workspace.problems["zip"], hall.workspace.root / "problems" / "twice"))


def test_the_owner_needs_no_token(at_home: Hall) -> None:
    page = at_home.browser().get(HOME)
    assert page.status_code == 200
    assert "Matrix multiplication" in page.text and "Sign out" not in page.text


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "localhost.evil.example:8000"},
        {"host": "127.0.0.1.nip.io"},
        {"host": "2130706433"},
        {"host": ""},
        {"x-forwarded-for": "127.0.0.1"},
        {"x-forwarded-for": "203.0.113.9"},
        {"x-forwarded-host": "grader.example.org"},
        {"forwarded": "for=127.0.0.1"},
        {"via": "1.1 proxy"},
        {"x-real-ip": "127.0.0.1"},
    ],
    ids=str,
)
def test_what_hints_at_others_has_to_sign_in(at_home: Hall, headers: dict[str, str]) -> None:
    answer = at_home.browser().get(HOME, headers=headers)
    assert answer.status_code == 401 and "Matrix multiplication" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:1", "[::1]:8000", "[::1]"])
def test_names_of_this_machine(at_home: Hall, host: str) -> None:
    assert at_home.browser().get(HOME, headers={"host": host}).status_code == 200


def test_the_form_of_another_site_is_refused(at_home: Hall) -> None:
    browser = at_home.browser()
    fields = {"csrf": form_token(browser.get(MATMUL).text), "language": "cuda", "source": "int x;"}
    for headers in (
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert browser.post(MATMUL, data=fields, headers=headers).status_code in (401, 403)
    # A page of another program on this machine has another port.
    other = {"origin": "http://127.0.0.1:1"}
    assert browser.post(MATMUL, data=fields, headers=other).status_code == 403
    for token in ("", "0" * 64):
        assert browser.post(MATMUL, data={**fields, "csrf": token}).status_code == 403
    # A token that was made for another browser.
    assert at_home.browser().post(MATMUL, data=fields).status_code == 403
    assert at_home.database.submissions(PRACTICE) == []


def test_the_owner_is_nobody_in_a_contest(at_home: Hall) -> None:
    browser = at_home.browser()
    assert browser.get("/contests/cs149-a1").status_code == 401
    assert browser.get(f"{HOME}/staff").status_code == 404
    student = at_home.signed_in("ada")
    assert student.get("/contests/cs149-a1").status_code == 200
    home = student.get("/")
    assert "CS 149, assignment 1" in home.text and f'href="{HOME}"' in home.text
    assert student.get(HOME, headers={"host": "grader.example.org"}).status_code == 401


def test_a_server_for_other_machines_has_no_owner(tmp_path: Path) -> None:
    with open_hall(tmp_path) as hall:
        publish_practice(hall.database, hall.workspace)
        link = first_link(hall.database, owner_of(hall.database, "me"))
        browser = hall.browser()
        assert browser.get(HOME).status_code == 401
        page = browser.get(f"/sign-in/{link}")
        answer = browser.post("/sign-in", data={"csrf": form_token(page.text), "token": link})
        assert answer.headers["location"] == HOME and browser.get(HOME).status_code == 200
        assert first_link(hall.database, owner_of(hall.database, "me")) is None


def test_other_users_of_this_machine_are_told_apart(tmp_path: Path) -> None:
    row = "   0: {client}:8E2E 0100007F:{server:04X} {state} 0:0 0:0 0 {user} 0 {inode} 2 0 20 0\n"
    table = tmp_path / "tcp"
    usual = {"client": "0100007F", "server": 80, "state": "01", "inode": 7, "user": os.getuid()}
    cases: list[tuple[dict[str, Any], bool]] = [
        ({}, True),
        ({"client": "0000000000000000FFFF00000100007F"}, True),
        ({"user": os.getuid() + 1}, False),
        # Closed by its program, or no more open.
        ({"inode": 0}, False),
        ({"state": "04"}, False),
        ({"server": 81}, False),
        # The same port of another address.
        ({"client": "0200007F"}, False),
    ]
    for values, own in cases:
        table.write_text("  sl\n" + row.format(**usual | values))
        ends = ("127.0.0.1", 0x8E2E), ("127.0.0.1", 80)
        assert (loopback.users_of(*ends, (table,)) == [os.getuid()]) is own
    assert loopback.users_of(*ends, (tmp_path / "none",)) == []


def test_a_twin_of_the_owner_s_connection_is_a_stranger() -> None:
    """The same port on another address, half closed, so that it is no more listed as open: an answer still comes."""
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as twin:
        server = listening.getsockname()
        with socket.create_connection(server) as mine:
            twin.bind(("127.0.0.2", mine.getsockname()[1]))
            twin.connect(server)
            twin.shutdown(socket.SHUT_WR)
            assert loopback.users_of(mine.getsockname(), server) == [os.getuid()]
            assert loopback.users_of(twin.getsockname(), server) == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_s_page_loads_is_a_stranger_s(at_home: Hall, site: str) -> None:
    browser = at_home.browser()
    for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("navigate", "iframe")):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
        assert browser.get(HOME, headers=headers).status_code == 401
    # A link that somebody follows.
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert browser.get(HOME, headers=followed).status_code == 200


def test_an_exercise_is_in_the_practice_alone(at_home: Hall) -> None:
    browser = at_home.browser()
    page = browser.get(f"{MATMUL}/exercises/second-barrier").text
    assert "The tile that moved on" in page and "Hint 3" in page and "tile_A[y][k]" in page
    assert browser.get(f"{MATMUL}/exercises/none").status_code == 404
    # Nothing but a name that is there: no path.
    assert browser.get(f"{MATMUL}/exercises/..%2f..%2fmap").status_code == 404
    student = at_home.signed_in("ada")
    assert student.get("/contests/cs149-a1/problems/matmul/exercises/second-barrier").status_code == 404


def test_a_submission_is_in_the_history_of_the_workspace(mine: Hall) -> None:
    browser = mine.browser()
    number = hand_in(mine, browser)
    mine.pass_time(minutes=1)
    client = mine.worker()
    job = client.claim("emulator", "one")
    assert job is not None and job.hidden_seed is None
    outcome = outcome_of(wrong())
    # The second time its answer was lost.
    assert client.finish(job, outcome) and client.finish(job, outcome)
    (entry,) = Store(mine.workspace.database).summaries()
    assert (entry.user, entry.problem, entry.verdict, entry.submitted) == ("me", "matmul", "wrong_answer", NOW)
    assert Store(mine.workspace.database).get(entry.id).source == "int x;"
    # Told in full.
    assert str(wrong().seed) in browser.get(f"{HOME}/submissions/{number}").text


def test_the_leaderboard_ranks_by_model_time_without_a_gpu(mine: Hall) -> None:
    browser, client = mine.browser(), mine.worker()
    for number, seconds in enumerate((1e-3, 5e-4, None)):
        hand_in(mine, browser, f"int x{number};")
        mine.pass_time(minutes=1)
        job = client.claim("emulator", "one")
        assert job is not None and (job.model_time, job.model_scores) == ("H200", False)
        time = None if seconds is None else Interval(seconds, seconds / 2, 2 * seconds)
        size = ModelSize({"N": 7}, time, "DRAM", seconds and 1e-4 / seconds, "")
        model = Modelled("H200", "", "1-a", (size,), size.share, "" if time else "the model does not know frob")
        outcome = outcome_of(replace(accepted(), model=model), model_scores=job.model_scores)
        # A model's score is on its board alone, and no measured best.
        assert outcome.score is None and client.finish(job, outcome)
    board = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", browser.get(f"{MATMUL}/leaderboard").text))
    assert "Model time on H200, not measured" in board and "no GPU has run them" in board
    assert "1 me 0.200 500 µs CUDA C++ 2 " in board
    report = browser.get(f"{HOME}/submissions/3").text
    assert "Model time on H200, not measured" in report and "the model does not know frob" in report


def test_a_store_that_cannot_be_written_keeps_no_verdict_back(mine: Hall, caplog: pytest.LogCaptureFixture) -> None:
    mine.workspace.database.mkdir()
    number = hand_in(mine, mine.browser())
    client = mine.worker()
    job = client.claim("emulator", "one")
    assert job is not None
    assert client.finish(job, outcome_of(wrong()))
    assert mine.database.submission(number).verdict == "wrong_answer"
    assert "not in the workspace's history" in caplog.text


def test_home_tells_how_far_one_is(mine: Hall) -> None:
    browser = mine.browser()
    hand_in(mine, browser)
    mine.judge(wrong())
    hand_in(mine, browser)
    mine.judge(wrong())
    assert "2 tries" in browser.get(HOME).text
    hand_in(mine, browser)
    mine.judge()
    page = browser.get(HOME).text
    assert "2 tries" not in page and "1 of " in page


def test_a_problem_made_meanwhile_is_there(mine: Hall) -> None:
    browser = mine.browser()
    assert "Twice" not in browser.get(HOME).text
    folder = copied(mine)
    text = folder.joinpath("problem.py").read_text()
    folder.joinpath("problem.py").write_text(text.replace('title="', 'title="Twice '))
    page = browser.get(HOME).text
    assert "Twice" in page and browser.get(f"{HOME}/problems/twice").status_code == 200
    folder.joinpath("problem.py").write_text("problem = None")
    # A mistake in one folder hides no other.
    assert ">twice<" in browser.get(HOME).text
    folder.joinpath("problem.py").unlink()
    assert ">twice<" not in browser.get(HOME).text
    assert browser.get(f"{HOME}/problems/twice").status_code == 404


def test_an_editorial_is_earned(mine: Hall) -> None:
    folder = copied(mine)
    shutil.copytree(folder, folder.with_name("plain"), ignore=shutil.ignore_patterns("editorial.md"))
    table = "<!-- counts -->\n\n| file | sectors |\n|---|---:|\n| `a.cu` | 8 |\n\n<!-- end -->\n"
    folder.joinpath("editorial.md").write_text(f"# Title\nUse **one** thread. <script>alert(1)</script>\n\n{table}")
    browser = mine.browser()
    browser.get(HOME)
    page = f"{HOME}/problems/twice"
    assert "Leaderboard" in browser.get(page).text and "Editorial" not in browser.get(page).text
    assert browser.get(f"{page}/editorial").status_code == 404
    hand_in(mine, browser, problem="twice")
    mine.judge()
    assert f"{page}/editorial" in browser.get(page).text
    number = mine.database.submissions("practice")[0].id
    assert f'href="{page}/editorial"' in browser.get(f"{HOME}/submissions/{number}/result").text
    text = browser.get(f"{page}/editorial").text
    assert "<strong>one</strong>" in text and "<script>alert" not in text
    assert '<td class="number">8</td>' in text
    # Without the file there is none.
    hand_in(mine, browser, problem="plain")
    mine.judge()
    assert "Editorial" not in browser.get(f"{HOME}/problems/plain").text


def test_changes_between_two_submissions(mine: Hall) -> None:
    browser, page = mine.browser(), f"{MATMUL}/changes"
    first = hand_in(mine, browser, "int a;\nint b;\nint c;")
    assert browser.get(page).status_code == 404 and "Changes" not in browser.get(MATMUL).text
    mine.pass_time(seconds=1)
    second = hand_in(mine, browser, "int a;\nint <b>;\nint c;")
    text = browser.get(page).text
    assert "1 line added, 1 line removed" in text and "int &lt;b&gt;;" in text
    assert f"Changes from submission {first} to {second}" in text and f"{page}" in browser.get(MATMUL).text
    assert f"to {first}" in browser.get(page, params={"old": second, "new": first}).text
    assert "They have the same text" in browser.get(page, params={"old": first, "new": first}).text
    mine.pass_time(seconds=1)
    longest = hand_in(mine, browser, "x\n" * 5_000)
    assert "not compared" in browser.get(page).text
    for wrong_one in ({"old": 99}, {"new": 10**12}, {"old": "x"}):
        assert browser.get(page, params=wrong_one).status_code == 404
    # Another problem's, and other people's.
    zipped = hand_in(mine, browser, problem="zip")
    assert browser.get(page, params={"old": zipped}).status_code == 404
    theirs = mine.submit("ada")
    assert browser.get(page, params={"old": theirs}).status_code == 404
    bob = mine.signed_in("bob")
    for number in (longest, theirs):
        answer = bob.get("/contests/cs149-a1/problems/matmul/changes", params={"old": number, "new": number})
        assert answer.status_code == 404


class Stub:
    """A judge that explains without looking."""

    def __init__(self, answer: Answer | Exception) -> None:
        self.answer, self.questions = answer, list[Question]()

    def __call__(self, question: Question, progress: Callable[[str], None]) -> Answer:
        progress("counting")
        self.questions.append(question)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_an_explanation_is_asked_for_once(mine: Hall) -> None:
    browser, client = mine.browser(), mine.worker()
    number = hand_in(mine, browser)
    page = f"{HOME}/submissions/{number}/explanation"
    assert browser.get(page).status_code == 404
    mine.judge()
    report = browser.get(f"{HOME}/submissions/{number}").text
    assert f'action="{page}"' in report and browser.get(page).status_code == 200
    think = Stub(Answer("<p>the explanation</p>"))
    # A link starts nothing, nor does the form of another site.
    assert not Explainer(client, think)(str)
    form = {"csrf": form_token(report)}
    assert browser.post(page, data=form, headers={"origin": "http://evil.example"}).status_code == 403
    assert browser.post(page, data=form).headers["location"] == page
    assert browser.post(page, data=form).status_code == 303
    assert "Waiting" in browser.get(page).text and browser.get(f"{page}/page").status_code == 404
    poll = {"hx-request": "true"}
    assert "hx-refresh" not in browser.get(page, headers=poll).headers
    assert Explainer(client, think)(str) and not Explainer(client, think)(str)
    assert [(each.problem, each.file, each.text) for each in think.questions] == [("matmul", "matmul.cu", "int x;")]
    assert browser.get(page, headers=poll).headers["hx-refresh"] == "true"
    # It is shown within the site's menu, in a frame whose policy is that of a page from elsewhere.
    around = browser.get(page).text
    assert f'<iframe class="whole" src="{page}/page"' in around and "My submissions" in around
    answer = browser.get(f"{page}/page")
    policy = answer.headers["content-security-policy"]
    assert answer.text == "<p>the explanation</p>"
    assert "script-src 'sha256-" in policy and "form-action 'none'" in policy
    # The same text again has the same page.
    again = hand_in(mine, browser)
    mine.judge()
    assert browser.get(f"{HOME}/submissions/{again}/explanation/page").text == answer.text


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (Answer(None, "it is <b>too</b> large"), "it is &lt;b&gt;too&lt;/b&gt; large"),
        (Stalled("no end"), "it took too long"),
        (UsageError("/home/secret is away"), "could not explain it"),
    ],
    ids=["said", "stalled", "failed"],
)
def test_why_there_is_no_explanation(mine: Hall, failure: Answer | Exception, words: str) -> None:
    browser = mine.browser()
    number = hand_in(mine, browser)
    mine.judge()
    page = f"{HOME}/submissions/{number}/explanation"
    browser.post(page, data={"csrf": form_token(browser.get(page).text)})
    assert Explainer(mine.worker(), Stub(failure))(str)
    text = browser.get(page).text
    assert words in text and "secret" not in text
    # It can be asked for again, and then has nothing of the failure.
    assert browser.post(page, data={"csrf": form_token(text)}).status_code == 303
    assert "Waiting" in browser.get(page).text
    assert Explainer(mine.worker("other"), Stub(Answer("<p>now</p>")))(str)
    assert browser.get(f"{page}/page").text == "<p>now</p>"


def test_explanations_do_not_fill_the_database(mine: Hall) -> None:
    hand_in(mine, mine.browser())
    mine.judge()
    row = mine.database.submissions(PRACTICE)[0]
    old = {
        "contest": PRACTICE,
        "source_hash": row.source_hash,
        "state": "judged",
        "attempt": 1,
        "page": "old",
        "note": "",
    }
    with mine.database.writing() as connection:
        connection.execute(insert(Explanation), [{**old, "problem": f"p{number}"} for number in range(MOST_KEPT + 20)])
    mine.database.ask_explanation(row)
    question = mine.database.claim_explanation("machine")
    assert question is not None
    assert mine.database.answer_explanation("machine", question.number, question.attempt, Answer("new"))
    found = mine.database.explanation(row)
    assert found is not None and found.page == "new"
    with mine.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(Explanation)).scalar_one() == MOST_KEPT


def test_a_lost_explanation_is_tried_again_and_then_given_up(mine: Hall) -> None:
    browser, client, other = mine.browser(), mine.worker(), mine.worker("other")
    row = mine.database.submission(hand_in(mine, browser))
    mine.database.ask_explanation(row)
    first = client.question()
    assert first is not None and client.question() is None
    assert not other.answer(first, Answer("forged"))
    for _ in range(2):
        mine.pass_time(minutes=3)
        assert client.question() is not None
    assert not client.answer(first, Answer("too late"))
    mine.pass_time(minutes=3)
    assert client.question() is None
    found = mine.database.explanation(row)
    assert found is not None and found.page is None and "no end" in found.note


def test_a_contest_explains_where_its_settings_say_so(mine: Hall) -> None:
    number = mine.submit("ada")
    mine.judge()
    ada, bob = mine.signed_in("ada"), mine.signed_in("bob")
    page = f"/contests/cs149-a1/submissions/{number}/explanation"
    assert ada.get(page).status_code == 404 and "Explain what" not in ada.get(page.rpartition("/")[0]).text
    mine.change(explain=True)
    assert ada.get(page).status_code == 200 and "Explain what" in ada.get(page.rpartition("/")[0]).text
    mine.pass_time(hours=6)
    # Others' code is public now, its explanation is not.
    assert bob.get(page.rpartition("/")[0]).status_code == 200 and bob.get(page).status_code == 404
    assert bob.get(f"{page}/page").status_code == 404


def test_a_worked_submission_is_explained_by_the_process_of_gradings(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    source = (root / "problems" / "zip" / "submissions" / "accepted" / "1_simple.cu").read_text()
    process = GradingProcess(root, "emulator", tmp_path, sandboxed=False)
    try:
        question = Question(1, 1, "zip", "zip.cu", source, HOME)
        answer = process.explain(question, str)
        assert (
            answer.page is not None and "Instructions" in answer.page and f'href="{HOME}/problems/zip"' in answer.page
        )
        wrong_one = process.explain(replace(question, text=source + "\n#error"), str)
        assert wrong_one.page is None and "verdict is another" in wrong_one.note
    finally:
        process.close()


def test_the_name_of_the_practice_is_no_contests(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for ask in (lambda: write_new(workspace, PRACTICE, NOW), lambda: read_definition(workspace, PRACTICE)):
        with pytest.raises(UsageError, match="can't be called 'practice'"):
            ask()


def test_practice_has_no_end(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "contests" / "contests.db"), Clock(lambda: NOW, lambda: 0.0))
    workspace = Workspace(tmp_path)
    publish_practice(database, workspace)
    settings = settings_of(database, PRACTICE)
    assert settings == practice_settings(workspace) == settings_from_json(settings_to_json(settings), PRACTICE)
    assert settings.end is None and settings.accepts_at(NOW.replace(year=2190))
    # Published again as it is: nothing is logged.
    publish_practice(database, workspace)
    assert len(database.audits(PRACTICE)) == 1
    database.close()


def test_serve_in_a_new_workspace(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "KGRADE_USER": "me"}
    kgrade = [sys.executable, "-m", "grader"]
    folder = tmp_path / "lab"
    subprocess.run([*kgrade, "new", str(folder)], check=True, capture_output=True, env=environment)
    port = free_port()
    command = [*kgrade, "--workspace", str(folder), "serve", "--port", str(port), "--workers", "0", "--no-sandbox"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        answer = answer_of(f"http://127.0.0.1:{port}/", process)
        assert answer.headers["location"] == HOME
        assert httpx.get(f"http://127.0.0.1:{port}{HOME}").status_code == 200
        process.terminate()
        printed, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert printed == "" and f"Practice at http://127.0.0.1:{port}" in said
    elsewhere = [*command, "--host", "0.0.0.0"]
    process = subprocess.Popen(elsewhere, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        answer_of(f"http://127.0.0.1:{port}/", process)
        assert httpx.get(f"http://127.0.0.1:{port}{HOME}").status_code == 401
        process.terminate()
        printed, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert "To practise as me" in printed and "/sign-in/" in printed
