"""The command line's entrance: quick to answer, and every failure is one clear message."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader import cli
from grader.commands.engines import Engines
from grader.core.errors import JudgeError, UsageError
from grader.doctor.part import Finding
from grader.store.workspace import Workspace

HEAVY = {"cupy", "llvmlite", "sqlalchemy", "alembic", "rich", "jinja2", "tree_sitter", "numpy", "cattrs"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))


class FailingEngines(Engines):
    """`doctor` raises this exception."""

    def __init__(self, raised: BaseException) -> None:
        self._raised = raised

    def examine(self, workspace: Workspace) -> list[Finding]:
        raise self._raised


def fail(error: BaseException, *more: str) -> int:
    """The exit code of a command that raises this exception."""
    return cli.run(["doctor", *more], FailingEngines(error))


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys; from grader.cli import run; run(['--help']); print({HEAVY!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")
    assert all(name in done.stdout for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_is_there_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"kgrade {name}" in out.splitlines()[0]
    assert len(out.splitlines()) > 4


def test_every_module_of_commands_is_in_the_table() -> None:
    folder = Path(cli.__file__).parent / "commands"
    commands = {
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "\ncommand(" in path.read_text() or "def command(" in path.read_text()
    }
    assert commands == set(cli.COMMANDS)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["sumbit"], "Did you mean 'submit'?"),
        (["xyzzy"], "there is no command 'xyzzy'."),
        (["show"], "Missing argument 'PROBLEM'"),
        (["list", "--users", "x"], "--users"),
        (["test", "matmul", "x.cu", "--seed", "one"], "'one'"),
    ],
)
def test_wrong_usage_is_named(typed: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(typed) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "--help" in err.splitlines()[-1]


def test_an_error_of_the_library_shows_message_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(UsageError("no such thing", "type: kgrade list")) == 2
    assert capsys.readouterr() == ("", "kgrade: no such thing\n  type: kgrade list\n")


def test_an_error_begins_no_command_of_a_workflow(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(UsageError("no 'a\n ::set-output name=x::y.cu'", "type:\n::error::z ##[group]x")) == 2
    said = capsys.readouterr().err
    assert "set-output" in said and "##[" not in said
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


@pytest.mark.parametrize(
    "typed",
    [["check", "{}"], ["explain", "{}"], ["--workspace", "{}", "list"], ["test", "--problems", "{}", "x", "y.cu"]],
)
def test_a_path_that_is_too_long_is_wrong_usage(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([word.format("/" + "x" * 5000) for word in typed]) == 2
    said = capsys.readouterr().err
    assert "no path can be as long as '/xxx" in said and len(said) < 200


def test_with_json_an_error_is_one_object_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(JudgeError("no compiler", "pip install it"), "--json") == 3
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": "no compiler", "hint": "pip install it"}
    assert err == ""


@pytest.mark.parametrize(
    "error",
    [ValueError("seven"), JudgeError("the child: seven", 'Traceback (most recent call last):\n  File "x"')],
)
def test_details_of_a_mistake_in_kgrade_go_to_a_file(
    error: Exception, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(error) == 3
    err = capsys.readouterr().err
    assert "seven" in err
    assert "Traceback" not in err
    (log,) = (tmp_path / "cache" / "crashes").iterdir()
    assert str(log) in err
    text = log.read_text()
    assert "kgrade doctor" in text
    assert "Traceback" in text


def test_a_mistake_is_told_even_where_no_file_can_be_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("KGRADE_CACHE", str(blocked))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(blocked))
    assert fail(ValueError("seven")) == 3
    assert "seven" in capsys.readouterr().err


def test_an_interruption_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(KeyboardInterrupt()) == 130
    assert "interrupted; nothing was recorded" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_failure() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    process.wait()
    assert process.returncode in (0, 1)


def test_a_terminal_without_unicode_gets_ascii(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grader", "show", "matmul"],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "HOME": str(tmp_path)},
    )
    assert b"C = A . B" in done.stdout
    assert done.stdout.isascii()
