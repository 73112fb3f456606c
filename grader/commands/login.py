"""`kgrade login`: stores the token of a contest for `kgrade submit --contest`."""

from __future__ import annotations

import sys

import click

from grader.core.errors import UsageError


@click.command()
@click.argument("url")
@click.option("--token", metavar="TOKEN", envvar="KGRADE_TOKEN", help="The token. Default: it is asked for.")
def command(url: str, token: str | None) -> int:
    """Sign in to the contest server at URL with the token that you were given.

    The token is kept in your folder of settings, in a file that only you can read.
    """
    from grader.contest.client import StudentClient, checked_address, is_unprotected
    from grader.contest.logins import Login, contest_in, remember
    from grader.terminal.console import safe

    address = checked_address(url)
    if is_unprotected(address):
        click.echo(f"kgrade: {address} is not encrypted: whoever is on the way can read your token", err=True)
    given = (token or _asked()).strip()
    if not given:
        raise UsageError("no token was given", "it came with your personal link; ask for a new one")
    if "/" in given:
        raise UsageError(
            f"'{given[:30]}…' is no token, but an address",
            "the token stands beside your link, which is for a browser",
        )
    client = StudentClient(address, given)
    try:
        me = client.me()
    finally:
        client.close()
    slug, named = me["contest"], contest_in(url)
    if named and named != slug:
        raise UsageError(f"this token is for the contest '{slug}', not for '{named}'", f"type: kgrade login {address}")
    remember(slug, Login(address, given))
    click.echo(f"Signed in to {slug} as {safe(me['name'])}. Now: kgrade submit PROBLEM FILE --contest {slug}")
    return 0


def _asked() -> str:
    """Reads the token from a prompt without echo, so that it is in no shell history, or from a pipe."""
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    answer: str = click.prompt("Token", hide_input=True, err=True)
    return answer
