"""`kgrade contest clarify`: students' questions, and the answers to one or to all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, local, open_contest, who
from grader.commands.options import json_option
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.records import ClarificationRecord


@click.command()
@contest_argument
@click.argument("number", type=int, required=False, metavar="[N]")
@click.argument("answer", required=False, metavar="[ANSWER]")
@click.option("--to-all", is_flag=True, help="Announce question and answer to all, without the asker's name.")
@click.option("--everything", is_flag=True, help="List answered questions too.")
@json_option
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    number: int | None,
    answer: str | None,
    to_all: bool,
    everything: bool,
    as_json: bool,
    database: str | None,
) -> int:
    """Answer question N of CONTEST; without N, list the open questions.

    The asker alone sees the answer, unless it is for all. A second answer replaces the first.
    """
    if (number is None) != (answer is None):
        raise UsageError("an answer is missing", f"type: kgrade contest clarify {slug} N 'ANSWER'")
    if answer is None and to_all:
        raise UsageError("--to-all needs a question and an answer", f"type: kgrade contest clarify {slug} N 'ANSWER'")
    with open_contest(ctx, database, slug) as found:
        if number is not None and answer is not None:
            from grader.contest.clarifying import answer_question

            answer_question(found, slug, number, answer, to_all=to_all, who=who())
        asked = found.clarifications(slug)
    if as_json:
        rows = [_data(each) for each in asked if everything or number == each.id or each.answer is None]
        click.echo(json.dumps({"questions": rows}))
        return 0
    if number is not None:
        click.echo(f"question {number} is answered, for {'all' if to_all else 'the asker'}")
        return 0
    shown = [each for each in asked if everything or each.answer is None]
    for each in shown:
        _show(each)
    if not shown:
        click.echo("no question is open")
    return 0


def _show(each: ClarificationRecord) -> None:
    from grader.terminal.console import safe

    click.echo(f"{each.id}  {local(each.asked)}  {safe(each.account)}, about {safe(each.problem or 'the contest')}")
    for line in each.question.splitlines():
        click.echo(f"   {safe(line)}")
    if each.answer is not None:
        to = "all" if each.announcement_id is not None else "the asker"
        click.echo(f"   answered by {safe(each.answered_by or '')}, to {to}:")
        for line in each.answer.splitlines():
            click.echo(f"   {safe(line)}")


def _data(each: ClarificationRecord) -> dict[str, object]:
    return {
        "id": each.id,
        "user": each.account,
        "problem": each.problem,
        "asked": each.asked.isoformat(),
        "question": each.question,
        "answered": None if each.answered is None else each.answered.isoformat(),
        "answered_by": each.answered_by,
        "answer": each.answer,
        "to_all": each.announcement_id is not None,
    }
