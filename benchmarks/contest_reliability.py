"""Kills a contest's server, workers and database at random with SIGKILL, and checks that nothing is lost.

    pip install '.[server]' && python benchmarks/contest_reliability.py --database sqlite
    python benchmarks/contest_reliability.py --database postgresql

Students and workers ask the server by the HTTP API; students ask again with the same key while no answer comes. The
judge is a stub of 0.15 seconds; everything else is what a contest runs. SQLite has no process of its own: its kill
takes server and all workers at one moment. Some workers are also stopped for longer than their lease and then go on,
with a result that must not count any more. docs/reliability.md says what was seen.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx
from postgres_server import INSTALL, PostgresServer, find_programs

from grader.contest.database import Database
from grader.contest.jobs import Claim, Job, Outcome
from grader.contest.records import JUDGED, NewAccount
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.core.errors import KgradeError
from grader.store.workspace import Workspace, builtin_folder

SLUG, PROBLEM, MODEL = "crash", "matmul", "emulator"
STUDENTS = 40
WORKER_TOKEN = "token-of-the-workers"
LEASE = timedelta(seconds=3)
JUDGE_SECONDS = 0.15
SECONDS_A_KILL = 1.5
"""Average time between kills; a process takes about as long to restart on a busy machine."""

PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["grader.contest.server", "grader.contest.worker", "psycopg", "uvicorn"])


@dataclass
class Seen:
    """What the students and the killer observed."""

    answers: dict[str, int] = field(default_factory=dict)
    """Request key → number of the submission."""
    asked_again: int = 0
    seconds: list[float] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)


def serve(url: str, root: str, port: int) -> None:
    import logging

    import uvicorn

    from grader.contest.server import create_app

    # The experiment makes the database unavailable on purpose.
    logging.disable()
    database = _database_when_there(url)
    uvicorn.run(create_app(database, Workspace(Path(root))), host="127.0.0.1", port=port, log_level="critical")


def work(port: int, name: str, ledger: str) -> None:
    import logging

    from grader.contest.client import WorkerClient
    from grader.contest.worker import Worker

    logging.disable()
    source: Any = _Noting(WorkerClient(f"http://127.0.0.1:{port}", WORKER_TOKEN), ledger)
    Worker(source, name, MODEL, _stub, lambda: "", pause=0.05, beat=0.5).run()


def _database_when_there(url: str) -> Database:
    while True:
        try:
            return Database(url, lease=LEASE)
        except KgradeError:  # noqa: PERF203 (that it fails is the point)
            time.sleep(0.1)


def expected(text: str) -> str:
    """The stub's verdict on a text, which the final check computes again."""
    return "accepted" if sha256(text.encode()).digest()[0] % 2 else "wrong_answer"


def _stub(job: Job, progress: Any) -> Outcome:
    for step in ("compiling", "case 1 of 2", "case 2 of 2"):
        progress(step)
        time.sleep(random.uniform(0.3, 1.7) * JUDGE_SECONDS / 3)
    # The score carries the attempt, so that a result of a different attempt shows.
    return Outcome(expected(job.text), score=float(job.attempt))


class _Noting:
    """A source of work, and a line in a file for each result that was said to count."""

    def __init__(self, source: Any, ledger: str) -> None:
        self._source = source
        self._file = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        counted = self._source.finish(job, outcome)
        os.write(self._file, f"{job.judging_id} {job.attempt} {int(counted)}\n".encode())
        return bool(counted)


