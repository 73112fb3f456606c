"""The pages that the practice has and a contest has not: its home, a problem's leaderboard and editorial."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse

from grader.boards.markdown import editorial_html
from grader.boards.ranking import by_board, rank
from grader.contest.access import Refused
from grader.contest.leading import mends_of, tracks_of
from grader.contest.practice import practice_settings, publish_practice
from grader.contest.problem_pages import problem_page
from grader.contest.records import SubmissionRecord
from grader.contest.settings import PRACTICE
from grader.contest.tabs import tabs_of
from grader.contest.visit import Member
from grader.core.errors import KgradeError
from grader.core.verdict import LanguageName
from grader.problem.exercises import exercise_names, read_exercise
from grader.problem.tracks import next_step, sort_key

router = APIRouter(prefix=f"/contests/{PRACTICE}", include_in_schema=False)


def practising(request: Request) -> Member:
    return Member(request, PRACTICE)


Name = Annotated[str, Path(max_length=200)]
Practising = Annotated[Member, Depends(practising)]


@router.get("")
def practice(me: Practising) -> HTMLResponse:
    """The tracks and the other problems of the workspace, with this account's results and what comes next."""
    _follow_workspace(me)
    rows: dict[str, list[SubmissionRecord]] = {}
    for row in me.site.access.own(me.visitor):
        rows.setdefault(row.problem, []).append(row)
    names = [each.name for each in me.visitor.contest.problems]
    problems = {name: _standing(me, name, rows.get(name, [])) for name in names}
    mends = mends_of(me)
    solved = {name for name, each in problems.items() if each["solved"]} | mends.keys()
    tracks, mistake = tracks_of(me)
    led = {step.key for track in tracks for step in track.steps}
    others = sorted(problems.keys() - led, key=lambda name: sort_key((), name, problems[name]["difficulty"]))
    return me.page(
        "practice.html",
        here="contest",
        problems=problems,
        solved={name for name in solved if name in problems},
        reached=solved,
        mends=mends,
        tracks=tracks,
        mistake=mistake,
        following=next_step(tracks, solved),
        others=others,
        organises=me.site.may_organise(me.visitor.account),
    )


@router.get("/problems/{problem}/exercises/{exercise}")
def exercise(problem: Name, exercise: Name, me: Practising) -> HTMLResponse:
    """The problem's page with an exercise: its story and hints, and its faulty text in the editor."""
    folder = me.site.access.problem(me.visitor, problem).folder
    if exercise not in exercise_names(folder):
        raise Refused(404, "there is no such exercise of this problem", "the track 'Debug this' has them")
    return problem_page(me, problem, LanguageName.CUDA, exercise=read_exercise(folder, exercise))


@router.get("/problems/{problem}/leaderboard")
def leaderboard(problem: Name, me: Practising) -> HTMLResponse:
    """The workspace's ranking, as `kgrade leaderboard` prints it."""
    me.site.access.problem(me.visitor, problem)
    rows = rank(me.site.shelf.store.summaries(problem))
    ranked = list(by_board(rows).items())
    return _page(me, "leaderboard", problem, ranked=ranked, unranked=[row for row in rows if row.rank is None])


@router.get("/problems/{problem}/editorial")
def editorial(problem: Name, me: Practising) -> HTMLResponse:
    me.site.access.problem(me.visitor, problem)
    text = me.site.access.editorial(me.visitor, problem)
    if text is None:
        raise Refused(404, "there is no editorial here", "where there is one, it is shown once you have solved it")
    return _page(me, "editorial", problem, editorial=editorial_html(text))


def _page(me: Member, name: str, problem: str, **values: Any) -> HTMLResponse:
    known = {"problem": problem, "title": me.names[problem], "tabs": tabs_of(me, problem, name)}
    return me.page(f"{name}.html", **known, **values)


def _follow_workspace(me: Member) -> None:
    """Publishes the practice anew if problems have come or gone since."""
    site = me.site
    if practice_settings(site.workspace).problems != me.visitor.contest.problems:
        publish_practice(site.database, site.workspace)
        me.visitor = site.access.visitor(me.visitor.account)


def _standing(me: Member, name: str, rows: list[SubmissionRecord]) -> dict[str, Any]:
    accepted = [row for row in rows if row.verdict == "accepted"]
    try:
        loaded = me.site.access.problem(me.visitor, name)
        title, difficulty, tags = loaded.title, loaded.difficulty, loaded.tags
    except KgradeError:
        # A mistake in its folder; its own page and `kgrade verify` say which.
        title, difficulty, tags = name, "", ()
    return {
        "name": name,
        "title": title,
        "difficulty": difficulty,
        "tags": tags,
        "solved": bool(accepted),
        "tries": len(rows),
        "best": max((row.score for row in accepted if row.score is not None), default=None),
    }
