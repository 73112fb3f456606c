"""Contest files on disk and how they come into the database."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.contest.database import Database
from grader.contest.definitions import (
    defined_contests,
    definition,
    publish,
    publish_if_newer,
    read_definition,
    settings_of,
    write_new,
)
from grader.contest.settings import settings_to_json
from grader.core.errors import UsageError
from grader.store.workspace import Workspace

NOW = datetime(2026, 9, 1, 12, 34, tzinfo=timezone.utc)


def test_a_new_file_is_valid_and_its_owners_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    path = write_new(workspace, "cs149-a1", NOW)
    settings = read_definition(workspace, "cs149-a1")
    assert path == definition(workspace, "cs149-a1") and path.stat().st_mode & 0o777 == 0o600
    assert {problem.name for problem in settings.problems} == set(workspace.problems)
    assert NOW < settings.start < settings.end and settings.freeze is not None
    assert settings.hidden_seeds and not settings.is_timed
    assert defined_contests(workspace) == ["cs149-a1"]
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        write_new(workspace, "cs149-a1", NOW)
    assert path.read_bytes() == before


def test_two_contests_have_different_hidden_cases(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    seeds = set()
    for slug in ("a1", "a2"):
        write_new(workspace, slug, NOW)
        seeds.add(read_definition(workspace, slug).hidden_seeds)
    assert len(seeds) == 2


def test_changed_settings_are_published_and_the_log_keeps_the_old(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    path = write_new(workspace, "a1", NOW)
    database = Database(str(tmp_path / "contests.db"))
    try:
        assert publish(database, workspace, "a1", who="prof") == settings_of(database, "a1")
        path.write_text(path.read_text().replace("per_hour = 20", "per_hour = 7"))
        assert settings_of(database, "a1").per_hour == 20
        publish(database, workspace, "a1", who="prof")
        assert settings_of(database, "a1").per_hour == 7
        (change, added) = database.audits("a1")
        assert (change.what, added.what, change.who) == ("contest changed", "contest added", "prof")
        assert '"per_hour": 20' in change.detail["before"]
        path.write_text(path.read_text().replace("per_hour = 7", "per_hour = 0"))
        with pytest.raises(UsageError, match="per_hour = 0"):
            publish(database, workspace, "a1", who="prof")
        assert settings_of(database, "a1").per_hour == 7
        path.unlink()
        assert publish(database, workspace, "a1", who="prof").per_hour == 7
    finally:
        database.close()


def test_a_server_that_starts_keeps_what_staff_changed_after_the_file(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    path = write_new(workspace, "a1", NOW)
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    database = Database(str(tmp_path / "contests.db"))
    try:
        assert publish_if_newer(database, workspace, "a1", who="kgrade serve").per_hour == 20
        changed = replace(settings_of(database, "a1"), per_hour=7)
        database.add_contest("a1", settings_to_json(changed), who="prof")
        assert publish_if_newer(database, workspace, "a1", who="kgrade serve").per_hour == 7
        path.write_text(path.read_text().replace("per_hour = 20", "per_hour = 9"))
        an_hour_on = time.time() + 3600
        os.utime(path, (an_hour_on, an_hour_on))
        assert publish_if_newer(database, workspace, "a1", who="kgrade serve").per_hour == 9
        path.write_text(path.read_text().replace("per_hour = 9", "per_hour = 0"))
        os.utime(path, (an_hour_ago, an_hour_ago))
        with pytest.raises(UsageError, match="per_hour = 0"):
            publish_if_newer(database, workspace, "a1", who="kgrade serve")
    finally:
        database.close()
