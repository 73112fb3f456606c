"""Near-copies in a contest: for each problem the submissions that count, compared with each other.

How likeness is measured is `similarity`'s business; who wrote what to whom is the instructor's.
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
    """Two participants' submissions to one problem that have much in common."""

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
    """Pairs of different participants' submissions, the most alike first.

    `given` are each problem's texts that everybody has, such as its starter file.
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
    """Has a text cut into tokens by a process that reads no other. A text at which that fails is like none."""
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
    """One submission of each participant: the best accepted one, else the last. Teams share their code."""
    chosen: dict[str, SubmissionRecord] = {}
    for each in submissions:
        name = board_name(settings, each.account, each.team)
        if name not in chosen or _weight(each) >= _weight(chosen[name]):
            chosen[name] = each
    return list(chosen.values())


def _weight(submission: SubmissionRecord) -> tuple[bool, float]:
    accepted = submission.verdict == Verdict.ACCEPTED
    return accepted, (submission.score or 0.0) if accepted else 0.0
