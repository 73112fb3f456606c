"""Finds near-copies in a contest: compares the counting submissions of each problem with each other.

`similarity` measures likeness; judging a pair is left to the instructor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.records import SubmissionRecord
from grader.contest.settings import Settings
from grader.contest.similarity import Pair, Token, similar_pairs
from grader.contest.standing import board_name
from grader.core.errors import JudgeError
from grader.core.verdict import LanguageName, Verdict
from grader.languages.python import SUFFIX
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
    given: Mapping[str, Mapping[LanguageName, Sequence[str]]],
    problem: str | None = None,
    threshold: float = 0.6,
) -> list[Likeness]:
    """Returns similar pairs of submissions by different participants in one language, most similar first.

    `given` holds the texts of each problem that everybody has, such as its starter file, by their language.
    """
    settings = settings_of(database, slug)
    texts = database.sources(slug)
    found = []
    for each in settings.problems:
        if problem not in (None, each.name):
            continue
        chosen = {str(s.id): s for s in _chosen(settings, database.submissions(slug, problem=each.name))}
        files: dict[str, dict[str, str]] = defaultdict(dict)
        tokens: dict[str, dict[str, list[Token]]] = defaultdict(dict)
        for name, submission in chosen.items():
            text = texts[submission.source_hash]
            language, read = _read(text, submission.file.endswith(SUFFIX))
            files[language][name], tokens[language][text] = text, read
        for language, own in files.items():
            known = given.get(each.name, {}).get(LanguageName(language), ()) if language else ()
            tokens[language].update((text, _read(text, language != LanguageName.CUDA)[1]) for text in known)
            pairs = similar_pairs(own, given=known, threshold=threshold, read=tokens[language].__getitem__)
            found += [Likeness(each.name, chosen[pair.one], chosen[pair.other], pair) for pair in pairs]
    return sorted(found, key=lambda likeness: -likeness.pair.similarity)


def _read(text: str, python: bool) -> tuple[str, list[Token]]:
    """The language of a text, empty for Python of none that is known, and its tokens, by a process of its own.

    A text for which that fails has no tokens and matches nothing.
    """
    try:
        with Child(READER, confinement=_confinement()) as child:
            child.send({"do": "tokens", "text": text, "python": python})
            answer = child.receive(READING_SECONDS)
            language = str(answer["language"]) and LanguageName(answer["language"]).value
            return language, [Token(str(word), int(line)) for word, line in answer["tokens"]]
    except (JudgeError, KeyError, TypeError, ValueError):
        return "", []


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
