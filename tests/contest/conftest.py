"""Databases for the tests of contests: an empty one for each test, on SQLite and, where installed, PostgreSQL."""

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from grader.contest.clock import Clock
from grader.contest.database import Database
from grader.contest.records import NewAccount
from grader.contest.settings import ContestProblem, Settings, settings_to_json

from .browsing import CHROMIUM
from .failing import FailingDatabase
from .site_samples import Hall, open_hall

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


class HandClock(Clock):
    """A clock that the test sets forward."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
        super().__init__(lambda: self.time, lambda: 0.0)

    def forward(self, **span: float) -> None:
        self.time += timedelta(**span)


def load_benchmark(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    # On a busy machine everything comes later.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """The browser of the module. A page that a test has opened would go on asking a server that has ended."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser's console says must be nothing: a blocked script or style would be there."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A PostgreSQL server of the test's own."""
    module = load_benchmark("postgres_server")
    programs = module.find_programs()
    if programs is None:
        pytest.skip(f"PostgreSQL is not installed; {module.INSTALL}")
    import tempfile

    # Its user must reach the folder, and the socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="kgrade-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        server = module.PostgresServer(Path(name) / "postgres", programs, flushed=False)
        yield server
        server.kill()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Of the databases below; whatever is not "sqlite" is PostgreSQL."""
    return str(request.param)


@pytest.fixture(scope="session")
def sqlite_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "contests.db"
    Database(str(path)).close()
    return path


@pytest.fixture(scope="session")
def postgres_with_tables(postgres: Any) -> str:
    """The name of a database to copy."""
    run_sql(postgres, "CREATE DATABASE with_tables")
    Database(url_on(postgres, "with_tables")).close()
    return "with_tables"


@pytest.fixture
def empty_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables."""
    if database_kind == "sqlite":
        yield str(tmp_path / "contests" / "contests.db")
    else:
        yield from new_on(request.getfixturevalue("postgres"), "template0")


@pytest.fixture
def contest_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with empty tables."""
    if database_kind == "sqlite":
        path = tmp_path / "contests" / "contests.db"
        path.parent.mkdir()
        shutil.copyfile(request.getfixturevalue("sqlite_with_tables"), path)
        yield str(path)
    else:
        yield from new_on(request.getfixturevalue("postgres"), request.getfixturevalue("postgres_with_tables"))


def new_on(server: Any, template: str) -> Iterator[str]:
    name = f"test_{uuid4().hex}"
    run_sql(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield url_on(server, name)
    run_sql(server, f"DROP DATABASE {name} WITH (FORCE)")


def url_on(server: Any, name: str) -> str:
    return str(server.url).rsplit("/", 1)[0] + "/" + name


def run_sql(server: Any, statement: str) -> None:
    engine = create_engine(server.url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def open_contest(contest_url: str, clock: HandClock) -> Iterator[Callable[[], FailingDatabase]]:
    """Opens the database of the contest "c1" with the students ada, bob and cleo, each time as another process."""
    opened: list[FailingDatabase] = []

    def open_one() -> FailingDatabase:
        database = FailingDatabase(contest_url, clock)
        opened.append(database)
        return database

    database = open_one()
    settings = Settings(
        slug="c1",
        title="Contest",
        problems=(ContestProblem("matmul"), ContestProblem("reduce")),
        start=clock.now() - timedelta(hours=1),
        end=clock.now() + timedelta(hours=10),
        hidden_seeds=(17,),
        gpu_model="H200",
    )
    database.add_contest("c1", settings_to_json(settings), who="staff")
    database.add_accounts("c1", [NewAccount(name, f"{name}@x.org") for name in ("ada", "bob", "cleo")], who="staff")
    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def contest_database(open_contest: Callable[[], Database]) -> Database:
    return open_contest()


@pytest.fixture
def hall(contest_url: str, tmp_path: Path) -> Iterator[Hall]:
    """A server with a contest of its own."""
    with open_hall(tmp_path, contest_url) as opened:
        yield opened
