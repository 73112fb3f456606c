"""Implements `kgrade submit --contest`: submits a file, shows its progress, and prints the report."""

from __future__ import annotations

import json
import secrets
from contextlib import nullcontext
from pathlib import Path

import click

from grader.commands.grading import json_object, print_result
from grader.core.errors import JudgeError
from grader.languages.registry import read_submission


def hand_in(contest: str, problem: str, file: str, *, as_json: bool) -> int:
    """Submits `file`, waits for its verdict, and returns the exit code; Ctrl-C only ends the waiting."""
    from grader.contest.client import StudentClient
    from grader.contest.logins import login_of
    from grader.terminal.console import messages

    login = login_of(contest)
    submission = read_submission(Path(file))
    client = StudentClient(login.server, login.token)
    try:
        with nullcontext() if as_json else messages().status("handing in") as status:
            if status is not None:
                client.say = status.update
            number = client.submit(problem, submission.path_name, submission.text, secrets.token_urlsafe(16))
        page = f"{client.address}/contests/{contest}/submissions/{number}"
        try:
            if as_json:
                for _ in client.watch(number):
                    pass
            else:
                with messages().status("submitted") as status:
                    for words in client.watch(number):
                        status.update(words)
        except KeyboardInterrupt:
            click.echo(f"submission {number} is handed in and will be judged; see {page}", err=True)
            return 130
        found, report = client.report(number)
    finally:
        client.close()
    if report is None:
        raise JudgeError(f"submission {number} could not be judged; it costs you nothing", f"see {page}")
    if as_json:
        data = {**json_object(report, number), "page": page}
        click.echo(json.dumps(data, allow_nan=False))
    else:
        print_result(report, file, as_json=False, number=number)
        remark = " (practice: it does not count)" if found["practice"] else ""
        click.echo(f"  contest   {contest}{remark}\n  page      {page}")
    return report.verdict.facts.exit_code
