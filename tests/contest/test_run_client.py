"""`kgrade test --contest` against a real server: what is tried, what is told, and what leaves no trace."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli import run
from grader.contest.access import RUNS_OF_ONE
from grader.contest.jobs import Job, Outcome, outcome_of
from grader.contest.logins import Login, login_of, remember
from grader.contest.worker import Worker
from grader.core.errors import UsageError

from .site_samples import SLUG, Hall, accepted, wrong

TEXT = "__global__ void matrix_multiplication_kernel() {}\n"


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "my_kernel.cu"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def judged(hall: Hall) -> Iterator[list[Job]]:
    """The jobs that a worker over HTTP got; it finds the right answer for no sizes, and a wrong one else."""
    jobs: list[Job] = []

    def judge(job: Job, progress: object) -> Outcome:
        jobs.append(job)
        return outcome_of(replace(wrong() if job.sizes else accepted(), problem=job.problem, file=job.file))

    worker = Worker(hall.worker(), "gpu0", "emulator", judge, lambda: "", pause=0.05)
    thread = threading.Thread(target=worker.run)
    thread.start()
    remember(SLUG, Login(hall.address, "token-of-ada"))
    yield jobs
    worker.stop()
    thread.join()


def test_a_run_shows_the_whole_report_and_records_nothing(
    hall: Hall, judged: list[Job], kernel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hall.change(hidden_seeds=(8123,))
    assert run(["test", "matmul", kernel, "--contest", SLUG]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "accepted" in printed and "nothing was recorded" in printed
    assert run(["test", "matmul", kernel, "--contest", hall.address, "--case", "M=5,N=7,K=3", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "wrong_answer" and found["smallest"]["sizes"] and found["submission"] is None
    assert found["page"] == f"{hall.address}/contests/{SLUG}/runs/2" and found["file"] == "my_kernel.cu"
    first, second = judged
    assert (first.sizes, second.sizes) == (None, {"M": 5, "N": 7, "K": 3})
    assert (first.text, first.hidden_seed, second.hidden_seed) == (TEXT, None, None)
    assert hall.database.submissions(SLUG) == []
    # Nobody else's, and not staff's.
    assert [hall.program(who).get("/api/runs/2").status_code for who in ("ada", "bob", "tutor")] == [200, 404, 404]
    assert hall.program("bob").get("/api/runs/2/events").status_code == 404


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["conv"], "'conv' is no problem of this contest"),
        (["matmul", "--case", "M=5"], "size N is missing"),
        (["matmul", "--case", "M=-5,N=1,K=1"], "'M=-5 N=1 K=1' is no size"),
        (["matmul", "--case", "M=1,N=1,K=1", "--case", "M=2,N=1,K=1"], "--case is given 2 times"),
        (["matmul", "--seed", "5"], "--seed has no effect"),
        (["matmul", "--deadline", "5"], "--deadline has no effect"),
        (["matmul", "--problems", "set"], "--problems has no effect"),
    ],
)
def test_what_can_not_be_tried(
    hall: Hall, kernel: str, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(SLUG, Login(hall.address, "token-of-ada"))
    assert run(["test", words[0], kernel, "--contest", SLUG, *words[1:]]) == 2
    assert told in " ".join(capsys.readouterr().err.split())


def test_runs_beyond_the_limit_or_the_end_are_refused(
    hall: Hall, judged: list[Job], kernel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hall.change(per_hour=1)
    new = {"problem": "matmul", "file": "k.cu", "source": TEXT}
    ada = hall.program("ada")
    assert [ada.post("/api/runs", json=new).status_code for _ in range(RUNS_OF_ONE)] == [201] * RUNS_OF_ONE
    assert run(["test", "matmul", kernel, "--contest", SLUG]) == 2
    assert "6 runs in the last hour; this contest allows 6" in " ".join(capsys.readouterr().err.split())
    hall.change(practice_after_end=False)
    hall.pass_time(hours=6)
    assert run(["test", "matmul", kernel, "--contest", SLUG]) == 2
    assert "the contest is over\n  it ended 2026-10-01 17:00 UTC" in capsys.readouterr().err
    assert run(["test", "matmul", f"{kernel}.none", "--contest", SLUG]) == 2


def test_a_run_whose_place_was_taken_says_so(hall: Hall, kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    remember(SLUG, Login(hall.address, "token-of-ada"))
    new = {"problem": "matmul", "file": "k.cu", "source": TEXT}
    ada = hall.program("ada")

    def send_another() -> None:
        while not hall.database.runs([1]):
            time.sleep(0.05)
        ada.post("/api/runs", json=new)

    thread = threading.Thread(target=send_another)
    thread.start()
    assert run(["test", "matmul", kernel, "--contest", SLUG]) == 2
    thread.join()
    assert "a later run of yours took the place" in " ".join(capsys.readouterr().err.split())


def test_a_contest_is_found_by_its_name_and_by_an_address() -> None:
    remember("a1", Login("https://one.example.org", "t1"))
    remember("a2", Login("https://two.example.org", "t2"))
    assert login_of("a1")[1].token == login_of("https://one.example.org/contests/a1/problems/zip")[1].token == "t1"
    assert login_of("two.example.org") == ("a2", Login("https://two.example.org", "t2"))
    remember("a3", Login("https://two.example.org", "t3"))
    assert login_of("https://two.example.org/contests/a3")[0] == "a3"
    with pytest.raises(UsageError, match="several contests at https://two") as several:
        login_of("https://two.example.org")
    assert "a2 or a3" in several.value.hint
    for nowhere in ("https://three.example.org", "https://two.example.org/contests/a4", "a4"):
        with pytest.raises(UsageError, match="not signed in"):
            login_of(nowhere)
