"""The rush before a deadline: students submit by the HTTP API while others look at the scoreboard.

    python benchmarks/contest_rush.py                        # 1,000 students, 10,000 submissions in 10 minutes
    python benchmarks/contest_rush.py --seconds 60 --submissions 1000 --before 9000
    python benchmarks/contest_rush.py --database postgresql
    python benchmarks/contest_rush.py --students 100 --submissions 200 --seconds 120 --pages 10

With `--pages N` students look N times a second at a page in the browser too: the contest's, a problem's, the
scoreboard, a submission's with its report. It then fails, too, where one page in a hundred is slower than asked.

Students come when they come, however long the server takes with those before them, and what they wait is counted from
the moment at which they meant to send: a server that stands still for a second keeps everybody of that second waiting.
Each request is a connection of its own, as `kgrade submit` makes it. The server and its worker are processes as
`kgrade serve` starts them, the worker asks the server by HTTP, the judge is a stub; load, server and worker share the
machine. It ends with an error when anything is lost or doubled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from postgres_server import INSTALL, PostgresServer, find_programs
from sqlalchemy import insert

from grader.contest.auth import hash_token
from grader.contest.client import WorkerClient
from grader.contest.database import Database
from grader.contest.jobs import Job, Outcome, outcome_of
from grader.contest.listen import bound_socket, make_server
from grader.contest.own_workers import Admission
from grader.contest.records import JUDGED, NewAccount
from grader.contest.schema import Judging, Source, Submission
from grader.contest.server import create_app
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.contest.worker import Worker
from grader.core.report import CaseResult, Report
from grader.core.verdict import Form, Verdict
from grader.store.workspace import Workspace

SLUG, PROBLEMS, MODEL = "rush", ("matmul", "zip"), "emulator"
BOARDS_A_SECOND = 5.0
SLOWEST_PAGE = 0.25
"""Seconds within which 99 % of pages have to be there."""
HOME = f"/contests/{SLUG}"
PAGES = ("contest", "problem", "scoreboard", "report")
BODY = "__global__ void kernel(const float* A) {\n" + "    // a line\n" * 80 + "}\n"
WORKERS = Admission("server/rush")
CASES = 12
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """Seconds from when a student meant to send until the answer was there; the numbers that were answered."""

    accepted: list[float] = field(default_factory=list)
    boards: list[float] = field(default_factory=list)
    pages: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in PAGES})
    numbers: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """How late this program sent its requests; if that is much, it is itself too slow."""


def prepare(folder: Path, url: str, students: int, before: int) -> None:
    for name in ("problems", "submissions"):
        (folder / name).mkdir()
    database = Database(url)
    now = database.now()
    settings = Settings(
        slug=SLUG,
        title="Rush",
        problems=tuple(ContestProblem(name) for name in PROBLEMS),
        start=now - timedelta(days=1),
        end=now + timedelta(hours=1),
        per_hour=1000,
        gpu_model=MODEL,
    )
    database.add_contest(SLUG, settings_to_json(settings), who="rush")
    people = [NewAccount(f"student {n}", token_hash=hash_token(f"token-{n}")) for n in range(students)]
    database.add_accounts(SLUG, people, who="rush")
    for account in database.accounts(SLUG):
        database.add_session(account, hash_token(f"session-{account.name.split()[1]}"))
    fill(database, before)
    database.close()


def fill(database: Database, count: int) -> None:
    """Records judged submissions, in one transaction."""
    accounts, now = database.accounts(SLUG), database.now()
    with database.writing() as connection:
        for number in range(count):
            text = source_of(-1 - number)
            digest = sha256(text.encode()).hexdigest()
            connection.execute(insert(Source).values(hash=digest, text=text))
            submitted = now - timedelta(hours=3) + timedelta(seconds=number / 2)
            new = {"contest": SLUG, "account_id": accounts[number % len(accounts)].id, "file": "k.cu"}
            new |= {"problem": random.choice(PROBLEMS), "source_hash": digest, "submitted": submitted}
            row = insert(Submission).values(**new, late_seconds=0, practice=False).returning(Submission.id)
            verdict = "accepted" if number % 3 else "wrong_answer"
            done = {"submission_id": connection.execute(row).scalar_one(), "state": JUDGED, "verdict": verdict}
            done |= {"attempt": 1, "turn": 0, "tries": 1, "gpu_model": MODEL, "queued": submitted}
            done |= {"started": submitted, "finished": submitted, "progress": "", "active": True}
            connection.execute(insert(Judging).values(**done))


def source_of(number: int) -> str:
    return f"// {number}\n{BODY}"


def stub(job: Job, progress: object) -> Outcome:
    """A verdict with a report of as many cases as a grading has."""
    verdict = Verdict.ACCEPTED if sha256(job.text.encode()).digest()[0] % 2 else Verdict.WRONG_ANSWER
    cases = tuple(CaseResult({"M": n, "N": n, "K": n}, "uniform", n, verdict) for n in range(1, CASES + 1))
    made = Report(
        problem=job.problem,
        title=job.problem,
        form=Form.KERNEL,
        device=MODEL,
        user=job.account,
        file=job.file,
        source=job.text,
        source_hash="",
        submitted="",
        seed=1,
        verdict=verdict,
        headline="The judge is a stub",
        cases=cases,
    )
    return outcome_of(made)


def serve(folder: Path, url: str, listening: socket.socket) -> None:
    app = create_app(Database(url), Workspace(folder), WORKERS)
    app.state.site.warm()
    make_server(app).run([listening])


def work(port: int, number: int) -> None:
    client = WorkerClient(f"http://127.0.0.1:{port}", WORKERS.token)
    Worker(client, str(number), MODEL, stub, lambda: "").run()


async def ask(port: int, head: str, body: str = "") -> tuple[int, bytes]:
    """Sends one request on a separate connection; returns the status and the body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = body.encode()
    fields = f"host: rush\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {len(data)}"
    writer.write(f"{head}\r\n{fields}\r\n\r\n".encode() + data)
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]


