"""Answers a student's question under the name that the contest's pages give its problem.

The questions themselves are in `tables.clarifications`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.contest.definitions import settings_of

if TYPE_CHECKING:
    from grader.contest.database import Database


def answer_question(
    database: Database,
    slug: str,
    number: int,
    answer: str,
    *,
    to_all: bool,
    who: str,
    titles: Mapping[str, str] | None = None,
) -> None:
    """Answers a question to its asker, or `to_all`. `titles` are the problems' titles by name, where known.

    Raises UsageError.
    """
    settings = settings_of(database, slug)
    names = titles or {each.name: each.title or each.name for each in settings.problems}
    asked = next((each for each in database.clarifications(slug) if each.id == number), None)
    about = "the contest" if asked is None or asked.problem is None else names.get(asked.problem, asked.problem)
    database.answer(slug, number, answer, announce_as=about if to_all else None, who=who)
