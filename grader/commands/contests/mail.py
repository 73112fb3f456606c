"""`kgrade contest mail`: mails people their sign-in links and tokens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.commands.progress import show_progress
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.accounts import Issued
    from grader.contest.mail import Journal, Letter, Server

PASSWORD = "KGRADE_SMTP_PASSWORD"
PORTS = {"starttls": 587, "tls": 465, "none": 25}


@click.command()
@contest_argument
@click.argument("file", type=click.Path())
@click.option("--url", required=True, metavar="ADDRESS", help="The site's address, for the links.")
@click.option("--smtp", required=True, metavar="HOST[:PORT]", help="The mail server.")
@click.option("--from", "sender", required=True, metavar="ADDRESS", help='Such as "Course <course@example.org>".')
@click.option(
    "--tls",
    type=click.Choice(tuple(PORTS)),
    default="starttls",
    show_default=True,
    help="How the way there is protected; none: only for a server on this machine.",
)
@click.option("--user", metavar="NAME", default="", help="The name to sign in with at the mail server, if it asks.")
@click.option("--password-file", metavar="FILE", help=f"A file with the password. Default: {PASSWORD}.")
@click.option("--per-minute", type=click.IntRange(1, 6000), default=60, show_default=True, metavar="N")
@click.option("--subject", metavar="TEXT", help="May hold $name and $title.")
@click.option(
    "--text", "text_file", metavar="FILE", help="The text, with $name, $title, $link, $token, $address in it."
)
@click.option("--dry-run", is_flag=True, help="Show what would be sent, without links, and send nothing.")
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    file: str,
    url: str,
    smtp: str,
    sender: str,
    tls: str,
    user: str,
    password_file: str | None,
    per_minute: int,
    subject: str | None,
    text_file: str | None,
    dry_run: bool,
    database: str | None,
) -> int:
    """Mail each person in FILE, written by `kgrade contest roster` or `renew`, their link and token.

    Each address gets one mail, also where this is typed again: FILE.sent keeps who has theirs. Links that hold no
    longer are left out.
    """
    from grader.contest.auth import hash_token
    from grader.contest.definitions import settings_of
    from grader.contest.mail import (
        SUBJECT,
        TEXT,
        Letter,
        open_journal,
        read_address,
        read_links,
        send_all,
        site_address,
    )

    links = Path(file)
    people = read_links(links)
    server = _server(smtp, tls, user, password_file)
    with open_contest(ctx, database, slug) as found:
        title = settings_of(found, slug).title
        valid = [
            person
            for person in people
            if (account := found.account_by_link(hash_token(person.link))) is not None and account.contest == slug
        ]
        letter = Letter(read_address(sender), title, site_address(url), subject or SUBJECT, _text(text_file) or TEXT)
        with open_journal(links, writes=not dry_run) as journal:
            chosen, remarks = _choose(valid, journal, letter)
            if len(valid) < len(people):
                remarks.append(
                    f"{len(people) - len(valid)} links hold no longer: type kgrade contest renew {slug} NAME"
                )
            for remark in remarks:
                click.echo(f"kgrade: {remark}", err=True)
            if dry_run:
                _show(letter, [person.email for person in chosen], server.host)
                return 0
            if not chosen:
                click.echo("there is nobody to mail to")
                return 0
            found.audit(who(), "links are mailed", slug, {"people": len(chosen)})
            with show_progress(False, "connecting") as say:
                tally = send_all(server, letter, chosen, journal, per_minute=per_minute, say=say)
    click.echo(f"{tally.sent} mailed")
    if tally.refused:
        click.echo(f"kgrade: {tally.refused} addresses were refused; see {links}.sent", err=True)
    if tally.later:
        click.echo(f"kgrade: {tally.later} were not taken now: type the same again in a while", err=True)
    return 1 if tally.refused or tally.later else 0


def _choose(people: list[Issued], journal: Journal, letter: Letter) -> tuple[list[Issued], list[str]]:
    """Who gets a mail now, and what is to be said of the others."""
    from grader.contest.mail import BEGUN, REFUSED, SENT, compose

    chosen: list[Issued] = []
    states: dict[str, int] = {}
    remarks = []
    for person in people:
        state = journal.state(person.email)
        if state:
            states[state] = states.get(state, 0) + 1
            if state == BEGUN:
                remarks.append(
                    f"{person.email} may have theirs: it was being sent when an earlier run was cut. If not, make a "
                    f"new one (kgrade contest renew), and mail that file"
                )
            continue
        if any(person.email.casefold() == other.email.casefold() for other in chosen):
            continue
        try:
            compose(letter, person)
        except ValueError as error:
            remarks.append(f"{person.email!r} gets no mail: {error}")
            continue
        chosen.append(person)
    if states.get(SENT):
        remarks.append(f"{states[SENT]} have theirs")
    if states.get(REFUSED):
        remarks.append(f"{states[REFUSED]} were refused before")
    return chosen, remarks


def _show(letter: Letter, addresses: list[str], host: str) -> None:
    """Prints who would get a mail, and one with placeholders for what is secret."""
    from grader.contest.accounts import Issued
    from grader.contest.mail import compose
    from grader.terminal.console import safe

    sample = compose(letter, Issued("NAME", "name@example.org", "LINK", "TOKEN"))
    click.echo(f"{len(addresses)} {'mail' if len(addresses) == 1 else 'mails'} would go through {host}:")
    for address in addresses:
        click.echo(f"  {safe(address)}")
    click.echo(f"\nFrom: {safe(str(sample['From']))}\nSubject: {safe(str(sample['Subject']))}\n")
    click.echo(safe(sample.get_content()))


def _server(smtp: str, tls: str, user: str, password_file: str | None) -> Server:
    from grader.contest.client import LOCAL
    from grader.contest.mail import PLAIN, Server

    host, colon, port = smtp.rpartition(":") if not smtp.endswith("]") else (smtp, "", "")
    host, port = (host, port) if colon else (smtp, "")
    if not host or (port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536)):
        raise UsageError(f"--smtp {smtp}: HOST or HOST:PORT is expected", "type: --smtp mail.example.org")
    host = host.strip("[]")
    if tls == PLAIN and host not in LOCAL:
        raise UsageError(
            f"--tls none would send links and password to {host} in the open", "leave --tls out, or type: --tls tls"
        )
    return Server(host, int(port) if port else PORTS[tls], tls, user, _password(password_file) if user else "")


def _password(file: str | None) -> str:
    if file is None:
        password = os.environ.get(PASSWORD, "")
        if not password:
            raise UsageError("--user needs a password", f"set {PASSWORD}, or type: --password-file FILE")
        return password
    try:
        if Path(file).stat().st_mode & 0o077:
            raise UsageError(f"others on this machine can read {file}", f"type: chmod 600 {file}")
        return Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} can't be read: {error}", "name a file with the password") from None


def _text(file: str | None) -> str:
    if file is None:
        return ""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} can't be read: {error}", "name a text file in UTF-8") from None
