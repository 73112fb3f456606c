"""The leaderboard as a folder of static pages: an index, a page per problem, a page per submission.

It works from disk or from any web server. `ranking` decides the order of entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from grader.boards.best import best_numbers, list_measured
from grader.boards.charts import best_so_far
from grader.boards.files import write_files
from grader.boards.markdown import statement_html
from grader.boards.pages import Links, render_report
from grader.boards.ranking import Row, accepted_users, by_board, progress, rank
from grader.boards.templating import Pages, pages
from grader.boards.words import BY_MODEL, LANGUAGES, language, name, visible
from grader.core.verdict import LanguageName
from grader.store.database import Store
from grader.store.entry import Summary

MOST_LISTED = 500
"""Submissions listed on a problem's page, newest first; more would be unreadable on a phone."""
STAMP_WITHIN = 2_000
"""A page's stamp is within this many characters of its beginning."""


class ProblemText(Protocol):
    """The parts of a problem that the pages show; a loaded `Problem` has them."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def difficulty(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def statement(self) -> str: ...


@dataclass(frozen=True)
class BoardProblem:
    """One problem with its submissions, oldest first, and its board."""

    name: str
    title: str
    difficulty: str
    tags: tuple[str, ...]
    statement: str
    submissions: tuple[Summary, ...]
    rows: tuple[Row, ...]

    @property
    def page(self) -> str:
        return f"problems/{slug(self.name)}.html"

    @property
    def accepted(self) -> int:
        return accepted_users(self.submissions)

    @property
    def best(self) -> Row | None:
        """The first-ranked row with the highest score over all boards, measured ones first; None if there is none."""
        ranked = [row for row in self.rows if row.rank == 1]
        return max(ranked, key=lambda row: (row.is_measured, row.score or 0.0), default=None)


def write_site(
    store: Store, problems: Iterable[ProblemText], folder: Path, template_folders: Sequence[Path] = ()
) -> Path:
    """Writes the pages below `folder` and returns the path of the index.

    Report pages that are up to date are left alone. Raises WorkspaceError if a page can't be written or a template has
    a mistake; the old pages are then kept.
    """
    render = pages(tuple(template_folders))
    boards = arrange(problems, store.summaries())
    write_files(folder, _all_pages(store, boards, folder, render, template_folders))
    return folder / "index.html"


DIFFICULTIES = ("easy", "medium", "hard")
"""The difficulties in the order of display."""


def arrange(problems: Iterable[ProblemText], summaries: Iterable[Summary]) -> list[BoardProblem]:
    """The problems with their submissions, sorted by title; a deleted problem with submissions is kept."""
    submitted: dict[str, list[Summary]] = {}
    for summary in summaries:
        submitted.setdefault(summary.problem, []).append(summary)
    boards = []
    for problem in problems:
        own = submitted.pop(problem.name, [])
        texts = (problem.name, problem.title, problem.difficulty, tuple(problem.tags), problem.statement)
        boards.append(BoardProblem(*texts, tuple(own), tuple(rank(own))))
    boards += [
        BoardProblem(gone, own[-1].title, "", (), "", tuple(own), tuple(rank(own))) for gone, own in submitted.items()
    ]
    return sorted(boards, key=lambda board: (board.title.casefold(), board.name))


def slug(problem: str) -> str:
    """A file name for any problem name: the name itself if it is harmless, else with part of its hash."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", problem.lower()).strip("-")[:60]
    return plain if plain and plain == problem else f"{plain or 'problem'}-{sha256(problem.encode()).hexdigest()[:8]}"


def _all_pages(
    store: Store,
    boards: Sequence[BoardProblem],
    folder: Path,
    render: Pages,
    template_folders: Sequence[Path],
) -> Iterator[tuple[str, str]]:
    """Yields (name, text) of all pages, each after those that it links to."""
    fingerprint = render.fingerprint
    for board in boards:
        links = Links(home="../index.html", board=f"../{board.page}")
        for summary in board.submissions:
            path = report_page(summary)
            best = best_numbers(board.rows, summary)
            stamp = _stamp(fingerprint, summary, best)
            if not _up_to_date(folder / path, stamp):
                report, beside = store.get(summary.id).report, list_measured(store, best)
                yield (
                    path,
                    render_report(report, template_folders, number=summary.id, links=links, stamp=stamp, beside=beside),
                )
    for board in boards:
        yield board.page, render.render("problem.html", **_problem_values(board))
    words = {board.difficulty for board in boards}
    yield (
        "index.html",
        render.render(
            "index.html",
            boards=boards,
            difficulties=[*(word for word in DIFFICULTIES if word in words), *sorted(words - {"", *DIFFICULTIES})],
            tags=sorted({tag for board in boards for tag in board.tags}, key=str.casefold),
        ),
    )


def report_page(summary: Summary) -> str:
    return f"submissions/{summary.id}.html"


def _problem_values(board: BoardProblem) -> Mapping[str, object]:
    used = {summary.language for summary in board.submissions}
    languages = [each for each in LANGUAGES if each in used] if len(used) > 1 else []
    return {
        "board": board,
        "statement": statement_html(board.statement),
        "languages": languages,
        "views": [_view(board, each) for each in (None, *languages)],
        "report_page": report_page,
    }


def _view(board: BoardProblem, only: LanguageName | None) -> Mapping[str, object]:
    """What the page shows of all submissions, or with `only` of those in one language."""
    rows = board.rows if only is None else rank(board.submissions, only)
    submissions = [summary for summary in board.submissions if only in (None, summary.language)]
    charts = {
        board_name: best_so_far(
            f"Best score {_by(board_name)}" + (f" in {language(only)}" if only else ""),
            {name(user): [(step.submitted, step.score) for step in steps] for user, steps in users.items()},
        )
        for board_name, users in progress(submissions).items()
    }
    return {
        "language": only,
        "ranked": [(each, own[0].is_measured, own, charts.get(each)) for each, own in by_board(rows).items()],
        "unranked": [row for row in rows if row.rank is None],
        "submissions": submissions[::-1][:MOST_LISTED],
        "older": max(0, len(submissions) - MOST_LISTED),
    }


def _by(board: str) -> str:
    """The board in the title of a chart."""
    return f"by {visible(board)}" if board.startswith(BY_MODEL) else f"on {visible(board)}"


def _stamp(fingerprint: str, summary: Summary, best: Sequence[int]) -> str:
    """A stamp that changes with everything a report's page shows: report, templates, best entries beside it."""
    facts = f"{fingerprint} {summary.id} {summary.problem} {summary.submitted.isoformat()} {summary.source_hash}"
    facts += "".join(f" {number}" for number in best)
    return sha256(facts.encode()).hexdigest()[:32]


def _up_to_date(path: Path, stamp: str) -> bool:
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return f'"{stamp}"' in file.read(STAMP_WITHIN)
