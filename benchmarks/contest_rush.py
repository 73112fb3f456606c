"""The rush before a deadline: students submit by the HTTP API while others look at the scoreboard.

    python benchmarks/contest_rush.py                        # 1,000 students, 10,000 submissions in 10 minutes
    python benchmarks/contest_rush.py --seconds 60 --submissions 1000

The server is a process of its own on SQLite, judging is a stub that claims and finishes. Load and server share the
machine. It prints the latencies as a client sees them and checks that nothing is lost or doubled.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import socket
import statistics
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import httpx

from grader.contest.auth import hash_token
from grader.contest.database import Database
from grader.contest.jobs import Outcome
from grader.contest.listen import make_server
from grader.contest.records import NewAccount
from grader.contest.server import create_app
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.verdict import Verdict
from grader.workspace import Workspace

SLUG = "rush"
SOURCE = 'extern "C" __global__ void matrix_multiplication_kernel(const float* A) {\n' + "    // a line\n" * 80 + "}\n"
BOARDS_A_SECOND = 5.0


def prepare(folder: Path, students: int) -> None:
    for name in ("problems", "submissions"):
        (folder / name).mkdir()
    database = Database(str(folder / "contests.db"))
    now = database.now()
    settings = Settings(
        slug=SLUG,
        title="Rush",
        problems=(ContestProblem("matmul"), ContestProblem("zip")),
        start=now - timedelta(hours=1),
        end=now + timedelta(hours=1),
        per_hour=1000,
        gpu_model="emulator",
    )
    database.add_contest(SLUG, settings_to_json(settings), who="rush")
    accounts = [NewAccount(f"student {n}", token_hash=hash_token(f"token-{n}")) for n in range(students)]
    database.add_accounts(SLUG, accounts, who="rush")
    database.close()


def serve(folder: Path, listening: socket.socket) -> None:
    database = Database(str(folder / "contests.db"))
    make_server(create_app(database, Workspace(folder))).run([listening])


def judge(folder: Path) -> None:
    queue = Database(str(folder / "contests.db")).queue
    verdicts = [Verdict.ACCEPTED, Verdict.WRONG_ANSWER]
    while True:
        job = queue.claim("emulator", "stub")
        if job is None:
            time.sleep(0.05)
            continue
        queue.finish(job, Outcome(random.choice(verdicts).value, report=None))


async def rush(address: str, students: int, submissions: int, seconds: float) -> tuple[list[float], list[float], int]:
    took: list[float] = []
    boards: list[float] = []
    failed = 0
    limits = httpx.Limits(max_connections=400, max_keepalive_connections=400)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as client:

        async def submit(number: int, at: float) -> None:
            nonlocal failed
            await asyncio.sleep(at)
            who = {"authorization": f"Bearer token-{number % students}"}
            new = {"problem": "matmul", "file": "k.cu", "source": f"// {number}\n{SOURCE}", "key": str(number)}
            began = time.perf_counter()
            answer = await client.post("/api/submissions", json=new, headers=who)
            took.append(time.perf_counter() - began)
            failed += answer.status_code != 201

        async def look(at: float) -> None:
            await asyncio.sleep(at)
            who = {"authorization": f"Bearer token-{random.randrange(students)}"}
            began = time.perf_counter()
            answer = await client.get(f"/api/contests/{SLUG}/scoreboard", headers=who)
            boards.append(time.perf_counter() - began)
            assert answer.status_code == 200

        # Arrivals of a crowd: independent of each other, and of how quickly the server answers.
        times = sorted(random.uniform(0, seconds) for _ in range(submissions))
        looks = [random.uniform(0, seconds) for _ in range(int(seconds * BOARDS_A_SECOND))]
        await asyncio.gather(*(submit(n, at) for n, at in enumerate(times)), *map(look, looks))
    return took, boards, failed


def line(name: str, times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=100)
    shown = (("p50", cuts[49]), ("p99", cuts[98]), ("max", max(times)))
    return f"{name:<12} {len(times):>7,}" + "".join(f"   {word} {value * 1e3:6.1f} ms" for word, value in shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, asked.students)
        listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        context = multiprocessing.get_context("fork")
        processes = [
            context.Process(target=serve, args=(folder, listening), daemon=True),
            context.Process(target=judge, args=(folder,), daemon=True),
        ]
        for process in processes:
            process.start()
        took, boards, failed = asyncio.run(rush(address, asked.students, asked.submissions, asked.seconds))
        for process in processes:
            process.kill()
            process.join()
        database = Database(str(folder / "contests.db"))
        found = len(database.submissions(SLUG))
        database.close()
    rush_was = f"{asked.students:,} students, {asked.submissions:,} submissions in {asked.seconds:.0f} s"
    print(f"{rush_was}, {os.cpu_count()} cores")
    print(line("accepted", took))
    print(line("scoreboard", boards))
    print(f"refused or failed: {failed}; recorded: {found:,} of {asked.submissions:,}")


if __name__ == "__main__":
    main()
