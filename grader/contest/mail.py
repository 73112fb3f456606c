"""Mails people their personal sign-in links, through an SMTP server that the instructor names.

Each address gets one mail: a journal beside the file of links is written before and after each, so that a run that was
cut goes on where it ended and repeats nothing. Links and tokens go into the mails alone, not into messages and journal.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import smtplib
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from pathlib import Path
from string import Template
from typing import TextIO
from urllib.parse import urlsplit

from grader.contest.accounts import Issued
from grader.contest.client import LOCAL
from grader.contest.naming import plain_name
from grader.core.errors import JudgeError, UsageError, WorkspaceError

COLUMNS = ["name", "email", "link", "token"]
MOST_BYTES = 10_000_000
SECONDS = 30.0
STARTTLS, TLS, PLAIN = "starttls", "tls", "none"
BEGUN, SENT, REFUSED = "begun", "sent", "refused"
SUBJECT = "Your sign-in link for $title"
TEXT = """\
Hello $name,

this is your personal link to $title:

$link

Open it, and press Sign in. Keep it to yourself: who has it hands in as you. In a terminal sign in by

    kgrade login $address

with the token

    $token

$address/client says how to install kgrade.
"""


@dataclass(frozen=True)
class Server:
    """An SMTP server. `tls` is "starttls", "tls" or, for one on this machine alone, "none"."""

    host: str
    port: int
    tls: str = STARTTLS
    user: str = ""
    password: str = ""


@dataclass(frozen=True)
class Letter:
    """What all mails have in common; `subject` and `text` hold $name, $title, $link, $token and $address."""

    sender: Address
    title: str
    address: str
    subject: str = SUBJECT
    text: str = TEXT


@dataclass
class Tally:
    """How a mailing ended: mails sent, addresses that the server refused for good, and those to try again."""

    sent: int = 0
    refused: int = 0
    later: int = 0


def read_links(path: Path) -> list[Issued]:
    """The people in a file that `kgrade contest roster` or `renew` wrote. Raises UsageError."""
    hint = "name the file that kgrade contest roster or renew wrote"
    try:
        text = path.read_bytes()[: MOST_BYTES + 1].decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}", hint) from None
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or rows[0] != COLUMNS or len(text) > MOST_BYTES or any(len(row) != len(COLUMNS) for row in rows):
        raise UsageError(f"{path} is no file of links: its first line is {','.join(COLUMNS)}", hint)
    return [Issued(name, email, link.rpartition("/")[2], token) for name, email, link, token in rows[1:]]


def read_address(text: str) -> Address:
    """An address such as "Course <course@example.org>". Raises UsageError."""
    name, bracket, rest = text.rpartition("<")
    try:
        found = _address(name.strip().strip('"'), rest.removesuffix(">") if bracket else text.strip())
    except ValueError as error:
        raise UsageError(f"'{text}' is no e-mail address: {error}", 'write "Course <course@example.org>"') from None
    return found


def site_address(text: str) -> str:
    """The site's address for the links. Raises UsageError for one that leads only to the reader's own machine."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.hostname in LOCAL:
        raise UsageError(f"'{text}' is not an address that others can reach", "type: --url https://grader.example.org")
    return text.rstrip("/")


def compose(letter: Letter, person: Issued) -> EmailMessage:
    """The mail to one person. Raises ValueError for a name or an address that no header can hold."""
    name = plain_name(person.account)
    words = {
        "name": name,
        "title": letter.title,
        "link": f"{letter.address}/sign-in/{person.link}",
        "token": person.token,
        "address": letter.address,
    }
    message = EmailMessage(policy=SMTP)
    message["From"] = letter.sender
    message["To"] = _address(name, person.email)
    message["Subject"] = _one_line(_filled(letter.subject, words))
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=letter.sender.domain)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_filled(letter.text, words))
    if BytesParser(policy=SMTP).parsebytes(message.as_bytes()).keys() != message.keys():
        raise ValueError(f"the mail to {person.email!r} would not be read as it was written")
    return message


def _filled(text: str, words: dict[str, str]) -> str:
    try:
        return Template(text).substitute(words)
    except (KeyError, ValueError) as error:
        known = ", ".join(f"${word}" for word in words)
        raise UsageError(f"the text can't be filled in: {error}", f"it may hold {known}; $$ is a dollar sign") from None


def _address(name: str, email: str) -> Address:
    """Raises ValueError: what is not printable, such as a line's end, would begin another header."""
    if not email.isascii():
        raise ValueError(f"'{email}' has letters that mail servers don't all take")
    user, _, domain = email.rpartition("@")
    if not user or not domain or any(c.isspace() for c in email):
        raise ValueError(f"'{email}' is not of the form name@domain")
    return Address(_one_line(name), _one_line(user), _one_line(domain))


