"""`kgrade contest`: an instructor's commands to set up a contest, run it, and publish its results.

It knows only the commands' names.
"""

from __future__ import annotations

import click

from grader.commands.lazy import LazyGroup

COMMANDS: dict[str, str] = {
    "new": "Write a contest's file, with everything explained in it.",
    "check": "Check a contest's file, and let its settings hold.",
    "roster": "Make accounts and sign-in links of a CSV file.",
    "admit": "Show who asks to enter without being on the roster, and let them in.",
    "mail": "Mail people their sign-in links.",
    "renew": "Give people new sign-in links and tokens.",
    "revoke": "End a person's sign-in link, token and sessions.",
    "extend": "Give a student more time.",
    "team": "Put a student into a team, or out of it.",
    "announce": "Tell all students something.",
    "clarify": "Show students' questions, and answer them.",
    "disqualify": "Take a student or a submission off the scoreboard, for a reason.",
    "rejudge": "Judge submissions again, look at what would change, apply it or drop it.",
    "similar": "Show submissions that are near-copies of each other.",
    "unfreeze": "Show what the freeze hides, step by step or at once.",
    "export": "Write the results as CSV, for Gradescope, or for Autolab.",
    "archive": "Write the whole contest as pages and a data file.",
    "restore": "Read an archive back.",
    "worker": "Let a machine in that judges, or shut it out.",
    "audit": "Show who changed what and when.",
    "status": "Show how a contest stands, or all of them.",
}
"""Command `NAME` is the click command `command` in `grader/commands/contests/NAME.py`."""


class ContestGroup(LazyGroup):
    package = "grader.commands.contests"
    table = COMMANDS


@click.group(cls=ContestGroup, epilog="Start with 'kgrade contest new cs149-a1'.")
def command() -> None:
    """Host a contest: set it up, run it, hand out its results.

    A contest is a file, contests/NAME/contest.toml in the workspace, and a database, contests/contests.db beside it
    unless --database or KGRADE_DATABASE names another one. `kgrade serve` shows it to students.
    """