class Site:
    """The processes of one contest, and how they are killed and started again."""

    def __init__(self, folder: Path, url: str, workers: int, postgres: PostgresServer | None) -> None:
        self.folder, self.url, self.postgres = folder, url, postgres
        self.ledger = str(folder / "ledger")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._names = iter(range(1_000_000))
        self.server = self._serve()
        self.workers = [self._work() for _ in range(workers)]

    def _serve(self) -> BaseProcess:
        return self._start(serve, self.url, str(self.folder), self.port)

    def _work(self) -> BaseProcess:
        return self._start(work, self.port, f"worker-{next(self._names)}", self.ledger)

    def _start(self, target: Any, *arguments: Any) -> BaseProcess:
        process = PROCESSES.Process(target=target, args=arguments, daemon=True)
        process.start()
        return process

    def hit(self, what: str, rng: random.Random) -> None:
        """Kills a part and starts it again; "pause" stops a worker for longer than its lease instead."""
        if what == "worker":
            number = rng.randrange(len(self.workers))
            _kill(self.workers[number])
            self.workers[number] = self._work()
        elif what == "server":
            _kill(self.server)
            self.server = self._serve()
        elif what == "pause":
            self._pause(rng.choice(self.workers))
        elif self.postgres is not None:
            self.postgres.kill()
            self.postgres.start()
        else:
            everything = [self.server, *self.workers]
            for process in everything:
                os.kill(process.pid or 0, signal.SIGKILL)
            for process in everything:
                process.join()
            self.server, self.workers = self._serve(), [self._work() for _ in self.workers]

    def _pause(self, worker: BaseProcess) -> None:
        os.kill(worker.pid or 0, signal.SIGSTOP)

        def go_on() -> None:
            with suppress(ProcessLookupError):
                os.kill(worker.pid or 0, signal.SIGCONT)

        timer = threading.Timer(1.5 * LEASE.total_seconds(), go_on)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        for process in (self.server, *self.workers):
            _kill(process)
        if self.postgres is not None:
            self.postgres.kill()


def _kill(process: BaseProcess) -> None:
    process.kill()
    process.join()


