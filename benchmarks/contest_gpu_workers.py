"""Measures whether judging scales with the GPUs of one machine, and whether kernel times stay those of a lone worker.

    python benchmarks/contest_gpu_workers.py                    # every GPU of this machine
    python benchmarks/contest_gpu_workers.py --each 12 --alone 4
    python benchmarks/contest_gpu_workers.py --devices emulator emulator

First one worker judges alone on each device in turn, then all at once. Workers are `kgrade worker` processes of one
server. All submissions are the same kernel with different comments, so that none is cached. It measures the time from
the first claim to the last result, without self-tests, and for each device the median time of its submissions, alone
and with the others running.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from math import exp, log
from pathlib import Path
from statistics import mean, median

from sqlalchemy import select

from grader.contest.auth import hash_token
from grader.contest.database import Database
from grader.contest.listen import bound_socket, make_server
from grader.contest.own_workers import Admission
from grader.contest.records import JUDGED, NewAccount
from grader.contest.schema import Judging
from grader.contest.server import create_app
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.machine.gpus import find_gpus
from grader.run.devices import choose_device
from grader.store.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parent.parent
SLUG, PROBLEM = "workers", "matmul"
KERNEL = REPOSITORY / "problems" / PROBLEM / "submissions" / "accepted" / "6_vectorised.cu"
LONGEST_SECONDS = 400.0


class Contest:
    """A contest with one problem in its own workspace, its server in a thread, and its workers."""

    def __init__(self, folder: Path, gpu_model: str) -> None:
        for name in ("problems", "submissions"):
            (folder / name).mkdir()
        self._folder = folder
        self._database = Database(str(folder / "contests.db"))
        now = self._database.now()
        settings = Settings(
            slug=SLUG,
            title="Workers",
            problems=(ContestProblem(PROBLEM),),
            start=now - timedelta(hours=1),
            end=now + timedelta(hours=1),
            per_hour=10_000,
            gpu_model=gpu_model,
        )
        self._database.add_contest(SLUG, settings_to_json(settings), who="benchmark")
        people = [NewAccount(f"student {n}", token_hash=hash_token(f"token-{n}")) for n in range(8)]
        self._database.add_accounts(SLUG, people, who="benchmark")
        self._accounts = self._database.accounts(SLUG)
        self._submitted = 0
        self._admission = Admission("server/benchmark")
        self._listening = bound_socket("127.0.0.1", 0)
        self._server = make_server(create_app(self._database, Workspace(folder), self._admission))
        self._thread = threading.Thread(target=self._server.run, args=([self._listening],))
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._database.close()

    def judge(self, devices: Sequence[str], count: int) -> tuple[float, dict[str, list[float]]]:
        """Judges `count` submissions; returns submissions per minute, and the times in seconds by device."""
        numbers = [self._submit() for _ in range(count)]
        with ExitStack() as opened:
            workers = [self._start(f"{number} {device}", device) for number, device in enumerate(devices)]
            for worker in workers:
                opened.callback(_end, worker)
            rows = self._judged(numbers, workers)
        began, ended = min(row[1] for row in rows), max(row[2] for row in rows)
        times: dict[str, list[float]] = defaultdict(list)
        for worker, _, _, report in rows:
            times[worker.partition(" ")[2]].append(_time_of(report))
        return 60 * count / (ended - began).total_seconds(), dict(times)

    def _submit(self) -> int:
        self._submitted += 1
        text = f"// {self._submitted}\n{KERNEL.read_text()}"
        account = self._accounts[self._submitted % len(self._accounts)]
        return self._database.submit(account, PROBLEM, KERNEL.name, text)

    def _start(self, name: str, device: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "grader", "--workspace", str(self._folder), "worker", "--name", name]
        command += ["--device", device, "--server", f"http://127.0.0.1:{self._listening.getsockname()[1]}"]
        process = subprocess.Popen([*command, "--token-file", "-"], stdin=subprocess.PIPE, cwd=REPOSITORY)
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(f"{self._admission.token}\n".encode())
        return process

    def _judged(
        self, numbers: Sequence[int], workers: Sequence[subprocess.Popen[bytes]]
    ) -> list[tuple[str, datetime, datetime, str]]:
        """Waits until all are judged; returns worker, start, end and report of each."""
        wanted = select(Judging.worker, Judging.started, Judging.finished, Judging.report)
        wanted = wanted.where(Judging.submission_id.in_(numbers), Judging.state == JUDGED)
        until = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < until and all(worker.poll() is None for worker in workers):
            with self._database.reading() as connection:
                rows = [tuple(row) for row in connection.execute(wanted)]
            if len(rows) == len(numbers):
                return rows
            time.sleep(0.2)
        sys.exit(f"{len(rows)} of {len(numbers)} were judged; a worker ended, or {LONGEST_SECONDS:.0f} s were over")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(30)


def _time_of(report: str) -> float:
    """The geometric mean of a submission's times over its sizes; on the emulator, the grading's seconds."""
    told = json.loads(report)
    if told["verdict"] != "accepted":
        sys.exit(f"{told['verdict']}: {told['headline']}")
    if told["measurement"] is None:
        return float(told["seconds"])
    return exp(mean(log(size["time"]["value"]) for size in told["measurement"]["sizes"]))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--devices", nargs="+", help="as --device names them; every GPU where none is given")
    arguments.add_argument("--each", type=int, default=10, help="submissions for each worker when all work")
    arguments.add_argument("--alone", type=int, default=3, help="submissions for a worker that is alone")
    given = arguments.parse_args()
    devices = given.devices or [f"gpu:{number}" for number in range(len(find_gpus()))]
    if not devices:
        sys.exit("there is no NVIDIA GPU here; --devices emulator emulator tries it without")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        contest = opened.enter_context(closing(Contest(Path(folder), choose_device(devices[0]).name)))
        alone: dict[str, float] = {}
        rates = []
        for device in dict.fromkeys(devices):
            # The first device's rate is the one that the others' is compared with.
            rate, times = contest.judge([device], given.each if not rates else given.alone)
            rates.append(rate)
            alone[device] = median(times[device])
            print(f"{device} alone: {rate:.2f} submissions a minute, {alone[device] * 1e6:.3f} µs", flush=True)
        together, times = contest.judge(devices, given.each * len(devices))
    print(f"{len(devices)} at once: {together:.2f} submissions a minute, {together / rates[0]:.2f} times one worker's")
    for device, found in times.items():
        change = median(found) / alone[device] - 1
        print(f"  {device}: {len(found)} submissions, {median(found) * 1e6:.3f} µs, {change:+.3%} of alone")


if __name__ == "__main__":
    main()
