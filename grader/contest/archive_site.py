"""Static pages of a contest: the scoreboard with everything revealed, and each submission's report.

They show code, so they are meant for after the contest; they contain no e-mail addresses or tokens, and no names where
the contest's scoreboard is anonymous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.boards.pages import Links, render_report
from grader.boards.templating import pages
from grader.contest.anonymity import nameless
from grader.contest.database import Database
from grader.contest.records import SubmissionRecord
from grader.contest.scoreboard import Row
from grader.contest.settings import ANONYMOUS, Settings
from grader.contest.standing import board_name, standing
from grader.core.report import Report, from_json


def archive_pages(
    database: Database, slug: str, titles: Mapping[str, str], template_folders: Sequence[Path] = ()
) -> Iterator[tuple[str, str]]:
    """Yields (name, text) of each page, the index last. `titles` are the problems' titles by name."""
    found = standing(database, slug, everything=True)
    submissions = database.submissions(slug)
    texts = database.sources(slug)
    names = {
        problem.name: problem.title or titles.get(problem.name, problem.name) for problem in found.settings.problems
    }
    links = Links(home="../index.html", board="../index.html#submissions")
    rows = found.rows
    if found.settings.scoreboard == ANONYMOUS:
        hidden = nameless(rows)
        rows = tuple(hidden.values())
        submissions = [_without_name(found.settings, each, hidden) for each in submissions]
    shown: set[int] = set()
    for each in submissions:
        report = _report(database, each, texts[each.source_hash])
        if report is not None:
            shown.add(each.id)
            yield report_page(each.id), render_report(report, template_folders, number=each.id, links=links)
    yield (
        "index.html",
        pages(tuple(template_folders)).render(
            "archive.html",
            contest=found.settings,
            names=names,
            rows=rows,
            announcements=database.announcements(slug),
            submissions=submissions,
            shown=shown,
            report_page=report_page,
        ),
    )


def report_page(submission: int) -> str:
    return f"submissions/{submission}.html"


def _without_name(settings: Settings, submission: SubmissionRecord, hidden: Mapping[str, Row]) -> SubmissionRecord:
    """The submission with its participant's number for a name; a file's own name may tell whose it is."""
    row = hidden.get(board_name(settings, submission.account, submission.team))
    suffix = PurePosixPath(submission.file).suffix
    return replace(submission, account="–" if row is None else row.who, team=None, file=f"{submission.problem}{suffix}")


def _report(database: Database, submission: SubmissionRecord, source: str) -> Report | None:
    """The report of the active judging; None if there is none or this version can't read it."""
    text = database.report(submission.id)
    if text is None:
        return None
    try:
        report = from_json(text)
    except ValueError:
        return None
    return replace(report, source=source, user=submission.account, file=submission.file)
