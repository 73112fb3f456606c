"""Contest definitions on disk, `contests/<slug>/contest.toml`, and their publication to the database.

The instructor edits the file; servers and workers read the database. `settings` gives the settings their meaning.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from grader.contest.database import Database, contests_folder
from grader.contest.settings import (
    PRACTICE,
    Settings,
    check_slug,
    parse_settings,
    read_settings,
    settings_from_data,
    settings_from_json,
    settings_to_json,
)
from grader.core.errors import UsageError, WorkspaceError
from grader.core.files import write_whole
from grader.store.workspace import Workspace

FILE = "contest.toml"

_NEW = """\
# The contest {slug}. After a change type: kgrade contest check {slug}

title = {title}

# Times with their zone. What is submitted after `freeze` shows on the scoreboard only after
# `kgrade contest unfreeze {slug}`; leave the line out for a scoreboard that is never frozen.
start = {start}
{freeze}end = {end}

# Which of a student's submissions to a problem counts: "best" or "last".
counts = "best"

# How many submissions a student may make in an hour.
per_hour = 20

# Which GPU model ranks, as `kgrade doctor` names it, such as "NVIDIA H100 80GB HBM3". With "emulator" no GPU is
# needed, nothing is timed, and an accepted submission scores 1.
gpu_model = "emulator"

# With the name of a GPU, such as "H200", and gpu_model = "emulator": accepted submissions are ranked by a time that a
# model computes for that GPU, the same on every machine. Nothing is measured. With "" they score 1.
model_time = ""

# After how many seconds a grading ends, wherever it is.
grading_seconds = 300

# What the hidden cases are drawn from, the same for all students. "secret" draws new ones for each submission.
hidden_seeds = [{seed}]

# Whether students may go on after the end; what they submit then doesn't count.
practice_after_end = true

# Whether students may have their accepted submissions explained, line by line.
explain = false

# Whether students work in teams, which stand on the scoreboard together. The roster then has a column `team`.
teams = false

# Who sees the scoreboard: "class" (who has an account), "public" (everybody, without signing in), or "anonymous"
# (students see their own name and others as "#1"). Staff always see all names.
scoreboard = "class"

# Who enters where people sign in by their university (contests/sign-in.toml): "roster", or "ask": who is not on the
# roster may ask to enter, and staff let them in or refuse, under People on the site.
entry = "roster"

# What is late loses so many percent of its points for each hour begun, and is not taken after so many hours.
[late]
percent_per_hour = 0
hours = 0

# The problems, as `kgrade list` names them. Each brings weight × score points, with a score from 0 to 1. For partial
# credit write, in place of the weight, points for groups of cases and for each threshold of the score that is reached:
# credit = {{ visible = 40, hidden = 20, speed = [{{ score = 0.3, points = 20 }}, {{ score = 0.6, points = 20 }}] }}
# Groups of hidden cases of your own stand below the problem, each with points. `at_most` and `at_least` bound all
# sizes, or some; with `off` no size is a multiple of that number; `families` are the kinds of inputs.
# [[problems.credit.groups]]
# name = "sizes that no block divides"
# points = 20
# off = 16
# at_most = 200
{problems}"""
_PROBLEM = """\
[[problems]]
name = {name}
weight = 1
"""
FREEZE = timedelta(hours=1)
"""How long before the end a new contest's scoreboard is frozen; a contest of less than twice that has no freeze."""


@dataclass(frozen=True)
class Wishes:
    """What the file of a new contest says beside what is usual. Times are texts with their zone."""

    title: str
    start: str
    end: str
    problems: Sequence[str]


def usual_wishes(workspace: Workspace, slug: str, now: datetime) -> Wishes:
    """A contest that begins tomorrow and lasts a week, with all the workspace's problems."""
    start = (now.astimezone() + timedelta(days=1)).replace(minute=0, second=0, microsecond=0)
    return Wishes(slug, start.isoformat(), (start + timedelta(days=7)).isoformat(), tuple(workspace.problems))


def definition(workspace: Workspace, slug: str) -> Path:
    """The path of the contest's file, whether it exists or not."""
    check_slug(slug)
    return contests_folder(workspace) / slug / FILE