async def rush(port: int, students: int, submissions: int, seconds: float, pages: float) -> Seen:
    seen, began = Seen(), time.perf_counter() + 0.5
    handed_in: list[tuple[int, int]] = []

    async def sent_at(moment: float) -> None:
        await asyncio.sleep(moment - time.perf_counter())
        seen.late.append(time.perf_counter() - moment)

    async def submit(number: int, moment: float) -> None:
        new = {"problem": random.choice(PROBLEMS), "file": "k.cu", "source": source_of(number), "key": str(number)}
        await sent_at(moment)
        head = f"POST /api/submissions HTTP/1.1\r\nauthorization: Bearer token-{number % students}"
        status, answer = await ask(port, head, json.dumps(new))
        seen.accepted.append(time.perf_counter() - moment)
        if status == 201:
            seen.numbers.append(json.loads(answer)["id"])
            handed_in.append((seen.numbers[-1], number % students))
        else:
            seen.refused.append(f"{status} {answer[:200]!r}")

    async def look(moment: float) -> None:
        await sent_at(moment)
        student = random.randrange(students)
        head = f"GET /api/contests/{SLUG}/scoreboard HTTP/1.1\r\nauthorization: Bearer token-{student}"
        status, answer = await ask(port, head)
        seen.boards.append(time.perf_counter() - moment)
        if status != 200:
            seen.refused.append(f"{status} {answer[:200]!r}")

    async def read(kind: str, moment: float) -> None:
        """Looks at a page as a browser that is signed in."""
        await sent_at(moment)
        student = random.randrange(students)
        path = {"contest": "", "problem": f"/problems/{random.choice(PROBLEMS)}", "scoreboard": "/scoreboard"}.get(kind)
        if path is None:
            if not handed_in:
                return
            number, student = random.choice(handed_in)
            path = f"/submissions/{number}"
        head = f"GET {HOME}{path} HTTP/1.1\r\ncookie: kgrade_session=session-{student}"
        status, answer = await ask(port, head)
        seen.pages[kind].append(time.perf_counter() - moment)
        if status != 200 or not answer.rstrip().endswith(b"</html>"):
            seen.refused.append(f"{kind}: {status} {answer[:200]!r}")

    # Arrivals of a crowd: independent of each other.
    times = sorted(began + random.uniform(0, seconds) for _ in range(submissions))
    looks = [began + random.uniform(0, seconds) for _ in range(int(seconds * BOARDS_A_SECOND))]
    reads = [(random.choice(PAGES), began + random.uniform(0, seconds)) for _ in range(int(seconds * pages))]
    await asyncio.gather(
        *(submit(n, at) for n, at in enumerate(times)), *map(look, looks), *(read(*each) for each in reads)
    )
    return seen