def students(site: Site, count: int, seen: Seen, seconds: float) -> list[threading.Thread]:
    """Threads that submit `count` files, spread over `seconds`."""
    began, numbers, lock = time.monotonic(), iter(range(count)), threading.Lock()

    def submit() -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{site.port}", timeout=5.0) as client:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                time.sleep(max(0.0, began + seconds * number / count - time.monotonic()))
                _submit_until_answered(client, number, seen, lock)

    threads = [threading.Thread(target=submit, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    return threads


def text_of(number: int) -> str:
    return f"__global__ void matrix_multiplication_kernel() {{ /* {number} */ }}\n"


def _submit_until_answered(client: httpx.Client, number: int, seen: Seen, lock: threading.Lock) -> None:
    key = f"key-{number}"
    body = {"problem": PROBLEM, "file": f"{number}.cu", "source": text_of(number), "key": key}
    headers = {"authorization": f"Bearer token-{number % STUDENTS}"}
    began = time.monotonic()
    while True:
        try:
            answer = client.post("/api/submissions", json=body, headers=headers)
            if answer.status_code == 201:
                break
            if answer.status_code < 500:
                raise RuntimeError(f"refused: {answer.status_code} {answer.text[:500]}")
        except httpx.TransportError:
            pass
        with lock:
            seen.asked_again += 1
        time.sleep(0.1)
    with lock:
        seen.answers[key] = answer.json()["id"]
        seen.seconds.append(time.monotonic() - began)


def make_contest(url: str) -> None:
    now = datetime.now(timezone.utc)
    settings = Settings(
        slug=SLUG,
        title="Crash",
        problems=(ContestProblem(PROBLEM),),
        start=now - timedelta(hours=1),
        end=now + timedelta(days=1),
        per_hour=10_000,
        gpu_model=MODEL,
    )
    database = Database(url)
    database.add_contest(SLUG, settings_to_json(settings), who="benchmark")
    accounts = [
        NewAccount(f"student-{n}", token_hash=sha256(f"token-{n}".encode()).hexdigest()) for n in range(STUDENTS)
    ]
    database.add_accounts(SLUG, accounts, who="benchmark")
    database.add_worker("crash", MODEL, sha256(WORKER_TOKEN.encode()).hexdigest(), who="benchmark")
    database.close()


def check(url: str, count: int, seen: Seen, ledger: Path) -> tuple[list[str], dict[str, Any]]:
    """Returns what is wrong at the end, and the figures."""
    database = Database(url)
    rows = database.submissions(SLUG)
    judgings = database.judgings(contest=SLUG)
    sources = database.sources(SLUG)
    wrong = []
    numbers = [row.id for row in rows]
    if len(numbers) != count or len(set(numbers)) != count:
        wrong.append(f"{len(numbers)} rows on the board, {len(set(numbers))} different ones; {count} were submitted")
    if sorted(seen.answers.values()) != sorted(numbers):
        wrong.append("the numbers that were answered are not those on record")
    if len(judgings) != count:
        wrong.append(f"{len(judgings)} judgings for {count} submissions")
    by_number = {row.id: row for row in rows}
    for key, number in seen.answers.items():
        row = by_number.get(number)
        text = text_of(int(key.removeprefix("key-")))
        if row is None or sources[row.source_hash] != text:
            wrong.append(f"{key}: lost or changed")
        elif row.state != JUDGED or row.verdict not in (expected(text), "internal_error"):
            wrong.append(f"{key}: {row.state} {row.verdict}")
        elif row.verdict != "internal_error" and row.score != row.attempt:
            wrong.append(f"{key}: the result of attempt {row.score} counts, the last one was {row.attempt}")
    counted: dict[int, set[int]] = {}
    refused = 0
    for line in ledger.read_text().splitlines():
        judging, attempt, yes = map(int, line.split())
        refused += not yes
        if yes:
            counted.setdefault(judging, set()).add(attempt)
    wrong += [f"judging {number} counted {len(each)} times" for number, each in counted.items() if len(each) > 1]
    if database.address.path is not None:
        with sqlite3.connect(database.address.path) as connection:
            (answer,) = connection.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            wrong.append(f"SQLite: {answer}")
    waits = sorted(seen.seconds)
    figures = {
        "submissions": count,
        "on record": len(rows),
        "judged": sum(row.state == JUDGED for row in rows),
        "lost": count - len(rows),
        "counted twice": sum(len(each) > 1 for each in counted.values()),
        "kills": dict(seen.kills),
        "requests repeated": seen.asked_again,
        "judged in the 1st, 2nd, … try": [
            sum(row.tries == n for row in rows) for n in range(1, max((row.tries for row in rows), default=1) + 1)
        ],
        "internal errors": sum(row.verdict == "internal_error" for row in rows),
        "late results refused": refused,
        "answer, median s": round(waits[len(waits) // 2], 3),
        "answer, longest s": round(waits[-1], 3),
    }
    database.close()
    return wrong, figures


def experiment(
    folder: Path, kind: str, count: int, kills: int, pauses: int, workers: int, seed: int
) -> tuple[list[str], dict[str, Any]]:
    rng, seen = random.Random(seed), Seen()
    # The problems of kgrade itself are found without any in the workspace.
    (folder / "problems").mkdir()
    (folder / "submissions").mkdir()
    assert (builtin_folder("problems") / PROBLEM).is_dir()
    with ExitStack() as opened:
        postgres = None
        if kind == "postgresql":
            programs = find_programs()
            if programs is None:
                raise SystemExit(f"PostgreSQL is not installed; {INSTALL}")
            postgres = PostgresServer(folder / "postgres", programs)
            opened.callback(postgres.kill)
        url = postgres.url if postgres else str(folder / "contests.db")
        make_contest(url)
        began = time.monotonic()
        site = Site(folder, url, workers, postgres)
        opened.callback(site.close)
        seconds = max(2.0, SECONDS_A_KILL * (kills + pauses))
        threads = students(site, count, seen, seconds)
        todo = ["pause"] * pauses + rng.choices(["worker", "server", "database"], [5, 3, 2], k=kills)
        rng.shuffle(todo)
        moments = sorted(rng.uniform(0.3, seconds) for _ in todo)
        for what, moment in zip(todo, moments, strict=True):
            time.sleep(max(0.0, began + moment - time.monotonic()))
            site.hit(what, rng)
            seen.kills[what] += 1
        for thread in threads:
            thread.join(300)
        _wait_until_judged(url, count)
        wrong, figures = check(url, count, seen, Path(site.ledger))
        wrong += [
            f"{process.name} ended by itself" for process in (site.server, *site.workers) if not process.is_alive()
        ]
        return wrong, {"database": kind, **figures, "seconds": round(time.monotonic() - began, 1), "seed": seed}


def _wait_until_judged(url: str, count: int) -> None:
    """Until all is judged, or nothing more was for a minute, many leases long. What two kills met is held for staff."""
    database, done, changed = Database(url), -1, time.monotonic()
    while done < count and time.monotonic() < changed + 60:
        with suppress(KgradeError):
            database.queue.judge_again([each.submission_id for each in database.held(SLUG)], "staff")
            judged = len(database.submissions(SLUG, state=JUDGED))
            if judged != done:
                done, changed = judged, time.monotonic()
        time.sleep(0.2)
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--submissions", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pauses", type=int, default=10, help="workers that are stopped for longer than their lease")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgrade-") as name:
        Path(name).chmod(0o755)
        wrong, figures = experiment(
            Path(name),
            chosen.database,
            chosen.submissions,
            chosen.kills,
            chosen.pauses,
            chosen.workers,
            chosen.seed,
        )
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    for each in wrong:
        print("WRONG:", each)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