def write_new(workspace: Workspace, slug: str, now: datetime, wishes: Wishes | None = None) -> Path:
    """Writes a commented file for a contest as it is wished, else as is usual.

    Raises UsageError if the contest has a file already, or if a wish is a mistake.
    """
    _check_free(slug)
    path = definition(workspace, slug)
    if path.exists():
        raise UsageError(f"{path} is there already", f"edit it, then type: kgrade contest check {slug}")
    text = _new_text(workspace, slug, wishes or usual_wishes(workspace, slug, now))
    try:
        write_whole(path, text.encode())
        # It holds the hidden seeds, so other users of this machine may not read it.
        path.chmod(0o600)
    except OSError as error:
        raise WorkspaceError(
            f"{path} can't be written: {error.strerror or error}", "choose another workspace: kgrade new DIR"
        ) from error
    return path


def _new_text(workspace: Workspace, slug: str, wishes: Wishes) -> str:
    # As the settings in a database are checked, so that a mistake is told by its key and can't break the file.
    data = {"title": wishes.title, "start": wishes.start, "end": wishes.end}
    problems = [{"name": name} for name in wishes.problems]
    wished = settings_from_data({**data, "problems": problems}, slug, "the new contest", workspace.problems)
    assert wished.end is not None
    freeze = wished.end - FREEZE
    text = _NEW.format(
        slug=slug,
        title=json.dumps(wished.title, ensure_ascii=False),
        start=wished.start.isoformat(),
        freeze=f"freeze = {freeze.isoformat()}\n" if freeze - wished.start >= FREEZE else "",
        end=wished.end.isoformat(),
        seed=secrets.randbits(48),
        problems="\n".join(_PROBLEM.format(name=json.dumps(each.name)) for each in wished.problems),
    )
    # A zone with seconds is one that TOML has not.
    parse_settings(text, slug, "the new contest", workspace.problems)
    return text


def defined_contests(workspace: Workspace) -> list[str]:
    """The names of the contests that have a file, sorted."""
    return sorted(path.parent.name for path in contests_folder(workspace).glob(f"*/{FILE}"))


def read_definition(workspace: Workspace, slug: str) -> Settings:
    """Reads the settings from the contest's file. Raises UsageError listing every mistake."""
    _check_free(slug)
    from grader.contest.group_cases import check_groups

    settings = read_settings(definition(workspace, slug), workspace.problems)
    check_groups(settings, workspace)
    return settings


def publish(database: Database, workspace: Workspace, slug: str, *, who: str) -> Settings:
    """Writes the file's settings to the database, where they apply at once; the log keeps the old ones.

    A contest without a file on this machine keeps its settings in the database. Returns the settings in force.
    """
    if not definition(workspace, slug).exists():
        return settings_of(database, slug)
    settings = read_definition(workspace, slug)
    database.add_contest(slug, settings_to_json(settings), who=who)
    return settings


def publish_if_newer(database: Database, workspace: Workspace, slug: str, *, who: str) -> Settings:
    """Publishes the file unless the settings in the database were changed after it, as staff do in the browser.

    Raises UsageError for a file with mistakes, also where it is not published. Returns the settings in force.
    """
    settings = read_definition(workspace, slug)
    changed = datetime.fromtimestamp(definition(workspace, slug).stat().st_mtime, timezone.utc)
    if any(each.slug == slug and each.updated >= changed for each in database.contests()):
        return settings_of(database, slug)
    return publish(database, workspace, settings.slug, who=who)


def _check_free(slug: str) -> None:
    """Raises UsageError for the name of the workspace's practice, which needs no file."""
    if slug == PRACTICE:
        raise UsageError(
            f"a contest can't be called '{PRACTICE}': that is the practice site of each workspace, without a file",
            "to serve it type: kgrade serve; for a contest choose another name: kgrade contest new cs149-a1",
        )


def settings_of(database: Database, slug: str) -> Settings:
    """The settings in force. Raises UsageError if there is no such contest."""
    return settings_from_json(database.contest(slug).settings, slug)
