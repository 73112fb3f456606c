"""`kgrade start`: says what to type next, from how far the user is with the tracks."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.leading import begin_command
from grader.commands.options import user_name, user_option, workspace_of


@click.command()
@user_option
@click.pass_context
def command(ctx: click.Context, user: str | None) -> int:
    """Say what to type next: the first step of the tracks that you have not solved yet."""
    from grader.problem.tracks import next_step
    from grader.store.database import Store
    from grader.terminal.console import output, safe

    workspace = workspace_of(ctx)
    solved = Store(workspace.database).solved(user_name(user))
    found = next_step(workspace.tracks, solved)
    console = output()
    if found is None:
        console.print("All steps of all tracks are solved. Faster ones are left: kgrade leaderboard")
        return 0
    track, step = found
    problem, file = step.problem, Path(f"{step.exercise or step.problem}.cu")
    console.print(f"{safe(track.title)}: {track.solved(solved)} of {len(track.steps)} solved", style="bold")
    console.print(f"Next is {step.key}. {safe(step.why)}\n")
    lines = [(f"kgrade show {problem}", "what is to be computed")]
    # Over a file that is there already nothing is written.
    if not file.exists():
        what = f"tells its story, writes {file}, to be mended" if step.exercise else f"writes {file}, to be filled in"
        lines.append((begin_command(step), what))
    lines += [
        (f"kgrade test {problem} {file}", "is it right? Again and again, nothing is recorded"),
        (f"kgrade submit {problem} {file}", "grades and records it, and names what comes next"),
    ]
    width = max(len(typed) for typed, _ in lines)
    for typed, what in lines:
        console.print(f"    {typed:<{width}}   # {what}")
    console.print(f"\nThe whole track: kgrade list --track {track.name}", style="dim")
    return 0
