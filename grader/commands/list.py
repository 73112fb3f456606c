"""`kgrade list`: the problems of the workspace, with the user's best verdict on each."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.leading import SOLVED, is_solved, problems_in_order, standings
from grader.commands.options import (
    contest_option,
    json_option,
    problems_option,
    report_mistakes,
    user_name,
    user_option,
    workspace_of,
)
from grader.core.errors import ProblemError, UsageError

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.problem.challenges.folder import Challenge
    from grader.problem.tracks import Track
    from grader.store.workspace import Workspace


@click.command()
@user_option
@click.option("--difficulty", metavar="WORD", help="Only those that are easy, medium or hard.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only those with this tag. Repeat it for several.")
@click.option(
    "--track",
    metavar="[NAME]",
    is_flag=False,
    flag_value="",
    help="The steps of a track and why each comes next; without NAME, the tracks.",
)
@click.option("--unsolved", is_flag=True, help="Only those that none of your submissions solves yet.")
@problems_option
@json_option
@contest_option
@click.pass_context
def command(
    ctx: click.Context,
    user: str | None,
    difficulty: str | None,
    tags: Sequence[str],
    track: str | None,
    unsolved: bool,
    problem_set: str | None,
    as_json: bool,
    contest: str | None,
) -> int:
    """List the problems and how far you are with each."""
    if contest is not None:
        from grader.commands.at_contest import list_problems, refuse_options

        refuse_options(ctx, "user", "difficulty", "tags", "track", "problem_set", "as_json")
        return list_problems(contest, unsolved=unsolved)
    workspace = workspace_of(ctx)
    if track is not None:
        _refuse_beside_track(ctx)
        return _list_tracks(workspace.tracks, track, standings(workspace, user_name(user)), as_json=as_json)
    standing = standings(workspace, user_name(user))
    found, mistakes = _all(workspace, problem_set)
    _check("difficulty", [difficulty] if difficulty else [], {problem.difficulty for _, problem in found})
    _check("tag", tags, {tag for _, problem in found for tag in problem.tags})
    listed = [
        (name, problem)
        for name, problem in found
        if not (difficulty and problem.difficulty != difficulty.casefold())
        and {tag.casefold() for tag in problem.tags}.issuperset(tag.casefold() for tag in tags)
        and not (unsolved and standing.get(problem.name) == SOLVED)
    ]
    if as_json:
        click.echo(json.dumps(json_object(listed, standing)))
    else:
        _print_table(listed, standing)
    return report_mistakes(mistakes)


def json_object(listed: Sequence[tuple[str, Problem | Challenge]], standing: Mapping[str, str]) -> dict[str, Any]:
    """The problems as JSON data, each with the name to type and how far the user is with it."""
    return {
        "problems": [
            {
                "problem": name,
                "title": problem.title,
                "difficulty": problem.difficulty,
                "tags": list(problem.tags),
                "yours": standing.get(problem.name, ""),
            }
            for name, problem in listed
        ]
    }


def _print_table(listed: Sequence[tuple[str, Problem | Challenge]], standing: Mapping[str, str]) -> None:
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    table = plain_table("problem", "title", "difficulty", "tags", "yours", whole=("problem", "difficulty", "yours"))
    for name, problem in listed:
        words = (safe(problem.title), problem.difficulty, ", ".join(problem.tags), standing.get(problem.name, ""))
        table.add_row(name, *words)
    output().print(table)


def _refuse_beside_track(ctx: click.Context) -> None:
    """Raises UsageError for an option that chooses among problems: a track is shown whole."""
    for name, option in (
        ("difficulty", "difficulty"),
        ("tags", "tag"),
        ("unsolved", "unsolved"),
        ("problem_set", "problems"),
    ):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"--{option} has no effect with --track, which shows all steps", f"leave --{option} out")


def _list_tracks(tracks: Sequence[Track], name: str, standing: Mapping[str, str], *, as_json: bool) -> int:
    """Prints the tracks, or with a name the steps of that one."""
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    if name:
        _check("track", [name], {track.name for track in tracks}, "there is no track '{word}'.")
        tracks = [track for track in tracks if track.name == name.casefold()]
    solved = {problem for problem, how_far in standing.items() if is_solved(how_far)}
    if as_json:
        click.echo(json.dumps({"tracks": [_track_json(track, solved, standing) for track in tracks]}))
        return 0
    console = output()
    if not name:
        table = plain_table("track", "solved", "what it is about", whole=("track", "solved"))
        for track in tracks:
            table.add_row(track.name, f"{track.solved(solved)} of {len(track.steps)}", safe(track.about))
        console.print(table)
        if tracks:
            console.print(f"\nIts steps: kgrade list --track {tracks[0].name}", style="dim")
        return 0
    (track,) = tracks
    console.print(f"{safe(track.title)}: {track.solved(solved)} of {len(track.steps)} solved", style="bold")
    console.print(safe(track.about), end="\n\n")
    table = plain_table("", "step", "why it comes here", "yours", numbers=("",), whole=("step",))
    for number, step in enumerate(track.steps, 1):
        table.add_row(str(number), step.key, safe(step.why), standing.get(step.key, ""))
    console.print(table)
    return 0


def _track_json(track: Track, solved: Collection[str], standing: Mapping[str, str]) -> dict[str, Any]:
    return {
        "track": track.name,
        "title": track.title,
        "about": track.about,
        "solved": track.solved(solved),
        "steps": [
            {
                "problem": step.problem,
                "exercise": step.exercise,
                "why": step.why,
                "yours": standing.get(step.key, ""),
            }
            for step in track.steps
        ],
    }


def _all(
    workspace: Workspace, problem_set: str | None
) -> tuple[Sequence[tuple[str, Problem | Challenge]], Sequence[ProblemError]]:
    """Returns the problems to list, each with the name to type, and the errors of the others."""
    if problem_set is None:
        problems, mistakes = problems_in_order(workspace)
        return [(problem.name, problem) for problem in problems], mistakes
    from grader.problem.challenges.folder import ChallengeSet

    return [(challenge.short_name, challenge) for challenge in ChallengeSet(Path(problem_set)).challenges], ()


def _check(
    kind: str, asked: Sequence[str], known: Collection[str], message: str = "no problem has the {kind} '{word}'."
) -> None:
    """Raises UsageError, suggesting the nearest word, for a word that is none of those known."""
    for word in asked:
        if word.casefold() not in {one.casefold() for one in known}:
            close = get_close_matches(word.casefold(), known, n=1, cutoff=0.5)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise UsageError(message.format(kind=kind, word=word) + guess, f"use one of: {', '.join(sorted(known))}")
