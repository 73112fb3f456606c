"""What the commands below `kgrade contest` share: the contest's name, the database, who types, and spans of time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from grader.commands.options import user_name, workspace_of
from grader.core.errors import KgradeError, UsageError

if TYPE_CHECKING:
    from grader.contest.database import Database

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def complete_contest(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of contests that have a file, for the shell."""
    from grader.contest.definitions import defined_problems

    try:
        return [CompletionItem(name) for name in defined_problems(workspace_of(ctx)) if name.startswith(incomplete)]
    except KgradeError:
        return []


contest_argument = click.argument("slug", metavar="CONTEST", shell_complete=complete_contest)
database_option = click.option(
    "--database",
    metavar="URL",
    help="The database. Default: KGRADE_DATABASE, or contests/contests.db in the workspace.",
)


def who() -> str:
    """Whom the log of changes names: the login name, or KGRADE_USER."""
    return f"{user_name(os.environ.get('KGRADE_USER'))} (command line)"


@contextmanager
def open_database(ctx: click.Context, url: str | None) -> Iterator[Database]:
    """The database that is meant."""
    from grader.contest.database import Database, default_url

    database = Database(default_url(workspace_of(ctx), url))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def open_contest(ctx: click.Context, url: str | None, slug: str) -> Iterator[Database]:
    """The database with the contest in it: one that has a file and was never published is published now.

    A file that changed since is left alone: that its settings hold is asked for by `kgrade contest check --apply`.
    """
    from grader.contest.definitions import definition, publish
    from grader.contest.settings import check_slug

    check_slug(slug)
    with open_database(ctx, url) as database:
        workspace = workspace_of(ctx)
        known = any(contest.slug == slug for contest in database.contests())
        if not known and definition(workspace, slug).exists():
            publish(database, workspace, slug, who=who())
        # Says what to type where there is neither.
        database.contest(slug)
        yield database


def parse_span(text: str) -> timedelta:
    """A span such as 2h, 1d12h, 90m or 0. Raises UsageError for anything else."""
    parts = re.findall(r"(\d{1,6})([dhms])", text)
    if text.strip() != "0" and (not parts or "".join(map("".join, parts)) != text.strip()):
        raise UsageError(f"'{text}' is no span of time", "write it as 2h, 90m, 1d12h, or 0")
    return timedelta(seconds=sum(int(number) * _UNITS[unit] for number, unit in parts))


def span(length: timedelta) -> str:
    """A span as people write it: 1 d 2 h 30 min."""
    seconds = round(length.total_seconds())
    words = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words) or "0 s"


def local(moment: datetime) -> str:
    """A moment in this machine's zone, which is named."""
    return moment.astimezone().strftime("%a %Y-%m-%d %H:%M %Z")
