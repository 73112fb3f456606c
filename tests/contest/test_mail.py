"""Mails of sign-in links, against SMTP servers of the tests' own: each once, none to a wrong place, no link told."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, cast

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from grader.cli import run
from grader.contest.accounts import Issued, renew, write_secrets
from grader.contest.auth import hash_token
from grader.contest.database import Database
from grader.contest.mail import Letter, compose, read_address, read_links
from grader.contest.records import NewAccount
from grader.contest.settings import settings_to_json
from grader.core.errors import UsageError

from .site_samples import SLUG, settings

PEOPLE = {"Ada Lovelace": "ada@example.org", "Jörg (2)": "joerg@example.org", "Bob": "bob@example.org"}


class Mailbox:
    """Takes mail; `codes` are its answers to addresses that it does not take."""

    def __init__(self) -> None:
        self.taken: list[tuple[list[str], EmailMessage]] = []
        self.codes: dict[str, str] = {}
        self.cut_after: int | None = None

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.codes:
            return self.codes[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.cut_after == len(self.taken):
            # aiosmtpd's way to hang up.
            server.transport.close()
            return "421 gone"
        message = cast(EmailMessage, message_from_bytes(envelope.content, policy=default))
        self.taken.append((list(envelope.rcpt_tos), message))
        return "250 taken"

    @property
    def addresses(self) -> list[str]:
        return [address for to, _ in self.taken for address in to]


class AnyPort(Controller):
    """A server at a port that the system chose."""

    @property
    def listens(self) -> int:
        return int(cast(asyncio.Server, self.server).sockets[0].getsockname()[1])

    def _trigger_server(self) -> None:
        """It waits for a first connection, which by itself it makes to the port that it was told."""
        with socket.create_connection(("127.0.0.1", self.listens)) as first:
            first.recv(1024)


@contextmanager
def serving(box: Mailbox, **options: Any) -> Iterator[str]:
    controller = AnyPort(box, hostname="127.0.0.1", port=0, ready_timeout=60, **options)
    controller.start()
    try:
        yield f"127.0.0.1:{controller.listens}"
    finally:
        controller.stop()


@pytest.fixture
def box() -> Mailbox:
    return Mailbox()


@pytest.fixture
def smtp(box: Mailbox) -> Iterator[str]:
    with serving(box) as address:
        yield address


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of links in a workspace with a contest."""
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("KGRADE_DATABASE", raising=False)
    monkeypatch.delenv("KGRADE_SMTP_PASSWORD", raising=False)
    issued = [Issued(name, email, f"link-of-{email}", f"token-of-{email}") for name, email in PEOPLE.items()]
    database = Database(str(tmp_path / "contests" / "contests.db"))
    database.add_contest(SLUG, settings_to_json(settings()), who="test")
    database.add_accounts(
        SLUG,
        [NewAccount(i.account, i.email, token_hash=hash_token(i.token), link_hash=hash_token(i.link)) for i in issued],
        who="test",
    )
    database.close()
    path = tmp_path / "links.csv"
    write_secrets(path, issued, "http://127.0.0.1:8000")
    return path


def mail(links: Path, smtp: str, *more: str, tls: str = "none") -> int:
    words = ["contest", "mail", SLUG, str(links), "--url", "https://grader.example.org", "--smtp", smtp, "--tls", tls]
    return run([*words, "--from", "CS 149 <course@example.org>", "--per-minute", "6000", *more])


