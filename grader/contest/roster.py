"""Reads a roster: a CSV file with the columns name, email and, where wanted, team, role and subject.

Mistakes are reported with their lines. `accounts` creates the accounts.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.contest.naming import plain_name
from grader.core.errors import UsageError

COLUMNS = ("name", "email", "team", "role", "subject")
REQUIRED = ("name", "email")
ROLES = ("student", "staff")
LONGEST_NAME = 64
LONGEST_SUBJECT = 255
"""The longest `sub` in characters, by OpenID Connect Core 1.0, section 2."""
MOST_BYTES = 2_000_000
MOST_SHOWN = 20
LONGEST_CELL = 1_000
"""Characters. Putting marks over a letter into their order takes the square of their number."""
_EMAIL = re.compile(r"[^@\s,;<>\"']+@[^@\s,;<>\"']+\.[^@\s,;<>\"'.]+")


@dataclass(frozen=True)
class Person:
    """A person to be invited to a contest: a row of the file that staff hand in. `team` is None in contests without,
    `subject` is who it is to an identity provider, None if that is not said."""

    name: str
    email: str
    team: str | None = None
    role: str = "student"
    subject: str | None = None


def read_roster(path: Path, *, teams: bool = False) -> list[Person]:
    """Reads the people in the file. Raises UsageError listing every mistake with its line."""
    try:
        data = path.read_bytes()[: MOST_BYTES + 1]
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}", "name a CSV file: name,email") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES:,} bytes", "split it into several rosters")
    return parse_roster(data, str(path), teams=teams)


def parse_roster(data: bytes, place: str, *, teams: bool = False) -> list[Person]:
    """Parses a roster: UTF-8 with or without a byte order mark, any line endings; `,`, `;` or a tab between cells.

    Spreadsheets write all of these. Raises UsageError.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise UsageError(
                f"{place}, line {line}: this is not UTF-8 text", "save it as CSV UTF-8 (in a spreadsheet: Save as)"
            ) from error
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    head = lines.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    mistakes: list[str] = []
    people = list(_people(csv.reader(io.StringIO(lines), delimiter=delimiter), mistakes, teams=teams))
    if not people and not mistakes:
        mistakes.append("line 2: there is nobody in it")
    if mistakes:
        shown = mistakes[:MOST_SHOWN]
        if len(mistakes) > MOST_SHOWN:
            shown.append(f"and {len(mistakes) - MOST_SHOWN} more")
        words = shown[0] if len(shown) == 1 else f"{len(mistakes)} mistakes\n  " + "\n  ".join(shown)
        raise UsageError(
            f"{place}: {words}",
            "nobody was added; a roster begins with the line name,email (and team, role where wanted)",
        )
    return people


class _Table:
    """The cells of one row by column, in one form of each letter: "ö" and "o" with two dots look alike."""

    def __init__(self, columns: Sequence[str], cells: Sequence[str]) -> None:
        self._cells = dict(zip(columns, cells, strict=False))

    def __getitem__(self, column: str) -> str:
        return unicodedata.normalize("NFC", self._cells.get(column, "")).strip()


def _people(rows: Iterator[list[str]], mistakes: list[str], *, teams: bool) -> Iterator[Person]:
    columns = [cell.strip().lower().replace("e-mail", "email") for cell in next(rows, [])]
    missing = [column for column in (*REQUIRED, *(["team"] if teams else [])) if column not in columns]
    unknown = [column for column in columns if column and column not in COLUMNS]
    if missing or len(set(columns)) < len(columns):
        lacking = (
            f"the column{'s' * (len(missing) > 1)} {' and '.join(missing)} {'are' if missing[1:] else 'is'} missing"
        )
        what = lacking if missing else "a column is there twice"
        mistakes.append(f"line 1: {what}; it reads {_shown(','.join(columns))}")
        return
    if unknown:
        mistakes.append(f"line 1: there is no column {_shown(unknown[0])}; {', '.join(COLUMNS)} are known")
        return
    lines_of: dict[str, int] = {}
    subjects: dict[str, int] = {}
    while True:
        # A cell may contain line breaks; the reader counts lines.
        try:
            cells = next(rows, None)
        except csv.Error as error:
            mistakes.append(f"line {_line(rows)}: {error}")
            return
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        line = _line(rows)
        if len(cells) > len(columns):
            mistakes.append(
                f"line {line}: {len(cells)} cells, {len(columns)} columns; a name with a comma needs quotes"
            )
            continue
        if any(len(cell) > LONGEST_CELL for cell in cells):
            mistakes.append(f"line {line}: a cell has more than {LONGEST_CELL:,} characters")
            continue
        row = _Table(columns, cells)
        found = [*_faults(row, teams=teams)]
        if subject := row["subject"]:
            earlier = subjects.setdefault(subject, line)
            if earlier != line:
                found.append(f"the subject {_shown(subject)} is in line {earlier} too")
        # Two people may have one name.
        if email := row["email"]:
            earlier = lines_of.setdefault(email.casefold(), line)
            if earlier != line:
                found.append(f"the email {_shown(email)} is in line {earlier} too")
        mistakes += [f"line {line}: {fault}" for fault in found]
        if not found:
            role = row["role"].lower() or ROLES[0]
            yield Person(row["name"], row["email"], row["team"] or None, role, row["subject"] or None)


def _faults(row: _Table, *, teams: bool) -> Iterator[str]:
    yield from name_faults("name", row["name"])
    if plain_name(row["name"]) != row["name"]:
        yield f"the name {_shown(row['name'])} ends as kgrade numbers namesakes; write it without the number"
    if not _EMAIL.fullmatch(row["email"]) or not row["email"].isprintable() or len(row["email"]) > 200:
        yield f"the email {_shown(row['email'])} is not an address; one such as ada@example.org is expected"
    if row["team"] or (teams and row["role"].lower() != "staff"):
        yield from name_faults("team", row["team"])
    if not row["subject"].isprintable() or len(row["subject"]) > LONGEST_SUBJECT:
        most = f"up to {LONGEST_SUBJECT} printable characters"
        yield f"the subject {_shown(row['subject'])} is too long or can't be shown; {most} are expected"
    if row["role"] and row["role"].lower() not in ROLES:
        yield f"the role {_shown(row['role'])} is unknown; {' or '.join(ROLES)} is expected"


def name_faults(kind: str, name: str) -> Iterator[str]:
    """What is wrong with the name of a person or a team."""
    if not name:
        yield f"the {kind} is missing"
    elif not name.isprintable():
        yield f"the {kind} {_shown(name)} has characters that can't be shown"
    elif len(name) > LONGEST_NAME:
        yield f"the {kind} {_shown(name)} has {len(name)} characters; up to {LONGEST_NAME} are expected"


def _line(rows: object) -> int:
    return int(getattr(rows, "line_num", 0))


def _shown(text: str) -> str:
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return f"'{plain if len(plain) <= 60 else plain[:57] + '…'}'"
