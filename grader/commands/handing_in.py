"""Implements `kgrade submit` and `kgrade test` with --contest: sends a file, shows its progress, prints the report."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.grading import json_object, print_result
from grader.core.errors import JudgeError, UsageError
from grader.languages.registry import read_submission

if TYPE_CHECKING:
    from rich.status import Status

    from grader.core.report import Report


def refuse_options_of_home(ctx: click.Context) -> None:
    """Raises UsageError for options without effect in a contest, which decides how its submissions are graded."""
    if ctx.get_parameter_source("gpu_name") is click.core.ParameterSource.COMMANDLINE:
        raise UsageError("--gpu has no effect with --contest: the contest decides", "leave --gpu out")
    for name in ("user", "cases", "seed", "device", "deadline", "require_sandbox", "problem_set"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "problems" if name == "problem_set" else name.replace("_", "-")
            raise UsageError(f"--{option} has no effect with --contest: the contest decides", f"leave --{option} out")
    if ctx.get_parameter_source("language") is click.core.ParameterSource.COMMANDLINE:
        raise UsageError(
            "--language has no effect with --contest: the server sees the language from the file",
            "leave --language out; the first line of a .py file may say it, as in # language: triton",
        )


def hand_in(contest: str, problem: str, file: str, *, as_json: bool) -> int:
    """Submits `file`, waits for its verdict, and returns the exit code; Ctrl-C only ends the waiting."""
    from grader.contest.client import StudentClient
    from grader.contest.logins import login_of
    from grader.terminal.console import messages

    contest, login = login_of(contest)
    submission = read_submission(Path(file))
    client = StudentClient(login.server, login.token)
    try:
        with nullcontext() if as_json else messages().status("handing in") as status:
            client.say = _teller(status)
            number = client.submit(problem, submission.path_name, submission.text, secrets.token_urlsafe(16))
        page = f"{client.address}/contests/{contest}/submissions/{number}"
        try:
            _follow(client.watch(number), "submitted", quiet=as_json)
        except KeyboardInterrupt:
            click.echo(f"submission {number} is handed in and will be judged; see {page}", err=True)
            return 130
        found, report = client.report(number)
    finally:
        client.close()
    if report is None:
        raise JudgeError(f"submission {number} could not be judged; it costs you nothing", f"see {page}")
    remark = " (practice: it does not count)" if found["practice"] else ""
    return _print(report, file, contest + remark, page, as_json=as_json, number=number, points=_points(found))


def try_out(contest: str, problem: str, file: str, cases: Sequence[Mapping[str, int]], *, as_json: bool) -> int:
    """Has the contest's server try `file` on visible cases and returns the exit code; nothing is recorded.

    `cases` has at most one case, whose sizes are tried alone. Raises UsageError for more.
    """
    from grader.contest.client import StudentClient
    from grader.contest.logins import login_of
    from grader.contest.records import HELD
    from grader.terminal.console import messages

    if len(cases) > 1:
        raise UsageError(
            f"--case is given {len(cases)} times: with --contest one run tries one case", "give one --case a run"
        )
    sizes = " ".join(f"{name}={number}" for case in cases for name, number in case.items())
    contest, login = login_of(contest)
    submission = read_submission(Path(file))
    client = StudentClient(login.server, login.token)
    try:
        with client.understood():
            with nullcontext() if as_json else messages().status("sending") as status:
                client.say = _teller(status)
                number = client.run(problem, submission.path_name, submission.text, sizes)
            page = f"{client.address}/contests/{contest}/runs/{number}"
            try:
                _follow(client.watch(number, of="runs"), "sent", quiet=as_json)
            except KeyboardInterrupt:
                click.echo(f"nothing is recorded; for an hour the result of the run is at {page}", err=True)
                return 130
            found, report = client.report(number, of="runs")
            held = found["state"] == HELD
    finally:
        client.close()
    if report is None and held:
        raise JudgeError("the judge came to no end with this run; nothing was recorded", "try again, or tell staff")
    if report is None:
        raise UsageError("a later run of yours took the place of this one", "run one file at a time")
    return _print(report, file, f"{contest} (a run: nothing was recorded)", page, as_json=as_json)


def _teller(status: Status | None) -> Callable[[str], None]:
    """How the reason for a wait is told: beside the spinner, or once each where there is none."""
    if status is not None and status.console.is_terminal:
        return status.update
    told: set[str] = set()

    def tell(text: str) -> None:
        if text not in told:
            click.echo(f"kgrade: {text}", err=True)
        told.add(text)

    return tell


def _follow(news: Iterable[str], begins: str, *, quiet: bool) -> None:
    """Shows the progress until it ends."""
    from grader.terminal.console import messages

    with nullcontext() if quiet else messages().status(begins) as status:
        for words in news:
            if status is not None:
                status.update(words)


def _points(found: Mapping[str, Any]) -> str:
    """The points by group, of a problem with partial credit; empty without."""
    from grader.contest.partial import WORDS

    parts = found.get("parts") or ()
    return ", ".join(
        f"{WORDS.get(each['group'], each['group'])} {each['points']['value']:.4g} of {each['most']:g}" for each in parts
    )


def _print(
    report: Report,
    file: str,
    contest: str,
    page: str,
    *,
    as_json: bool,
    number: int | None = None,
    points: str = "",
) -> int:
    if as_json:
        click.echo(json.dumps({**json_object(report, number), "page": page}, allow_nan=False))
    else:
        print_result(report, file, as_json=False, number=number)
        from grader.terminal.console import safe

        if points:
            click.echo(f"  points    {safe(points)}")
        click.echo(f"  contest   {contest}\n  page      {page}")
    return report.verdict.facts.exit_code
