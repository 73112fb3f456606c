"""Filing: what is recorded and written, what is not, and what it spares the judge's process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.boards.filing import Filing
from grader.core.errors import StoreError
from grader.store.database import Store
from grader.store.workspace import Workspace
from tests.commands.samples import accepted_report

LOADED = """
import sys
from grader.cli import run
code = run(["submit", "zip", sys.argv[1], "--device", "emulator", "--cases", "1"])
print(code, sorted({"sqlalchemy", "alembic", "jinja2"} & set(sys.modules)))
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    return Workspace(tmp_path)


def test_a_report_is_recorded_with_its_page(workspace: Workspace) -> None:
    with Filing(workspace) as filing:
        filing.begin()
        filing.open()
        first, second = filing.file(accepted_report()), filing.file(replace(accepted_report(), user="grace"))
    assert (first.number, second.number) == (1, 2)
    assert second.page == workspace.report_page(2)
    assert second.remark == ""
    assert "grace" in second.page.read_text(encoding="utf-8")
    assert Store(workspace.database).get(1).report == accepted_report()


def test_a_page_that_cant_be_written_is_a_remark(workspace: Workspace) -> None:
    workspace.reports.write_text("a file where the folder should be")
    with Filing(workspace) as filing:
        filing.begin()
        filing.open()
        filed = filing.file(accepted_report())
    assert filed.page is None
    assert str(workspace.reports) in filed.remark
    assert len(Store(workspace.database).summaries()) == 1


def test_a_store_that_cant_be_opened_is_told_with_its_own_error(workspace: Workspace) -> None:
    workspace.database.write_text("no database, and longer than the head of one is" * 20)
    with Filing(workspace) as filing:
        filing.begin()
        with pytest.raises(StoreError, match=r"kgrade\.db"):
            filing.open()


def test_nothing_is_made_before_it_is_opened(workspace: Workspace) -> None:
    with Filing(workspace) as filing:
        filing.begin()
        assert not workspace.database.exists()
        filing.open()
        assert workspace.database.exists()


def test_what_is_not_filed_is_not_recorded(workspace: Workspace) -> None:
    with Filing(workspace) as filing:
        filing.begin()
        filing.open()
    assert Store(workspace.database).summaries() == []


def test_a_process_that_is_killed_is_told_and_records_nothing(workspace: Workspace) -> None:
    with Filing(workspace) as filing:
        filing.begin()
        filing.open()
        assert filing.pid is not None
        os.kill(filing.pid, signal.SIGKILL)
        with pytest.raises(StoreError, match=r"can't be recorded: .* SIGKILL") as told:
            filing.file(accepted_report())
    assert told.value.hint.endswith("kgrade history")
    assert Store(workspace.database).summaries() == []


def test_the_judge_itself_loads_neither_database_nor_templates(workspace: Workspace) -> None:
    home = Path(__file__).resolve().parent.parent
    file = home / "problems" / "zip" / "submissions" / "accepted" / "1_simple.cu"
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(file)],
        cwd=home,
        env={**os.environ, "KGRADE_WORKSPACE": str(workspace.root)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr
    assert len(Store(workspace.database).summaries()) == 1
