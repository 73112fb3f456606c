"""Arguments and options shared by several commands, and the parsing and checking of their values."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from grader.core.errors import KgradeError, ProblemError, UsageError
from grader.core.verdict import LanguageName
from grader.store.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.sandbox import Sandbox

_F = TypeVar("_F", bound=Callable[..., Any])

LONGEST_USER = 64
DEVICES = ("auto", "gpu", "emulator")

_CASE_HINT = "write a case as --case M=17,N=1,K=3, with every size of the problem"


@dataclass(frozen=True)
class Asked:
    """The grading options of a command. `deadline` is in seconds; `language` is None where the file shows it."""

    language: LanguageName | None = None
    cases: int = 12
    seed: int | None = None
    device: str = "auto"
    require_sandbox: bool = False
    deadline: int = 300


def complete_problem(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completes problem names."""
    try:
        names = workspace_of(ctx).problems
    except KgradeError:
        # Completion can't show errors; the command itself will.
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def parse_sizes(text: str) -> dict[str, int]:
    """Parses the sizes of one case, such as M=17,N=1,K=3. Raises UsageError."""
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, equals, number = (word.strip() for word in part.partition("="))
        if not equals or not name.isidentifier():
            raise UsageError(f"--case {text}: '{part}' is not of the form NAME=NUMBER", _CASE_HINT)
        if name in sizes:
            raise UsageError(f"--case {text}: {name} is given twice", _CASE_HINT)
        try:
            sizes[name] = int(number)
        except ValueError:
            raise UsageError(f"--case {text}: '{number}' is not a whole number", _CASE_HINT) from None
    return sizes


def parse_size_option(problem: Problem, text: str) -> dict[str, int]:
    """Parses the value of --size to sizes of this problem. Raises UsageError."""
    from grader.problem.sizes import check_sizes

    try:
        sizes = parse_sizes(text)
        check_sizes(problem, sizes)
    except UsageError as error:
        # The messages name --case, the option of most commands.
        raise UsageError(*(words.replace("--case", "--size") for words in (error.message, error.hint))) from None
    return sizes


problem_argument = click.argument("problem", shell_complete=complete_problem)
any_problem_argument = click.argument("problem", required=False, shell_complete=complete_problem)
# A plain string: the judge's own check of the file gives better messages than click's.
file_argument = click.argument("file", type=click.Path())
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
user_option = click.option(
    "--user",
    envvar="KGRADE_USER",
    metavar="NAME",
    help="Who submits. Default: KGRADE_USER, or the login name.",
)


device_option = click.option(
    "--device",
    default=Asked.device,
    show_default=True,
    metavar="DEVICE",
    shell_complete=lambda _ctx, _param, word: [CompletionItem(d) for d in DEVICES if d.startswith(word)],
    help="What runs the kernel: gpu, gpu:1 for the second GPU, emulator, or auto: a GPU where there is one.",
)


gpu_option = click.option(
    "--gpu",
    "gpu_name",
    default="H200",
    show_default=True,
    metavar="NAME",
    help="Whose model time to tell.",
)


def refuse_option(ctx: click.Context, name: str, why: str) -> None:
    """Raises UsageError if the option of this name was typed, which has no effect here."""
    if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
        option = next(each.opts[0] for each in ctx.command.params if each.name == name)
        raise UsageError(f"{option} has no effect {why}", f"leave {option} out")


def language_choice(description: str) -> Callable[[_F], _F]:
    """An option that names a language, None if it is not given."""
    return click.option(
        "--language",
        type=click.Choice([str(name) for name in LanguageName]),
        callback=lambda _ctx, _param, word: None if word is None else LanguageName(word),
        help=description,
    )


language_option = language_choice("What the file is written in. Default: what its name, imports and decorators show.")


starter_language_option = click.option(
    "--language",
    type=click.Choice([str(name) for name in LanguageName]),
    callback=lambda _ctx, _param, word: LanguageName(word),
    default=str(LanguageName.CUDA),
    show_default=True,
    help="What to write it in.",
)


no_sandbox_option = click.option(
    "--no-sandbox",
    is_flag=True,
    help="Judge without a sandbox. What is submitted can then read, and do, whatever you can on this machine.",
)


