"""Implements `kgrade list`, `history` and `leaderboard` with --contest: what the contest's server says, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.client import StudentClient


def refuse_options(ctx: click.Context, *names: str) -> None:
    """Raises UsageError if an option was given that has no effect with --contest."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = {"tags": "tag", "problem_set": "problems", "folder": "html", "as_json": "json"}.get(name, name)
            raise UsageError(f"--{option} has no effect with --contest", f"leave --{option} out")


def list_problems(contest: str, *, unsolved: bool) -> int:
    """Prints the contest's problems with the account's result on each."""
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    with _client(contest) as (contest, client):
        about, own = client.contest(contest), client.submissions()
        if about["problems"] is None:
            start = datetime.fromisoformat(about["start"])
            raise UsageError(f"'{contest}' has not started", f"its problems are shown from {_local(start)}")
        table = plain_table("problem", "title", "weight", "yours", numbers=("weight",), whole=("problem", "yours"))
        for each in about["problems"]:
            yours = _result([row for row in own if row["problem"] == each["name"]])
            if not (unsolved and yours.startswith("accepted")):
                table.add_row(safe(each["name"]), safe(each["title"]), f"{each['weight']:g}", yours)
    output().print(table)
    return 0


def show_history(contest: str, problem: str | None, limit: int) -> int:
    """Prints the account's and its team's submissions, newest first."""
    from rich.text import Text

    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    with _client(contest) as (contest, client):
        if problem is not None:
            _check_problem(client, contest, problem)
        rows = client.submissions(problem)
        # Only a team's are of several people.
        users = ["user"] if len({row["user"] for row in rows}) > 1 else []
        columns = ("no", "date", "problem", *users, "file", "language", "verdict", "score")
        table = plain_table(*columns, numbers=("no", "score"), whole=("date", "verdict"))
        for row in rows[:limit]:
            words = str(row["verdict"] or row["state"]) + _remark(row)
            table.add_row(
                str(int(row["id"])),
                _local(datetime.fromisoformat(row["submitted"])),
                *(safe(str(row[key])) for key in ("problem", *users, "file")),
                safe(row["language"] or ""),
                Text(safe(words), style=_style(row["verdict"])),
                "" if row["score"] is None else f"{row['score']:.3f}",
            )
    if not rows:
        click.echo(f"nothing was handed in yet; start with: kgrade submit PROBLEM FILE --contest {contest}")
        return 0
    console = output()
    console.print(table)
    if len(rows) > limit:
        more = f"kgrade history --contest {contest} --limit {len(rows)}"
        console.print(f"{len(rows) - limit} older ones: {more}", style="dim")
    return 0


def show_scoreboard(contest: str) -> int:
    """Prints the contest's scoreboard as the account may see it."""
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    with _client(contest) as (contest, client):
        board = client.scoreboard(contest)
        # An older server has no word for it.
        scored_by = client.contest(contest).get("scored_by", "")
        problems = [safe(cell["problem"]) for row in board["rows"][:1] for cell in row["cells"]]
        numbers = ("rank", "points", *problems)
        table = plain_table("rank", "name", "points", *problems, numbers=numbers, whole=numbers)
        for row in board["rows"]:
            cells = [safe(_cell(cell)) for cell in row["cells"]]
            table.add_row(str(int(row["rank"])), safe(row["name"]), f"{row['points']['value']:.3f}", *cells)
        frozen = board["frozen"] is True
    console = output()
    console.print(table)
    if scored_by:
        console.print(f"points by {safe(scored_by)}", style="dim")
    if frozen:
        console.print("frozen: what was submitted since is hidden until staff reveal it", style="dim")
    return 0


@contextmanager
def _client(contest: str) -> Iterator[tuple[str, StudentClient]]:
    """The contest's name and a client signed in to it; answers of another form become errors that name the server."""
    from grader.contest.client import StudentClient
    from grader.contest.logins import login_of

    slug, login = login_of(contest)
    client = StudentClient(login.server, login.token)
    try:
        with client.understood():
            yield slug, client
    finally:
        client.close()


def _check_problem(client: StudentClient, contest: str, problem: str) -> None:
    known = [each["name"] for each in client.contest(contest)["problems"] or ()]
    if problem not in known:
        raise UsageError(
            f"there is no problem '{problem}' in '{contest}'", f"see them with: kgrade list --contest {contest}"
        )


def _result(rows: Sequence[dict[str, Any]]) -> str:
    """The best of the submissions to one problem, in a few words."""
    scores = [row["score"] for row in rows if row["verdict"] == "accepted"]
    if scores:
        best = max((score for score in scores if score is not None), default=None)
        return "accepted" if best is None else f"accepted, {best:.3f}"
    return "" if not rows else f"{len(rows)} {'try' if len(rows) == 1 else 'tries'}"


def _remark(row: dict[str, Any]) -> str:
    found = [word for word in ("practice", "disqualified") if row[word]]
    return f" ({', '.join(found)})" if found else ""


def _style(verdict: str | None) -> str:
    return "" if verdict is None else "green" if verdict == "accepted" else "red"


def _cell(cell: dict[str, Any]) -> str:
    if cell["verdict"] == "accepted" or cell["points"]["value"] > 0:
        shown = f"{cell['points']['value']:.3f}"
    else:
        shown = str(cell["verdict"]).replace("_", " ") if cell["verdict"] else "–"
    more = [f"{cell[key]} {key}" for key in ("pending", "hidden") if cell[key]]
    return f"{shown} ({', '.join(more)})" if more else shown


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
