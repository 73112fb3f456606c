"""`kgrade serve` as a process: it brings the contests' files into the database, answers, and ends when told to."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx
import pytest

from grader.commands.serve import _devices, _warn_of_others
from grader.contest.client import StudentClient
from grader.contest.clock import Clock
from grader.contest.database import Database
from grader.contest.listen import bound_socket
from grader.contest.server import _watch_clock
from grader.contest.turn import stand_in
from grader.core.errors import UsageError

from .site_samples import open_hall


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def answer_of(address: str, process: "subprocess.Popen[str]") -> httpx.Response:
    """The first answer; nobody listens at first."""
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        with suppress(httpx.TransportError):
            return httpx.get(address)
        time.sleep(0.1)
    pytest.fail(f"the server does not answer; it ended with {process.poll()}")


def test_a_new_contest_is_served(tmp_path: Path) -> None:
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    kgrade = [sys.executable, "-m", "grader", "--workspace", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([*kgrade, "contest", "new", "cs149-a1"], check=True, capture_output=True, env=environment)
    port = free_port()
    command = [*kgrade, "serve", "--port", str(port), "--workers", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        answer = answer_of(f"http://127.0.0.1:{port}/", process)
        assert answer.status_code == 200 and "/contests/cs149-a1" in answer.text
        process.send_signal(signal.SIGTERM)
        printed, said = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert printed.startswith("cs149-a1: cs149-a1, ") and f"http://127.0.0.1:{port}" in said


def test_live_pages_end_with_the_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []
    with open_hall(tmp_path) as hall:

        async def first() -> None:
            done.append("first")
            hall.site.end_streams()

        hall.server.first = first
        number = hall.submit("ada")
        client = StudentClient(hall.address, "token-of-ada")
        events = client.events(f"/api/submissions/{number}/events")
        assert next(events)[0] == "progress"
        hall.server.should_exit = True
        assert list(events) == []
        client.close()
    # With a stream that is open, uvicorn waits in vain and prints where it was.
    assert done == ["first"] and caplog.text == ""


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} can't be listened on"):
            bound_socket("127.0.0.1", port)


def test_an_address_that_is_none() -> None:
    with pytest.raises(UsageError, match="no address of this machine"):
        bound_socket("no.such.host.invalid", 8000)


@pytest.mark.parametrize(("workers", "devices"), [(None, ["emulator"]), (3, ["emulator"] * 3), (0, [])])
def test_what_the_workers_judge_on(workers: int | None, devices: list[str]) -> None:
    assert _devices("emulator", workers) == devices


def test_a_second_server_on_one_file_is_told_of_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Database(str(tmp_path / "contests.db"))) as store:
        first, alone = stand_in(tmp_path / "contests.db")
        assert alone
        _warn_of_others(store)
        assert f"another server serves {tmp_path / 'contests.db'} already" in capsys.readouterr().err
        os.close(first)
        _warn_of_others(store)
        assert capsys.readouterr().err == ""


def test_a_clock_that_is_set_back_is_said(caplog: pytest.LogCaptureFixture) -> None:
    wall = [datetime(2026, 10, 1, 12, tzinfo=timezone.utc)]
    clock = Clock(lambda: wall[0], lambda: 0.0)
    wall[0] -= timedelta(minutes=2)
    asyncio.run(asyncio.wait_for(_watch_clock(clock), 5))
    assert "this machine's clock was set back by 120 seconds" in caplog.text