def test_each_gets_their_own_link_once(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mail(links, smtp) == 0
    printed = capsys.readouterr()
    assert "3 mailed" in printed.out and "link-of" not in printed.out + printed.err
    assert box.addresses == list(PEOPLE.values())
    to, message = box.taken[1]
    # Without the number that tells namesakes apart.
    assert to == ["joerg@example.org"] and str(message["To"]) == "Jörg <joerg@example.org>"
    assert str(message["From"]) == "CS 149 <course@example.org>"
    assert str(message["Subject"]) == '"Your sign-in link for CS 149, assignment 1"'.strip('"')
    text = message.get_content()
    assert "https://grader.example.org/sign-in/link-of-joerg@example.org" in text and "token-of-joerg" in text
    assert "ada" not in text and message["Message-ID"].endswith("@example.org>")
    kept = links.with_name("links.csv.sent")
    assert kept.stat().st_mode & 0o777 == 0o600 and "link-of" not in kept.read_text()
    assert mail(links, smtp) == 0
    assert "nobody to mail to" in capsys.readouterr().out and len(box.taken) == 3


def test_a_dry_run_sends_nothing_and_shows_no_link(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    text = links.with_name("text.txt")
    text.write_text("Dear $name, $link costs $$1")
    assert mail(links, smtp, "--dry-run", "--text", str(text), "--subject", "For $name") == 0
    printed = capsys.readouterr().out
    assert "3 mails would go" in printed and "ada@example.org" in printed and "Subject: For NAME" in printed
    assert "Dear NAME, https://grader.example.org/sign-in/LINK costs $1" in printed and "link-of" not in printed
    assert box.taken == [] and not links.with_name("links.csv.sent").exists()


def test_a_mailing_that_was_cut_goes_on_where_it_ended(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    box.cut_after = 1
    assert mail(links, smtp) == 3
    assert "1 were sent" in capsys.readouterr().err
    box.cut_after = None
    assert mail(links, smtp) == 0
    told = capsys.readouterr().err
    # Whether it was taken is not known: it is not sent twice.
    assert "joerg@example.org may have theirs" in told and "1 have theirs" in told
    assert box.addresses == ["ada@example.org", "bob@example.org"]


def test_an_address_that_is_refused_keeps_nobody_else_from_theirs(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    box.codes = {"ada@example.org": "550 nobody here", "bob@example.org": "450 come back later"}
    assert mail(links, smtp) == 1
    told = capsys.readouterr().err
    assert "1 addresses were refused" in told and "1 were not taken now" in told
    box.codes = {}
    assert mail(links, smtp) == 0
    assert box.addresses == ["joerg@example.org", "bob@example.org"]


def test_links_that_hold_no_longer_are_left_out(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(str(links.parent / "contests" / "contests.db"))
    renew(database, [database.account_by_name(SLUG, "Bob")], lambda issued: None, who="test")
    database.close()
    assert mail(links, smtp) == 0
    assert "1 links hold no longer" in capsys.readouterr().err
    assert box.addresses == ["ada@example.org", "joerg@example.org"]


def test_two_mailings_of_one_file_do_not_run_at_once(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    with links.with_name("links.csv.sent").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert mail(links, smtp) == 2
    assert "another mailing" in capsys.readouterr().err and box.taken == []


@pytest.mark.parametrize(
    "name",
    [
        "Eve\r\nBcc: all@example.org",
        "Eve\nX: y",
        "Eve\0",
        "Eve\x85Bcc: a@b.org",
        "Eve\u2028x",
        "Eve\ud800",
        "Eve =?utf-8?q?x=0ABcc:_x?=",
    ],
)
def test_a_name_can_not_begin_a_header(
    links: Path, smtp: str, box: Mailbox, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    letter = Letter(read_address("course@example.org"), "Title", "https://x.org")
    with pytest.raises(ValueError, match="can't be shown"):
        compose(letter, Issued(name, "eve@example.org", "l", "t"))
    with pytest.raises(ValueError, match=r".+"):
        compose(letter, Issued("Eve", f"eve@example.org{name[3:]}", "l", "t"))
    with pytest.raises(ValueError, match="can't be shown"):
        compose(Letter(letter.sender, f"T{name}", letter.address), Issued("Eve", "eve@example.org", "l", "t"))


@pytest.mark.parametrize(
    "name", ["Eve, <all@example.org>", 'Eve" <all@example.org>, "x', "Eve: x;", "Eve (all@example.org)", "Eve\\"]
)
def test_a_name_is_never_a_second_address(name: str) -> None:
    letter = Letter(read_address("course@example.org"), "Title", "https://x.org")
    written = compose(letter, Issued(name, "eve@example.org", "l", "t")).as_bytes()
    found = cast(EmailMessage, message_from_bytes(written, policy=default))
    assert [each.addr_spec for each in found["To"].addresses] == ["eve@example.org"]
    assert len(found.get_all("To") or ()) == 1 and found["Bcc"] is None and found["Cc"] is None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--from", "nobody"], "no e-mail address"),
        (["--from", "Ev\ne <a@b.org>"], "no e-mail address"),
        (["--url", "http://127.0.0.1:8000"], "not an address that others can reach"),
        (["--smtp", "mail.example.org"], "in the open"),
        (["--smtp", "mail:x"], "HOST or HOST:PORT"),
        (["--user", "me"], "KGRADE_SMTP_PASSWORD"),
        (["--user", "me", "--password-file", "links.csv.none"], "can't be read"),
        (["--subject", "$nmae"], "can't be filled in"),
        (["--text", "none.txt"], "none.txt can't be read"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(
    links: Path, smtp: str, box: Mailbox, more: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mail(links, smtp, *more) == 2
    assert told in capsys.readouterr().err and box.taken == []


def test_a_server_that_is_away_or_knows_no_tls_gets_nothing(
    links: Path, smtp: str, box: Mailbox, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mail(links, "127.0.0.1:1") == 3
    assert "127.0.0.1:1 can't be used" in capsys.readouterr().err
    assert mail(links, smtp, tls="starttls") == 3
    assert "nothing was sent" in capsys.readouterr().err and box.taken == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    subprocess.run(
        [*words.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return key, cert


def test_passwords_travel_protected_and_certificates_are_checked(
    links: Path,
    box: Mailbox,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key, cert = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)

    def check(server: Any, session: Any, envelope: Any, mechanism: Any, data: Any) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"course", b"word")
        return AuthResult(success=right, handled=False)

    password = links.with_name("password")
    password.write_text("word\n")
    password.chmod(0o600)
    more = "--user", "course", "--password-file", str(password)
    with serving(box, tls_context=context, authenticator=check, auth_required=True, require_starttls=True) as smtp:
        assert mail(links, smtp, *more, tls="starttls") == 3
        assert "CERTIFICATE_VERIFY_FAILED" in capsys.readouterr().err
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        assert mail(links, smtp, tls="starttls") == 2
        assert "takes no mail from course@example.org" in capsys.readouterr().err
        monkeypatch.setenv("KGRADE_SMTP_PASSWORD", "guess")
        assert mail(links, smtp, "--user", "course", tls="starttls") == 2
        told = capsys.readouterr().err
        assert "does not let 'course' in" in told and "guess" not in told and box.taken == []
        assert mail(links, smtp, *more, tls="starttls") == 0
    assert box.addresses == list(PEOPLE.values())


def test_a_password_that_others_can_read_is_not_used(
    links: Path, smtp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    password = links.with_name("password")
    password.write_text("word\n")
    password.chmod(0o644)
    assert mail(links, smtp, "--user", "me", "--password-file", str(password)) == 2
    assert "others on this machine can read" in capsys.readouterr().err


def test_another_file_is_no_file_of_links(links: Path) -> None:
    links.write_text("name,email\nAda,ada@example.org\n")
    with pytest.raises(UsageError, match="no file of links"):
        read_links(links)
    links.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="can't be read"):
        read_links(links)
