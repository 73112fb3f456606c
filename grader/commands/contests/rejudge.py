"""`kgrade contest rejudge`: a set of submissions judged again beside the old verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, local, open_contest, who
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.contest.rejudging import Preview
    from grader.core.report import Interval

MOST_SHOWN = 50


@click.command()
@contest_argument
@click.option("--reason", metavar="TEXT", help="Start one, and say why.")
@click.option("--problem", metavar="PROBLEM", help="Only submissions to this problem.")
@click.option("--account", metavar="NAME", help="Only this student's.")
@click.option("--verdict", metavar="VERDICT", help="Only those with this verdict.")
@click.option("--submission", "ids", type=int, multiple=True, metavar="N", help="Only this one. May be repeated.")
@click.option("--held", is_flag=True, help="Queue those again that are held because the judge came to no end.")
@click.option("--preview", type=int, metavar="R", help="Show what rejudge R would change.")
@click.option("--apply", type=int, metavar="R", help="Let the verdicts of rejudge R hold.")
@click.option("--drop", type=int, metavar="R", help="End rejudge R without effect.")
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    reason: str | None,
    problem: str | None,
    account: str | None,
    verdict: str | None,
    ids: tuple[int, ...],
    held: bool,
    preview: int | None,
    apply: int | None,
    drop: int | None,
    database: str | None,
) -> int:
    """Judge submissions of CONTEST again. The old verdicts hold until --apply, and are kept after it.

    \b
    kgrade contest rejudge a1 --problem matmul --reason "wrong tolerance"
    kgrade contest rejudge a1 --preview 1
    kgrade contest rejudge a1 --apply 1

    Without options: list the rejudges.
    """
    from grader.contest import rejudging

    chosen = rejudging.Pick(problem, account, verdict, ids)
    given = [number for number in (preview, apply, drop) if number is not None]
    if len(given) + (reason is not None) + held > 1 or (reason is None and not chosen.is_open):
        raise UsageError(
            "one thing at a time: start a rejudge by --reason, or --preview, --apply or --drop one, or --held",
            f"type: kgrade contest rejudge {slug} --help",
        )
    with open_contest(ctx, database, slug) as found:
        for number in given:
            if found.rejudge(number).contest != slug:
                raise UsageError(f"rejudge {number} is not in '{slug}'", f"type: kgrade contest rejudge {slug}")
        if held:
            numbers = [row.submission_id for row in found.held(slug)]
            click.echo(f"{found.queue.judge_again(numbers, who())} held judgings are queued again")
        elif reason is not None:
            number = rejudging.start(found, slug, chosen, reason, who=who())
            total = len(found.judgings(rejudge_id=number))
            click.echo(f"rejudge {number}: {total} submissions are queued; the old verdicts hold")
            click.echo(f"next: kgrade contest rejudge {slug} --preview {number}")
        elif preview is not None:
            _print(rejudging.preview(found, preview), preview, slug)
        elif apply is not None:
            click.echo(f"applied: {found.apply_rejudge(apply, who=who())} verdicts hold in place of the old")
        elif drop is not None:
            found.drop_rejudge(drop, who=who())
            click.echo("dropped; the old verdicts hold")
        else:
            _list(found, slug)
    return 0


def _list(database: Database, slug: str) -> None:
    from grader.contest.definitions import settings_of
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    zone = settings_of(database, slug).start.tzinfo
    table = plain_table("no", "created", "by", "state", "judged", "reason", numbers=("no",))
    for each in database.rejudges(slug):
        judgings = database.judgings(rejudge_id=each.id)
        done = sum(judging.state == "judged" for judging in judgings)
        table.add_row(
            str(each.id),
            local(each.created, zone),
            safe(each.by),
            each.state,
            f"{done} of {len(judgings)}",
            safe(each.reason),
        )
    if table.row_count:
        output().print(table)
    else:
        click.echo(f'nothing was rejudged; start with: kgrade contest rejudge {slug} --reason "…"')


def _print(preview: Preview, number: int, slug: str) -> None:
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    judged = preview.total - preview.waiting
    click.echo(f"{judged} of {preview.total} judged, {len(preview.differences)} differ")
    if preview.failed:
        click.echo(f"at {preview.failed} the judge failed; they keep their old verdicts")
    if preview.differences:
        table = plain_table("no", "account", "problem", "before", "after", numbers=("no",))
        for each in preview.differences[:MOST_SHOWN]:
            row = each.submission
            before, after = _words(each.before, each.score_before), _words(each.after, each.score_after)
            table.add_row(str(row.id), safe(row.account), row.problem, before, after)
        output().print(table)
    if preview.moves:
        table = plain_table("name", "rank", "points")
        for move in preview.moves[:MOST_SHOWN]:
            rank = f"{move.rank_before} → {move.rank_after}"
            table.add_row(safe(move.who), rank, f"{move.points_before:.3f} → {move.points_after:.3f}")
        output().print(table)
    left = max(len(preview.differences), len(preview.moves)) - MOST_SHOWN
    if left > 0:
        click.echo(f"{left} more are not listed")
    if not preview.waiting:
        click.echo(f"next: kgrade contest rejudge {slug} --apply {number}, or --drop {number}")


def _words(verdict: str | None, score: Interval | None) -> str:
    return f"{verdict or 'not judged'}{f' {score.value:.3f}' if score else ''}"
