"""`kgrade init`: writes a problem's starter file to fill in."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.options import problem_argument, problems_option, starter_language_option, workspace_of
from grader.core.errors import UsageError
from grader.core.verdict import Form, LanguageName


@click.command()
@problem_argument
@click.option("-o", "--output", "file", metavar="FILE", help="Where to write it. Default: PROBLEM.cu or PROBLEM.py")
@starter_language_option
@click.option(
    "--form",
    type=click.Choice([str(form) for form in (Form.SOLVE, Form.KERNEL)]),
    default=str(Form.SOLVE),
    show_default=True,
    help="CUDA C++: with host code that launches your kernels, or the kernel alone.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@problems_option
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str | None,
    language: LanguageName,
    form: str,
    force: bool,
    problem_set: str | None,
) -> int:
    """Write the starter of PROBLEM, to be filled in."""
    from grader.languages.registry import find_language

    typed, suffix = problem, ".cu" if language is LanguageName.CUDA else ".py"
    if Form(form) is Form.KERNEL and language is not LanguageName.CUDA:
        raise UsageError(f"a file in {language} has its own solve()", "leave --form kernel out")
    if language is LanguageName.CUDA and file is not None and file.endswith(".py"):
        raise UsageError(f"{file} is named as a file in Python", "name its language as well: --language triton")
    if problem_set is None:
        starter = find_language(language, Form(form)).starter(workspace_of(ctx).load(problem))
    else:
        from grader.commands.challenges import challenge_starter

        if Form(form) is Form.KERNEL:
            raise UsageError("challenges are solved by a file with its own solve()", "leave --form kernel out")
        problem, starter = challenge_starter(problem_set, problem, language)
        typed = f"--problems {problem_set} {problem}"
    path = Path(file or f"{problem}{suffix}")
    try:
        # "x" fails on an existing file atomically, so nobody's work is overwritten.
        with path.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(starter)
    except FileExistsError:
        raise UsageError(
            f"{path} exists already", f"name another file: kgrade init {typed} -o FILE{suffix}, or add --force"
        ) from None
    except OSError as error:
        hint = f"name another file with -o FILE{suffix}"
        raise UsageError(f"{path} can't be written: {error.strerror}", hint) from error
    click.echo(f"wrote {path}\nnext: kgrade test {typed} {path}")
    return 0
