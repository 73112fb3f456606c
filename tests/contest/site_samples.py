"""A site with a contest, students, staff and a stub in place of the judge, for the tests of server and client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
from boards.samples import NAIVE, REPORTS, TRITON

from grader.contest.auth import hash_token
from grader.contest.client import WorkerClient
from grader.contest.clock import Clock
from grader.contest.jobs import Job, outcome_of
from grader.contest.limits import Patience
from grader.contest.listen import CourteousServer, bound_socket, make_server
from grader.contest.practice import owner_of, publish_practice
from grader.contest.provider import SignIn
from grader.contest.records import NewAccount
from grader.contest.server import create_app
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.contest.site import Site
from grader.core.report import Report
from grader.core.verdict import Form, LanguageName, Verdict
from grader.store.workspace import Workspace

from .failing import FailingDatabase

SLUG = "cs149-a1"
NOW = datetime(2026, 10, 1, 12, 0, tzinfo=timezone.utc)
PEOPLE = ("ada", "bob", "carol")


def settings(**changes: Any) -> Settings:
    values: dict[str, Any] = {
        "slug": SLUG,
        "title": "CS 149, assignment 1",
        "problems": (ContestProblem("matmul"), ContestProblem("zip", 2.0)),
        "start": NOW - timedelta(hours=1),
        "end": NOW + timedelta(hours=5),
        "freeze": NOW + timedelta(hours=4),
        "gpu_model": "emulator",
        "practice_after_end": True,
    }
    return Settings(**(values | changes))


@dataclass
class Hall:
    """A server's parts. Time stands still until `pass_time`."""

    workspace: Workspace
    database: FailingDatabase
    site: Site
    moment: list[datetime]
    address: str
    server: CourteousServer
    _clients: list[httpx.Client | WorkerClient] = field(default_factory=list)

    def change(self, **changes: Any) -> None:
        self.database.add_contest(SLUG, settings_to_json(settings(**changes)), who="test")

    def pass_time(self, **span: float) -> None:
        self.moment[0] += timedelta(**span)

    def browser(self) -> httpx.Client:
        """A browser that follows no redirect, so that tests see each answer."""
        # Certificates are not asked for, and take longer to read than most tests.
        client = httpx.Client(base_url=self.address, timeout=20, verify=False)
        self._clients.append(client)
        return client

    def signed_in(self, name: str) -> httpx.Client:
        browser = self.browser()
        page = browser.get(f"/sign-in/link-of-{name}")
        answer = browser.post("/sign-in", data={"csrf": form_token(page.text), "token": f"link-of-{name}"})
        assert answer.status_code == 303, answer.text
        return browser

    def program(self, name: str) -> httpx.Client:
        client = self.browser()
        client.headers["authorization"] = f"Bearer token-of-{name}"
        return client

    def worker(self, name: str = "machine") -> WorkerClient:
        """The client of a worker that was let in."""
        self.database.add_worker(name, "emulator", hash_token(f"token-of-{name}"), who="test")
        client = WorkerClient(self.address, f"token-of-{name}")
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self.database.close()

    def submit(self, name: str, source: str = NAIVE, problem: str = "matmul", file: str = "kernel.cu") -> int:
        answer = self.program(name).post("/api/submissions", json={"problem": problem, "file": file, "source": source})
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])

    def judge(self, report: Report | None = None) -> Job | None:
        """Judges what is next in the queue, by saying what `report` says."""
        queue = self.database.queue
        job = queue.claim("emulator", "stub")
        if job is not None:
            found = replace(report or accepted(), user=job.account, file=job.file, problem=job.problem)
            assert queue.finish(job, outcome_of(found, model_scores=job.model_scores))
        return job

    @contextmanager
    def judging_one(self, report: Report | None = None) -> Iterator[None]:
        """Meanwhile what comes next is judged as soon as it is in the queue, however long it takes to come."""
        over = threading.Event()

        def wait() -> None:
            while self.judge(report) is None and not over.wait(0.05):
                pass

        thread = threading.Thread(target=wait)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def accepted() -> Report:
    return Report(
        problem="matmul",
        title="Matrix multiplication",
        form=Form.KERNEL,
        device="emulator",
        user="",
        file="kernel.cu",
        source=NAIVE,
        source_hash="",
        submitted=NOW.isoformat(),
        seed=4711,
        verdict=Verdict.ACCEPTED,
        headline="Accepted: every case is right, run on the emulator",
    )


def in_triton() -> Report:
    return replace(accepted(), form=Form.SOLVE, language=LanguageName.TRITON, source=TRITON)


def wrong() -> Report:
    """A report that tells sizes, seeds and values."""
    return next(make() for make in REPORTS.values() if make().verdict is Verdict.WRONG_ANSWER and make().cases)


@contextmanager
def open_hall(
    folder: Path,
    url: str | None = None,
    *,
    patience: Patience | None = None,
    practice: bool = False,
    provider: SignIn | None = None,
    **changes: Any,
) -> Iterator[Hall]:
    """A server that listens on a port of its own, in a thread; `url` names a database other than a new SQLite file.

    With `practice` it has the practice too, whose owner "me" needs no token.
    """
    patience = patience or Patience()
    for name in ("problems", "submissions"):
        (folder / name).mkdir(parents=True)
    moment = [NOW]
    workspace = Workspace(folder)
    database = FailingDatabase(url or str(folder / "contests" / "contests.db"), Clock(lambda: moment[0], lambda: 0.0))
    database.add_contest(SLUG, settings_to_json(settings(**changes)), who="test")
    teams = {"ada": "red", "bob": "red", "carol": "blue"} if changes.get("teams") else {}
    people = [NewAccount(name, f"{name}@example.org", "student", teams.get(name), *secrets(name)) for name in PEOPLE]
    database.add_accounts(SLUG, [*people, NewAccount("tutor", "", "staff", None, *secrets("tutor"))], who="test")
    owner = None
    if practice:
        publish_practice(database, workspace)
        owner = owner_of(database, "me").id
    app = create_app(database, workspace, patience=patience, owner=owner, organiser=owner, provider=provider)
    listening = bound_socket("127.0.0.1", 0)
    server = make_server(app, patience=patience)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    there = Hall(workspace, database, app.state.site, moment, address, server)
    try:
        yield there
    finally:
        server.should_exit = True
        thread.join()
        there.close()


def secrets(name: str) -> tuple[str, str]:
    return hash_token(f"token-of-{name}"), hash_token(f"link-of-{name}")


def form_token(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]