def _one_line(text: str) -> str:
    """Raises ValueError for what could begin another header.

    Python's writer of headers decodes what looks encoded: "=?utf-8?q?=0ABcc:_all?=" would become a line of its own.
    """
    if not text.isprintable() or "=?" in text:
        raise ValueError(f"{text!r} has characters that can't be shown in a header")
    return text


class Journal:
    """What became of each address, a line of JSON each, in a file that its owner alone can read."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._states: dict[str, str] = {}
        for line in file:
            # The line at which a run was cut is none.
            with suppress(ValueError, KeyError, TypeError):
                entry = json.loads(line)
                self._states[str(entry["email"])] = str(entry["state"])

    def state(self, email: str) -> str | None:
        return self._states.get(email.casefold())

    def note(self, email: str, state: str) -> None:
        """Notes the state, on the disk before it returns."""
        self._states[email.casefold()] = state
        self._file.write(json.dumps({"email": email.casefold(), "state": state, "at": formatdate()}) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(links: Path, *, writes: bool = True) -> Iterator[Journal]:
    """The journal of a file of links. Raises UsageError while another mailing of it runs.

    Without `writes` there need be none, and none is made.
    """
    path = links.with_name(f"{links.name}.sent")
    if not writes:
        text = path.read_text() if path.exists() else ""
        yield Journal(io.StringIO(text))
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror}", "free the place, or move the file") from None
    with os.fdopen(descriptor, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another mailing of {links} runs", "wait for its end") from None
        yield Journal(file)


def send_all(
    server: Server,
    letter: Letter,
    people: Sequence[Issued],
    journal: Journal,
    *,
    per_minute: int,
    say: Callable[[str], None] = lambda text: None,
) -> Tally:
    """Mails to each of the people and notes it. An address that is refused does not keep others from theirs.

    Raises JudgeError if the server can't be reached, or goes away; what was sent until then is noted.
    """
    tally = Tally()
    # All are composed first: a faulty template is said before anything is sent.
    letters = [(person, compose(letter, person)) for person in people]
    with _connected(server) as smtp:
        for number, (person, message) in enumerate(letters, start=1):
            if number > 1:
                time.sleep(60 / per_minute)
            journal.note(person.email, BEGUN)
            try:
                smtp.send_message(message, letter.sender.addr_spec, [person.email])
            except smtplib.SMTPRecipientsRefused as refused:
                code, words = next(iter(refused.recipients.values()))
                _note_refusal(journal, tally, person, code)
                say(f"{person.email}: {_reason(code, words)}")
            except smtplib.SMTPSenderRefused as error:
                # It would refuse it for everybody.
                journal.note(person.email, "")
                told = f"{server.host} takes no mail from {letter.sender.addr_spec}: "
                told += _reason(error.smtp_code, error.smtp_error)
                raise UsageError(told, "see --from and --user; type it again, and it goes on where it ended") from None
            except smtplib.SMTPResponseException as error:
                # Answered, and not taken: it may be tried again.
                _note_refusal(journal, tally, person, error.smtp_code)
                say(f"{person.email}: {_reason(error.smtp_code, error.smtp_error)}")
            except (OSError, smtplib.SMTPException) as error:
                raise _away(server, error, f"{tally.sent} were sent") from error
            else:
                journal.note(person.email, SENT)
                tally.sent += 1
            say(f"{number} of {len(people)}")
    return tally


def _note_refusal(journal: Journal, tally: Tally, person: Issued, code: int) -> None:
    """Codes from 500 are for good, others for now (RFC 5321, section 4.2.1)."""
    if code >= 500:
        journal.note(person.email, REFUSED)
        tally.refused += 1
    else:
        journal.note(person.email, "")
        tally.later += 1


@contextmanager
def _connected(server: Server) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    try:
        if server.tls == TLS:
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=SECONDS, context=context)
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=SECONDS)
    except (OSError, smtplib.SMTPException) as error:
        raise _away(server, error, "nothing was sent") from error
    try:
        try:
            if server.tls == STARTTLS:
                smtp.starttls(context=context)
            if server.user:
                smtp.login(server.user, server.password)
        except smtplib.SMTPAuthenticationError as error:
            words = f"{server.host} does not let '{server.user}' in: {_reason(error.smtp_code, error.smtp_error)}"
            raise UsageError(words, "see that name and password are right; nothing was sent") from None
        except (OSError, smtplib.SMTPException) as error:
            raise _away(server, error, "nothing was sent") from error
        yield smtp
        with suppress(OSError, smtplib.SMTPException):
            smtp.quit()
    finally:
        smtp.close()


def _away(server: Server, error: Exception, done: str) -> JudgeError:
    words = f"{server.host}:{server.port} can't be used: {_plain(str(error) or type(error).__name__)}; {done}"
    return JudgeError(words, "see host, port and --tls; type the same again, and it goes on where it ended")


def _reason(code: int, words: bytes | str) -> str:
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return f"{code} {_plain(text)}"


def _plain(text: str) -> str:
    """A server's words on one line."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]
