"""A server's own workers: let in by a token that ends with it, gone when it is, and what they held is free again."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest

from grader.contest.client import WorkerClient
from grader.contest.database import Database
from grader.contest.jobs import Outcome
from grader.contest.own_workers import Admission, OwnWorkers
from grader.contest.records import JUDGED, QUEUED
from grader.core.errors import UsageError

from .conftest import HandClock
from .site_samples import Hall
from .test_serve_server import free_port

ROOT = Path(__file__).parents[2]


def test_own_workers_are_let_in_and_leave_no_trace(hall: Hall) -> None:
    hall.site.admission = Admission("server/here:1")
    number, changes = hall.submit("ada"), len(hall.database.audits())
    client = WorkerClient(hall.address, hall.site.admission.token)
    job = client.claim("emulator", "1")
    assert job is not None and hall.database.submission(number).worker == "server/here:1:1"
    assert client.heartbeat(job, "compiling") and client.finish(job, Outcome("rejected"))
    client.close()
    assert len(hall.database.audits()) == changes and hall.site.admission.token not in repr(hall.site.admission)


def test_the_token_of_another_server_is_none(hall: Hall) -> None:
    hall.site.admission = Admission("server/here:1")
    client = WorkerClient(hall.address, Admission("server/here:1").token)
    with pytest.raises(UsageError, match="worker's token"):
        client.claim("emulator", "1")
    client.close()


def test_what_a_killed_server_left_is_free_at_the_next_start(
    contest_database: Database, clock: HandClock, tmp_path: Path
) -> None:
    mine, others = (OwnWorkers(contest_database, tmp_path, [], port).admission.name for port in (80, 8000))
    held = [_held(contest_database, name, f"{machine}:1") for name, machine in (("ada", mine), ("bob", others))]
    for machine in (mine, others):
        contest_database.worker_seen(f"{machine}:1", "emulator", "judging")
    OwnWorkers(contest_database, tmp_path, [], 80).start()
    assert [each.name for each in contest_database.workers()] == [f"{others}:1"]
    again = contest_database.queue.claim("H200", "next")
    assert again is not None and again.submission_id == held[0] and again.attempt == 3
    assert contest_database.queue.claim("H200", "next") is None
    # A killed try is one that counts: work that kills its server does so a few times, not for ever.
    assert contest_database.submission(held[0]).tries == 2
    clock.forward(hours=2)
    OwnWorkers(contest_database, tmp_path, [], 80).start()
    assert contest_database.workers() == []


def test_what_they_hold_at_the_end_is_given_back(contest_database: Database, tmp_path: Path) -> None:
    own = OwnWorkers(contest_database, tmp_path, [], 80)
    number = _held(contest_database, "ada", f"{own.admission.name}:1")
    elsewhere = _held(contest_database, "bob", "lab-7:gpu0")
    contest_database.add_worker("server/let-in", "H200", "hash", who="prof")
    contest_database.worker_seen(f"{own.admission.name}:1", "emulator", "judging")
    own.stop()
    given_back = contest_database.submission(number)
    assert (given_back.state, given_back.tries, given_back.worker) == (QUEUED, 0, None)
    assert contest_database.submission(elsewhere).worker == "lab-7:gpu0"
    assert [each.name for each in contest_database.workers()] == ["server/let-in"]


def test_the_work_of_one_that_is_gone_is_free_at_once(contest_database: Database, tmp_path: Path) -> None:
    gone, there = (
        _held(contest_database, name, f"server/here:1:{number}") for name, number in (("ada", 1), ("bob", 11))
    )
    for number in (1, 11):
        contest_database.worker_seen(f"server/here:1:{number}", "emulator", "judging")
    contest_database.worker_ended("server/here:1:1")
    contest_database.queue.recover()
    assert contest_database.submission(gone).state == QUEUED
    assert contest_database.submission(there).worker == "server/here:1:11"
    assert [each.name for each in contest_database.workers()] == ["server/here:1:11"]


def test_a_served_contest_is_judged_and_no_worker_outlives_its_server(tmp_path: Path) -> None:
    """As processes: a worker without the database, a lease left behind, a proxy in the environment, a killed server."""
    port = free_port()
    url = str(tmp_path / "elsewhere" / "contests.db")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KGRADE_DATABASE": url}
    environment |= {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    kgrade = [sys.executable, "-m", "grader", "--workspace", str(tmp_path)]
    subprocess.run([*kgrade, "contest", "new", "c1"], check=True, capture_output=True, env=environment)
    (tmp_path / "people.csv").write_text("name,email\nada,ada@example.org\n")
    roster = [*kgrade, "contest", "roster", "c1", str(tmp_path / "people.csv")]
    subprocess.run(roster, check=True, capture_output=True, env=environment)
    database = Database(url, lease=timedelta(hours=1))
    number = database.submit(database.account_by_name("c1", "ada"), "zip", "k.cu", "not C++", gpu_model="emulator")
    assert database.queue.claim("emulator", f"server/{socket.gethostname()[:60]}:{port}:1") is not None
    command = [*kgrade, "serve", "--host", "0.0.0.0", "--port", str(port), "--workers", "1", "--device", "emulator"]
    command += ["--no-sandbox"]
    with _running(command, environment) as server:
        _wait(lambda: database.submission(number).state == JUDGED)
        assert database.submission(number).verdict == "compile_error"
        (worker,) = _workers(server.pid)
        told = Path(f"/proc/{worker}/environ").read_bytes()
        typed = Path(f"/proc/{worker}/cmdline").read_bytes()
        # The token comes by a pipe: nobody finds it in /proc.
        assert not any(word in told + typed for word in (b"KGRADE_TOKEN=", b"contests.db", b"--token\0"))
        # One that is stopped says nothing any more, and another takes its place.
        os.kill(worker, signal.SIGSTOP)
        # What it asked for last is answered by now.
        time.sleep(0.5)
        number = database.submit(database.account_by_name("c1", "ada"), "zip", "k.cu", "nor this", gpu_model="emulator")
        assert database.queue.claim("emulator", f"server/{socket.gethostname()[:60]}:{port}:1") is not None
        began = time.monotonic()
        _wait(lambda: _workers(server.pid) not in ([], [worker]))
        assert time.monotonic() - began < 30 and not Path(f"/proc/{worker}").exists()
        # Its work is judged without waiting for its lease.
        _wait(lambda: database.submission(number).state == JUDGED)
        (worker,) = _workers(server.pid)
        server.kill()
        _wait(lambda: not Path(f"/proc/{worker}").exists())
    with _running(command, environment) as server:
        _wait(lambda: len(_workers(server.pid)) == 1)
        (worker,) = _workers(server.pid)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0 and not Path(f"/proc/{worker}").exists()
    # The first link of who runs the server is renewed, and no worker is let in.
    known = {"contest added", "account added", "sign-in renewed"}
    assert database.workers() == [] and {each.what for each in database.audits()} == known
    database.close()


def _held(database: Database, account: str, worker: str) -> int:
    """A submission that `worker` is at."""
    number = database.submit(
        database.account_by_name("c1", account), "matmul", "k.cu", f"// {worker}", gpu_model="H200"
    )
    job = database.queue.claim("H200", worker)
    assert job is not None and job.submission_id == number
    return number


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _workers(server: int) -> list[int]:
    """Its children that judge: for a moment it has others, which try the sandbox."""
    found = []
    for child in _children(server):
        with suppress(FileNotFoundError, ProcessLookupError):
            if b"worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def _children(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(parent):
                found.append(int(folder.name))
    return found


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.1)