def cpu_seconds(pid: int | None) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wait_until_judged(database: Database) -> None:
    """Waits until nothing is queued any more, at most a minute."""
    deadline = time.monotonic() + 60
    while database.submissions(SLUG, state="queued", limit=1) and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(0.5)


def check(database: Database, seen: Seen, before: int) -> list[str]:
    """Returns what is wrong at the end."""
    found = {row.id: row for row in database.submissions(SLUG)}
    wrong = [f"refused or failed: {each}" for each in seen.refused[:5]]
    wrong += [f"submission {number} was confirmed and is lost" for number in seen.numbers if number not in found]
    if len(found) != len(seen.numbers) + before:
        wrong.append(f"{len(found):,} on record, {len(seen.numbers):,} were confirmed and {before:,} there before")
    if len(set(seen.numbers)) != len(seen.numbers):
        wrong.append("two requests were answered with one number")
    unjudged = sum(row.state != JUDGED for row in found.values())
    if unjudged:
        wrong.append(f"{unjudged:,} are not judged")
    return wrong


def line(name: str, times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=100)
    shown = (("p50", cuts[49]), ("p90", cuts[89]), ("p99", cuts[98]), ("max", max(times)))
    return f"{name:<17} {len(times):>7,}" + "".join(f"   {word} {value * 1e3:6.1f} ms" for word, value in shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--before", type=int, default=0, help="submissions that are on record when the rush begins")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pages", type=float, default=0.0, help="pages a second that students look at")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    asked = parser.parse_args()
    # The user of a PostgreSQL that root starts must reach its folder, and the socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="rush-", ignore_cleanup_errors=True) as name, ExitStack() as opened:
        folder = Path(name)
        folder.chmod(0o755)
        url = str(folder / "contests.db")
        if asked.database == "postgresql":
            programs = find_programs()
            if programs is None:
                raise SystemExit(f"PostgreSQL is not installed; {INSTALL}")
            postgres = PostgresServer(folder / "postgres", programs)
            opened.callback(postgres.kill)
            url = postgres.url
        prepare(folder, url, asked.students, asked.before)
        listening = opened.enter_context(bound_socket("127.0.0.1", 0))
        port = listening.getsockname()[1]
        context = multiprocessing.get_context("fork")
        server = context.Process(target=serve, args=(folder, url, listening), daemon=True)
        workers = [context.Process(target=work, args=(port, n), daemon=True) for n in range(asked.workers)]
        for process in (server, *workers):
            process.start()
            opened.callback(process.join)
            opened.callback(process.kill)
        time.sleep(3)
        spent = [cpu_seconds(process.pid) for process in (server, *workers)]
        seen = asyncio.run(rush(port, asked.students, asked.submissions, asked.seconds, asked.pages))
        spent = [cpu_seconds(process.pid) - b for process, b in zip((server, *workers), spent, strict=True)]
        database = Database(url)
        opened.callback(database.close)
        wait_until_judged(database)
        wrong = check(database, seen, asked.before)
    rush_was = f"{asked.students:,} students, {asked.submissions:,} submissions in {asked.seconds:.0f} s"
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{rush_was}, {asked.before:,} before, {asked.database}, {machine}")
    print(line("accepted", seen.accepted))
    print(line("scoreboard", seen.boards))
    pages = [seconds for kind in PAGES for seconds in seen.pages[kind]]
    for kind in PAGES if pages else ():
        print(line(f"page: {kind}", seen.pages[kind]))
    slowest = statistics.quantiles(pages, n=100)[98] if pages else 0.0
    if pages:
        print(line("all pages", pages) + f"   asked: 99 % within {SLOWEST_PAGE * 1e3:.0f} ms")
    print(line("sent late by", seen.late))
    print(f"computing: server {spent[0] / asked.seconds:.0%} of a core, workers {sum(spent[1:]) / asked.seconds:.0%}")
    for each in wrong:
        print(each, file=sys.stderr)
    print(
        f"confirmed {len(seen.numbers):,}, refused {len(seen.refused):,}, lost {'none' if not wrong else 'see above'}"
    )
    return bool(wrong) or slowest > SLOWEST_PAGE


if __name__ == "__main__":
    sys.exit(main())
