"""`kgrade contest status`: the state of contests: time, people, submissions, and the machines that judge."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from grader.commands.contests.common import complete_contest, database_option, local, open_database, span
from grader.commands.options import json_option, workspace_of
from grader.core.errors import KgradeError

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.contest.settings import Settings


@click.command()
@click.argument("slug", metavar="[CONTEST]", required=False, shell_complete=complete_contest)
@json_option
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str | None, as_json: bool, database: str | None) -> int:
    """Show how CONTEST stands, or all contests, and the machines that judge."""
    from grader.contest.definitions import defined_contests, settings_of

    with open_database(ctx, database) as found:
        # Without a server nobody else does.
        with suppress(KgradeError):
            found.queue.recover()
        known = [slug] if slug is not None else [contest.slug for contest in found.contests()]
        contests = [_contest(found, settings_of(found, name)) for name in known]
        workers = [
            {"name": w.name, "gpu_model": w.gpu_model, "state": w.state, "seen": w.seen.isoformat(), "note": w.note}
            for w in found.present_workers()
        ]
        let_in = [each.name for each in found.workers() if each.token_hash is not None]
    if as_json:
        click.echo(json.dumps({"contests": contests, "workers": workers}))
        return 0
    from grader.boards.words import several
    from grader.contest.jobs import takes
    from grader.terminal.console import safe

    for contest in contests:
        states = ", ".join(f"{count} {state}" for state, count in contest["submissions"].items()) or "none"
        click.echo(f"{safe(contest['title'])} ({contest['slug']}): {contest['time']}")
        click.echo(f"  accounts     {several(contest['students'], 'student')}, {contest['staff']} staff")
        click.echo(f"  submissions  {states}")
        if contest["held"]:
            click.echo(f"  held         {contest['held']}, at which the judge came to no end; to judge them again:")
            click.echo(f"               kgrade contest rejudge {contest['slug']} --held")
        if contest["waiting"] and not any(takes(w["gpu_model"], contest["gpu_model"]) for w in workers if _works(w)):
            click.echo(f"  waiting      for a worker with the GPU {safe(contest['gpu_model'])}: none is here")
    for worker in workers:
        note = f": {safe(worker['note'])}" if worker["note"] else ""
        if worker["state"] == "dead":
            note = f", silent since {local(datetime.fromisoformat(worker['seen']))}; its work is given on"
        click.echo(f"worker {safe(worker['name'])}  {safe(worker['gpu_model'])}  {worker['state']}{note}")
    for name in let_in:
        if not any(worker["name"].startswith(f"{name}:") for worker in workers):
            click.echo(f"worker {safe(name)}  was let in and is not here")
    waiting = [] if slug is not None else [name for name in defined_contests(workspace_of(ctx)) if name not in known]
    for name in waiting:
        click.echo(f"{name}: only a file so far; next: kgrade contest roster {name} students.csv")
    if not contests and not waiting:
        click.echo("no contest yet; start with: kgrade contest new cs149-a1")
    return 0


def _contest(database: Database, settings: Settings) -> dict[str, Any]:
    from grader.contest.records import ANY_GPU, QUEUED

    roles = Counter(account.role for account in database.accounts(settings.slug))
    states = Counter(
        each.verdict if each.verdict is not None else each.state for each in database.submissions(settings.slug)
    )
    return {
        "slug": settings.slug,
        "title": settings.title,
        "start": settings.start.isoformat(),
        "end": None if settings.end is None else settings.end.isoformat(),
        "time": _time(database, settings),
        "students": roles["student"],
        "staff": roles["staff"],
        "submissions": dict(sorted(states.items())),
        "gpu_model": settings.gpu_model or ANY_GPU,
        "waiting": states[QUEUED],
        "held": len(database.held(settings.slug)),
    }


def _works(worker: dict[str, Any]) -> bool:
    return worker["state"] in ("idle", "judging")


def _time(database: Database, settings: Settings) -> str:
    now, zone = database.now(), settings.start.tzinfo
    if settings.end is None:
        return "has no end"
    if now < settings.start:
        return f"begins {local(settings.start, zone)}, in {span(settings.start - now)}"
    if now <= settings.end:
        return f"ends {local(settings.end, zone)}, in {span(settings.end - now)}"
    return f"ended {local(settings.end, zone)}"
