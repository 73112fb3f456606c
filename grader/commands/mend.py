"""`kgrade mend`: exercises, faulty kernels with a story, to be made right by the smallest change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from grader.commands.leading import standings
from grader.commands.options import user_name, user_option, workspace_of
from grader.core.errors import KgradeError, UsageError

if TYPE_CHECKING:
    from grader.problem.exercises import Exercise
    from grader.store.workspace import Workspace

HINTS = 3


def complete_exercise(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completes names of exercises."""
    try:
        return [CompletionItem(key) for key in _keys(workspace_of(ctx)) if key.startswith(incomplete)]
    except KgradeError:
        # Completion can't show errors; the command itself will.
        return []


@click.command()
@click.argument("name", metavar="[EXERCISE]", required=False, shell_complete=complete_exercise)
@click.option("-o", "--output", "file", metavar="FILE", help="Where to write it. Default: the exercise's name.cu")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@click.option(
    "--hint",
    type=click.IntRange(1, HINTS),
    metavar="1|2|3",
    help="Show a hint and write nothing; the third is the judge's report on the kernel as it stands.",
)
@user_option
@click.pass_context
def command(
    ctx: click.Context, name: str | None, file: str | None, force: bool, hint: int | None, user: str | None
) -> int:
    """Write the faulty kernel of EXERCISE and tell its story; without EXERCISE, list the exercises.

    It is handed in by 'kgrade submit', which says how many tokens you have changed and how many are enough.
    """
    workspace = workspace_of(ctx)
    if name is None:
        return _list(workspace, standings(workspace, user_name(user)))
    exercise = _find(workspace, name)
    if hint == HINTS:
        return _report(ctx, exercise)
    from grader.terminal.console import output, safe

    console = output()
    if hint is not None:
        console.print(f"Hint {hint} of {HINTS}: {safe(exercise.hints[hint - 1])}")
        return 0
    path = Path(file or f"{exercise.name}.cu")
    _write(path, exercise, force=force)
    console.print(f"{safe(exercise.title)}  ({exercise.problem})", style="bold")
    console.print(safe(exercise.story))
    console.print(f"\nwrote {safe(str(path))}: make it right with the smallest change you can", style="dim")
    console.print(f"next: kgrade submit {exercise.problem} {safe(str(path))}", style="dim", soft_wrap=True)
    console.print(f"stuck: kgrade mend {exercise.key} --hint 1", style="dim", soft_wrap=True)
    return 0


def _write(path: Path, exercise: Exercise, *, force: bool) -> None:
    try:
        # "x" fails on an existing file atomically, so nobody's work is overwritten.
        with path.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(exercise.text)
    except FileExistsError:
        raise UsageError(
            f"{path} exists already", f"name another file: kgrade mend {exercise.key} -o FILE.cu, or add --force"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}", "name another file with -o FILE.cu") from error


def _report(ctx: click.Context, exercise: Exercise) -> int:
    """Grades the faulty text and prints the report, which is the last hint."""
    from grader.commands.engines import engines_of
    from grader.commands.grading import grade_file, print_result
    from grader.commands.options import Asked

    given = workspace_of(ctx), exercise.problem, str(exercise.file), Asked(), engines_of(ctx)
    report = grade_file(*given, user="")
    print_result(report, exercise.file.name, as_json=False)
    return 0


def _list(workspace: Workspace, standing: dict[str, str]) -> int:
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    table = plain_table("exercise", "title", "yours", whole=("exercise", "yours"))
    keys = _keys(workspace)
    for key in keys:
        table.add_row(key, safe(_find(workspace, key).title), standing.get(key, ""))
    console = output()
    console.print(table)
    if keys:
        console.print(f"\nBegin with: kgrade mend {keys[0]}", style="dim")
    return 0


def _keys(workspace: Workspace) -> list[str]:
    """The exercises as one types them: in the order of the tracks, then those of no track."""
    from grader.problem.exercises import exercise_names

    found = [f"{name}/{each}" for name, folder in workspace.problems.items() for each in exercise_names(folder)]
    led = [step.key for track in workspace.tracks for step in track.steps if step.exercise]
    return sorted(found, key=lambda key: (led.index(key) if key in led else len(led), key))


def _find(workspace: Workspace, key: str) -> Exercise:
    """The exercise PROBLEM/NAME. Raises UsageError, suggesting the nearest, if there is none."""
    from difflib import get_close_matches

    from grader.problem.exercises import read_exercise

    keys = _keys(workspace)
    # The name alone is enough where one problem has it.
    alike = [each for each in keys if each == key or each.partition("/")[2] == key]
    if len(alike) != 1:
        close = get_close_matches(key, keys, n=1, cutoff=0.4)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        raise UsageError(f"there is no exercise '{key}'.{guess}", "type: kgrade mend")
    problem, _, name = alike[0].partition("/")
    return read_exercise(workspace.problems[problem], name)
