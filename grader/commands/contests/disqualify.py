"""`kgrade contest disqualify`: takes a student or a submission off the scoreboard, for a reason that is logged."""

from __future__ import annotations

from shlex import quote

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.core.errors import UsageError


@click.command()
@contest_argument
@click.argument("name", required=False)
@click.option("--submission", type=int, metavar="N", help="Only submission N.")
@click.option("--reason", metavar="TEXT", help="Why; the student and the log of changes see it.")
@click.option("--reinstate", is_flag=True, help="Take the disqualification back.")
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    name: str | None,
    submission: int | None,
    reason: str | None,
    reinstate: bool,
    database: str | None,
) -> int:
    """Take the student NAME, or one submission, off the scoreboard of CONTEST."""
    if (name is None) == (submission is None):
        hint = f"type: kgrade contest disqualify {slug} NAME --reason '…', or --submission N in place of the name"
        raise UsageError("name either a student or a submission", hint)
    if reinstate == bool(reason and reason.strip()):
        whom = quote(name) if name is not None else f"--submission {submission}"
        hint = f"type: kgrade contest disqualify {slug} {whom} --reason '…', or --reinstate in place of the reason"
        raise UsageError("give either a --reason or --reinstate", hint)
    with open_contest(ctx, database, slug) as found:
        if name is not None:
            account = found.account_called(slug, name)
            found.disqualify_account(account.id, reason, who=who())
        else:
            assert submission is not None
            if found.submission(submission).contest != slug:
                raise UsageError(f"submission {submission} is not in '{slug}'")
            found.disqualify_submission(submission, reason, who=who())
    click.echo("reinstated" if reinstate else "disqualified; the scoreboard shows it no longer")
    return 0
