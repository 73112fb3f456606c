"""The index of faults: every word has its page, and its examples end as the page says."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from grader.boards.faults import WORDS, FaultPage, read_fault, word_of
from grader.core.errors import UsageError
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.verify import NO_PATTERN, SEED, expectation_met_by
from grader.languages.registry import make_submission
from grader.problem import load_problem
from grader.store.workspace import builtin_folder

from .samples import REPORTS

NO_EXAMPLE = {"not_deterministic", "time_limit_exceeded", "memory_limit_exceeded", "rejected", "internal_error"}
"""What a short example can't show, or takes seconds for."""


@pytest.mark.parametrize("word", WORDS)
def test_each_page_is_complete(word: str) -> None:
    page = read_fault(word)
    assert page.text.startswith(f"# {page.title}\n") and ".svg" not in page.text
    assert ("## Wrong" in page.text and "## Right" in page.text) is (word not in NO_EXAMPLE)
    assert len(re.findall(r"^\d\. ", page.text, re.M)) == 3
    assert "## How to see it" in page.text and page.summary.endswith(".")
    drawn = ElementTree.fromstring(page.picture)
    assert drawn.get("role") == "img" and drawn.get("aria-label")
    # Between its first paragraph and the causes.
    assert page.html.index("<p>") < page.html.index("<svg") < page.html.index("<h2>Usual causes")


def examples(page: FaultPage) -> tuple[str, list[str]]:
    problem = re.search(r"Of the problem `(\w+)`", page.text)
    assert problem is not None
    return problem[1], re.findall(r"```cuda\n(.*?)```", page.text, re.DOTALL)


@pytest.mark.parametrize("word", [word for word in WORDS if word not in NO_EXAMPLE])
def test_examples_end_as_the_page_says(word: str) -> None:
    name, (wrong, right) = examples(read_fault(word))
    problem = load_problem(builtin_folder("problems") / name)
    options = Options(seed=SEED, device="emulator", search=NO_PATTERN)
    report = grade(problem, make_submission("wrong.cu", wrong.encode()), options)
    assert word_of(report) == word, report.headline
    assert grade(problem, make_submission("right.cu", right.encode()), options).verdict is Verdict.ACCEPTED
    found = expectation_met_by(report)
    assert word in (found.detail, str(found.verdict))


def test_every_outcome_but_acceptance_has_a_page() -> None:
    assert set(WORDS) >= {*map(str, FaultClass), *map(str, WrongKind)}
    assert word_of(REPORTS["accepted"]()) == ""
    assert word_of(REPORTS["out_of_bounds"]()) == "out_of_bounds"
    assert word_of(REPORTS["compile_error"]()) == "compile_error"


def test_a_word_is_found_as_it_is_typed() -> None:
    assert read_fault("Data-Race").word == "data_race"
    with pytest.raises(UsageError, match="Did you mean 'deadlock'"):
        read_fault("deadlok")
    with pytest.raises(UsageError, match="no page about"):
        read_fault("../secret")