def check_sandbox(found: Sandbox, no_sandbox: bool) -> None:
    """Raises ToolMissing if submissions would run without a sandbox and --no-sandbox was not given."""
    from grader.core.errors import ToolMissing
    from grader.sandbox.sandbox import INSTALL

    if found.protects:
        return
    meaning = "what is submitted can read this user's files, use the network, and end other processes"
    if no_sandbox:
        click.echo(f"kgrade: judging without a sandbox: {found.reason}; {meaning}", err=True)
        return
    raise ToolMissing(
        f"there is no sandbox to judge in: {found.reason}. Without one {meaning}",
        f"type: {INSTALL}; 'kgrade doctor' says more. If you trust everybody who submits: --no-sandbox",
    )


contest_option = click.option("--contest", metavar="NAME", help="Ask this contest's server instead (kgrade login).")
problems_option = click.option(
    "--problems",
    "problem_set",
    metavar="DIR",
    type=click.Path(),
    help="Take PROBLEM from a set laid out like LeetGPU's challenges: DIR/challenges/<difficulty>/<number>_<name>.",
)


def asked_options(command: _F) -> _F:
    """Adds the options that say how to grade; the command gets them as one argument `asked`."""

    @wraps(command)
    def gathered(*arguments: Any, **given: Any) -> Any:
        asked = Asked(**{field.name: given.pop(field.name) for field in fields(Asked)})
        return command(*arguments, asked=asked, **given)

    for option in (
        language_option,
        device_option,
        click.option(
            "--seed",
            type=click.IntRange(0, 2**63 - 1),
            metavar="N",
            help="Repeat a grading that showed this seed. Default: a new one.",
        ),
        click.option(
            "--cases",
            type=click.IntRange(1, 1000),
            default=Asked.cases,
            show_default=True,
            metavar="N",
            help="How many sizes to try.",
        ),
        click.option(
            "--deadline",
            type=click.IntRange(1, 86_400),
            default=Asked.deadline,
            show_default=True,
            metavar="SECONDS",
            help="End the grading after so long, and say at which step it was.",
        ),
        click.option(
            "--require-sandbox",
            is_flag=True,
            help="Refuse to run the file's own solve() where no sandbox protects this machine.",
        ),
    ):
        gathered = option(gathered)
    return cast(_F, gathered)


def grading_options(command: _F) -> _F:
    """Adds the options shared by the commands that grade a user's file: `asked`, `user` and `as_json`."""
    return json_option(user_option(asked_options(command)))


def refuse_cases(ctx: click.Context) -> None:
    """Raises UsageError for --cases with a challenge, which brings its own tests."""
    if ctx.get_parameter_source("cases") is click.core.ParameterSource.COMMANDLINE:
        raise UsageError(
            "--cases has no effect with --problems: a challenge brings its own tests",
            "leave --cases out; kgrade test --case test=1 tries one test",
        )


case_option = click.option(
    "--case",
    "sizes",
    callback=lambda _ctx, _param, texts: tuple(map(parse_sizes, texts)),
    multiple=True,
    metavar="SIZES",
    help="Try just these sizes, such as M=17,N=1,K=3. May be repeated.",
)


def workspace_of(ctx: click.Context) -> Workspace:
    """The workspace named by the global option, else the one of the working directory."""
    return find_workspace(ctx.find_root().params.get("workspace"))


def report_mistakes(mistakes: Sequence[ProblemError]) -> int:
    """Prints the mistakes in problem folders and returns the exit code.

    A command that shows all problems shows the good ones first, so that one faulty folder does not hide the others.
    """
    for mistake in mistakes:
        click.echo(f"kgrade: {mistake.message}", err=True)
        if mistake.hint:
            click.echo(f"  {mistake.hint}", err=True)
    return ProblemError.exit_code if mistakes else 0


def user_name(given: str | None) -> str:
    """The user name to record: as given, else the login name. Raises UsageError for a name that can't be shown."""
    if given is None:
        try:
            given = getpass.getuser()
        except (OSError, KeyError):
            # A container's user may have an id but no name.
            given = f"user-{os.getuid()}"
    name = given.strip()
    if not name or len(name) > LONGEST_USER or not name.isprintable():
        raise UsageError(
            f"the user name {given!r} can't be used: 1 to {LONGEST_USER} printable characters are expected",
            "name yourself with --user NAME or KGRADE_USER",
        )
    return name
