"""Finds near-copies in a contest: compares the counting submissions of each problem with each other.

`similarity` measures likeness; judging a pair is left to the instructor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.records import SubmissionRecord
from grader.contest.settings import Settings
from grader.contest.similarity import Pair, Token, similar_pairs
from grader.contest.standing import board_name
from grader.core.errors import JudgeError
from grader.core.verdict import Verdict
from grader.sandbox import Confinement, Profile, Sandbox
from grader.sandbox.children import Child

READER = "grader.contest.tokens_child"
READING_SECONDS = 20.0


@dataclass(frozen=True)
class Likeness:
    """Two similar submissions to one problem by different participants."""

    problem: str
    one: SubmissionRecord
    other: SubmissionRecord
    pair: Pair


def likenesses(
    database: Database,
    slug: str,
    *,
    given: Mapping[str, Sequence[str]],
    problem: str | None = None,
    threshold: float = 0.6,
) -> list[Likeness]:
    """Returns similar pairs of submissions by different participants, most similar first.

    `given` holds the texts of each problem that everybody has, such as its starter file.
    """
    settings = settings_of(database, slug)
    texts = database.sources(slug)
    found = []
    for each in settings.problems:
        if problem not in (None, each.name):
            continue
        chosen = {str(s.id): s for s in _chosen(settings, database.submissions(slug, problem=each.name))}
        files = {name: texts[submission.source_hash] for name, submission in chosen.items()}
        pairs = similar_pairs(files, given=given.get(each.name, ()), threshold=threshold, read=_tokens_of)
        found += [Likeness(each.name, chosen[pair.one], chosen[pair.other], pair) for pair in pairs]
    return sorted(found, key=lambda likeness: -likeness.pair.similarity)


def _tokens_of(text: str) -> list[Token]:
    """Tokenizes a text in a process of its own. A text for which that fails has no tokens and matches nothing."""
    try:
        with Child(READER, confinement=_confinement()) as child:
            child.send({"do": "tokens", "text": text})
            return [Token(str(word), int(line)) for word, line in child.receive(READING_SECONDS)["tokens"]]
    except (JudgeError, KeyError, TypeError, ValueError):
        return []


def _confinement() -> Confinement | None:
    sandbox = Sandbox.find()
    return Confinement(sandbox, Profile.COMPUTE) if sandbox.protects else None


def _chosen(settings: Settings, submissions: Sequence[SubmissionRecord]) -> list[SubmissionRecord]:
    """One submission per participant: the best accepted one, else the last. A team is one participant."""
    chosen: dict[str, SubmissionRecord] = {}
    for each in submissions:
        name = board_name(settings, each.account, each.team)
        if name not in chosen or _weight(each) >= _weight(chosen[name]):
            chosen[name] = each
    return list(chosen.values())


def _weight(submission: SubmissionRecord) -> tuple[bool, float]:
    accepted = submission.verdict == Verdict.ACCEPTED
    return accepted, (submission.score or 0.0) if accepted else 0.0
