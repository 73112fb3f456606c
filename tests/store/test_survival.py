"""What was recorded stays recorded: two writers, a killed one, a full disk, a read-only workspace."""

import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from grader.core.errors import KgradeError, StoreError, WorkspaceError
from grader.store.database import Store

from .writer import make_report, start

DIES_BEFORE_COMMIT = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from grader.store.database import Store
from store.writer import make_report
store = Store(Path(sys.argv[1]))
event.listen(store._engine, "commit", lambda _: os.kill(os.getpid(), signal.SIGKILL))
print(store.add(make_report(user=sys.argv[2], source="half")))
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "submissions" / "kgrade.db"


def recorded(process: "subprocess.Popen[str]") -> list[int]:
    """The numbers that a writer said it recorded, once it has ended."""
    return [int(line) for line in process.communicate(timeout=60)[0].split()]


def consistent(path: Path) -> bool:
    """No damage, and no submission without its report and its source."""
    connection = sqlite3.connect(path)
    damage = connection.execute("PRAGMA integrity_check").fetchall()
    foreign = connection.execute("PRAGMA foreign_key_check").fetchall()
    ids = connection.execute("SELECT id FROM submissions ORDER BY id").fetchall()
    reports = connection.execute("SELECT submission_id FROM reports ORDER BY submission_id").fetchall()
    connection.close()
    return damage == [("ok",)] and foreign == [] and ids == reports


def test_several_processes_that_start_at_once_lose_nothing(database: Path) -> None:
    """None of them finds a database: they also make it at the same time."""
    writers = [start(database, f"user{n}", 15) for n in range(3)]
    numbers = [number for writer in writers for number in recorded(writer)]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert sorted(numbers) == list(range(1, 46))
    assert len(Store(database).entries(user="user1")) == 15
    assert consistent(database)


def test_a_killed_writer_leaves_no_half_record(database: Path) -> None:
    Store(database).add(make_report(user="before"))
    for round_ in range(3):
        writer = start(database, f"killed{round_}", 100_000)
        assert writer.stdout is not None
        seen = [int(writer.stdout.readline()) for _ in range(3)]
        writer.send_signal(signal.SIGKILL)
        seen += recorded(writer)
        assert writer.returncode == -signal.SIGKILL
        kept = [entry.id for entry in Store(database).entries(user=f"killed{round_}")]
        # The last one may have been committed without having been told.
        assert kept[: len(seen)] == seen and len(kept) <= len(seen) + 1
        assert consistent(database)
    assert Store(database).get(1).user == "before"


def test_a_process_killed_before_commit_leaves_nothing(database: Path) -> None:
    store = Store(database)
    store.add(make_report(user="before"))
    writer = start(database, "half", 1, script=DIES_BEFORE_COMMIT)
    assert recorded(writer) == [] and writer.returncode == -signal.SIGKILL
    assert [entry.user for entry in store.entries()] == ["before"]
    assert store.add(make_report(user="after")) == 2
    assert consistent(database)


def test_a_full_database_keeps_what_it_has(database: Path) -> None:
    store = Store(database)
    kept = [store.add(make_report(user=f"user{n}")) for n in range(3)]
    assert store._engine is not None

    @event.listens_for(store._engine, "connect")
    def limit(connection: sqlite3.Connection, record: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(StoreError, match="no space left") as caught:
        store.add(make_report(source="x" * 1_000_000))
    assert str(database) in caught.value.message and "df -h" in caught.value.hint
    assert [entry.id for entry in store.entries()] == kept
    event.remove(store._engine, "connect", limit)
    assert store.add(make_report(source="x" * 1_000_000)) == 4


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[list[str]]:
    """Words that run a command with a disk of 256 KiB mounted on tmp_path/disk, which it fills beforehand."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=256k none {disk}"
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("unshare can't mount a small disk here (no user namespaces)")
    keep = f"cp -r {disk}/. {tmp_path}/rescued"
    yield ["unshare", "-rm", "sh", "-c", f'{mount} && "$@"; code=$?; {keep}; exit $code', "sh"]


def test_a_full_disk_keeps_what_it_has(small_disk: list[str], tmp_path: Path) -> None:
    writer = start(tmp_path / "disk" / "kgrade.db", "ada", 1000, before=small_disk)
    out, err = writer.communicate(timeout=60)
    numbers = [int(line) for line in out.split()]
    assert writer.returncode == 3
    name, message, hint = err.splitlines()
    assert name == "DiskFull" and "is kept" in message and "df -h" in hint
    assert numbers == list(range(1, len(numbers) + 1)) and numbers
    rescued = tmp_path / "rescued" / "kgrade.db"
    assert [entry.id for entry in Store(rescued).entries()] == numbers
    assert consistent(rescued)


@pytest.fixture
def obey_modes() -> list[str]:
    """Words that make root obey the permissions of files as everybody else does."""
    if os.geteuid() != 0:
        return []
    words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") is None or subprocess.run([*words, "true"], check=False).returncode:
        pytest.skip("root can write everywhere, and setpriv can't take that away here")
    return words


def test_a_read_only_workspace_can_be_read_and_says_that_it_cannot_be_written(
    database: Path, obey_modes: list[str]
) -> None:
    Store(database).add(make_report())
    database.chmod(0o400)
    database.parent.chmod(0o500)
    try:
        none = start(database, "ada", 0, before=obey_modes)
        assert none.communicate(timeout=60) == ("", "") and none.returncode == 0
        writer = start(database, "ada", 1, before=obey_modes)
        _, err = writer.communicate(timeout=60)
        fresh = start(database.with_name("new.db"), "ada", 1, before=obey_modes)
        _, err_fresh = fresh.communicate(timeout=60)
    finally:
        database.parent.chmod(0o700)
    assert (writer.returncode, fresh.returncode) == (2, 2)
    assert err.splitlines()[:2] == ["WorkspaceError", f"{database} can't be written"]
    assert f"chmod u+w {database.parent}" in err and "kgrade new DIR" in err
    assert err_fresh.splitlines()[1] == f"{database.with_name('new.db')} can't be written"


def test_a_read_only_store_reads_in_this_process_too(database: Path) -> None:
    Store(database).add(make_report())
    before = database.read_bytes()
    store = Store(database, read_only=True)
    assert [entry.user for entry in store.entries()] == ["ada"]
    for attempt in (store.check_writable, lambda: store.add(make_report())):
        with pytest.raises(WorkspaceError, match="can't be written"):
            attempt()
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["kgrade.db"]


def test_a_lock_that_is_never_released_ends_in_a_message(database: Path) -> None:
    store = Store(database, busy_seconds=0.2)
    store.add(make_report())
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(KgradeError, match="locked by another process"):
        store.add(make_report())
    # Readers never wait for a writer.
    assert len(store.summaries()) == 1
    holder.close()
    assert store.add(make_report()) == 2
