"""The commands' handling of `--problems DIR`: grade a challenge of that set, show one, write its starter."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.engines import Engines
from grader.commands.progress import show_progress
from grader.core.errors import ProblemError
from grader.core.files import read_text_of_others
from grader.core.verdict import LanguageName
from grader.problem.challenges.folder import STARTER, STATEMENT, ChallengeSet

if TYPE_CHECKING:
    from grader.core.report import Report
    from grader.judge.conductor import Options


def grade_challenge(
    problem_set: str,
    problem: str,
    file: Path,
    language: LanguageName | None,
    options: Options,
    engines: Engines,
    *,
    quiet: bool,
    meanwhile: Callable[[], None],
) -> Report:
    """Grades a file for a challenge, as `grade_file` does for a problem."""
    from grader.languages.registry import read_submission
    from grader.problem.challenges.materialise import materialised
    from grader.run.devices import choose_gpu

    challenges = ChallengeSet(Path(problem_set))
    challenge = challenges.find(problem)
    submission = read_submission(file, language)
    # The tests depend on the seed too, so it is drawn first.
    seed = secrets.randbits(48) if options.seed is None else options.seed
    asked = [sizes["test"] for sizes in options.sizes if "test" in sizes]
    large = choose_gpu(options.device) is not None
    with (
        show_progress(quiet, f"making the tests of {challenge.short_name}") as progress,
        materialised(challenges, challenge, seed, large=large, asked=asked) as loaded,
    ):
        report = engines.grade(loaded, submission, replace(options, seed=seed), progress=progress, meanwhile=meanwhile)
        return replace(report, problem_set=problem_set)


def statement_of(problem_set: str, problem: str) -> tuple[str, str]:
    """Returns the challenge's statement in Markdown, and the command to start with."""
    from grader.problem.challenges.statement import markdown_of

    challenge = ChallengeSet(Path(problem_set)).find(problem)
    try:
        html = read_text_of_others(challenge.folder / STATEMENT, errors="replace")
    except OSError as error:
        raise ProblemError(f"{challenge.folder / STATEMENT} can't be read: {error.strerror}") from None
    return f"# {challenge.title}\n\n{markdown_of(html)}", f"kgrade init --problems {problem_set} {challenge.short_name}"


def challenge_starter(problem_set: str, problem: str, language: LanguageName) -> tuple[str, str]:
    """Returns the name of a challenge and its starter; if it has none in this language, one made from its signature."""
    challenges = ChallengeSet(Path(problem_set))
    challenge = challenges.find(problem)
    starter = challenge.folder / (
        STARTER if language is LanguageName.CUDA else STARTER.with_name(f"starter.{language}.py")
    )
    try:
        return challenge.short_name, read_text_of_others(starter)
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"{starter} can't be read: {error}") from None
    from grader.compile.starters import starter_for
    from grader.languages.registry import find_language
    from grader.problem.challenges.materialise import materialised

    with (
        show_progress(False, "reading the signature"),
        materialised(challenges, challenge, seed=0, large=False) as loaded,
    ):
        made = starter_for(loaded) if language is LanguageName.CUDA else find_language(language).starter(loaded)
        return challenge.short_name, made
