"""Helpers of the commands below `kgrade contest`: contest names, the database, the user, and time spans."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from grader.commands.options import user_name, workspace_of
from grader.contest.spans import parse_span, span
from grader.core.errors import KgradeError

if TYPE_CHECKING:
    from grader.contest.database import Database

__all__ = [
    "complete_contest",
    "contest_argument",
    "database_option",
    "local",
    "open_contest",
    "open_database",
    "parse_span",
    "span",
    "who",
]


def complete_contest(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completes names of contests that have a file."""
    from grader.contest.definitions import defined_contests

    try:
        return [CompletionItem(name) for name in defined_contests(workspace_of(ctx)) if name.startswith(incomplete)]
    except KgradeError:
        return []


contest_argument = click.argument("slug", metavar="CONTEST", shell_complete=complete_contest)
database_option = click.option(
    "--database",
    metavar="URL",
    help="The database. Default: KGRADE_DATABASE, or contests/contests.db in the workspace.",
)


def who() -> str:
    """The user for the log of changes: KGRADE_USER, else the login name."""
    return f"{user_name(os.environ.get('KGRADE_USER'))} (command line)"


@contextmanager
def open_database(ctx: click.Context, url: str | None) -> Iterator[Database]:
    """Opens the database named by `url` or by default, and closes it at the end."""
    from grader.contest.database import Database, default_url

    database = Database(default_url(workspace_of(ctx), url))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def open_contest(ctx: click.Context, url: str | None, slug: str) -> Iterator[Database]:
    """Opens the database with the contest, publishing a contest that has a file but was never published.

    Later changes of the file take effect only with `kgrade contest check --apply`. Raises UsageError.
    """
    from grader.contest.definitions import definition, publish
    from grader.contest.settings import check_slug

    check_slug(slug)
    with open_database(ctx, url) as database:
        workspace = workspace_of(ctx)
        known = any(contest.slug == slug for contest in database.contests())
        if not known and definition(workspace, slug).exists():
            publish(database, workspace, slug, who=who())
        # Raises UsageError, saying what to type, if there is neither.
        database.contest(slug)
        yield database


def local(moment: datetime, zone: tzinfo | None = None) -> str:
    """Formats a time in the zone, such as that of the contest's start, else in this machine's; with the zone's name."""
    return moment.astimezone(zone).strftime("%a %Y-%m-%d %H:%M %Z")
