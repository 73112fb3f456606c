"""Turns graded problems into Gradescope's results.json and Autolab's output. Pure functions; they write no files.

Text that a submission chose (names, messages, what it printed) is cut, its invisible characters are spelled out, and
Gradescope is told to show it as plain text.

Formats: Gradescope, Autograder specifications, "Output format"; Autolab, Guide for lab authors, "Writing Autograders".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.boards.words import label, sizes, visible

ACCEPTED = "accepted"
MOST_TEXT, MOST_CASES, MOST_REMARKS = 4000, 100, 10


@dataclass(frozen=True)
class Graded:
    """One problem of an autograder: what `kgrade test --json` printed, its report or an error, and its points."""

    problem: str
    points: float
    answer: Mapping[str, Any]

    @property
    def passed(self) -> bool:
        return self.answer.get("verdict") == ACCEPTED

    @property
    def score(self) -> float:
        return self.points if self.passed else 0.0

    @property
    def title(self) -> str:
        return " ".join(_shown(self.answer.get("title") or self.problem, 200).split())


def to_gradescope(graded: Sequence[Graded]) -> str:
    """The text of results.json: a test with points for each problem, and one without for each of its cases."""
    tests = [test for number, one in enumerate(graded, 1) for test in _tests(one, number)]
    return json.dumps(
        {
            "score": sum(one.score for one in graded),
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "test_output_format": "text",
            "test_name_format": "text",
            "tests": tests,
        },
        indent=2,
        allow_nan=False,
    )


def to_autolab(graded: Sequence[Graded]) -> str:
    """An autograder's output: feedback in indented lines, then the line of scores, which only Autolab reads."""
    lines: list[str] = []
    for one in graded:
        lines += [f"{one.title}: {one.score:g} of {one.points:g} points"]
        lines += [f"  {line}" for line in _explanation(one.answer).splitlines()]
        lines += [f"  {name}: {'right' if passed else said}" for name, passed, said in _cases(one.answer)]
    # Other lines can't be taken for this one: it is the last, and all of theirs are of titles or indented.
    return "\n".join([*lines, json.dumps({"scores": {one.problem: one.score for one in graded}})]) + "\n"


def _tests(one: Graded, number: int) -> Iterator[dict[str, Any]]:
    yield {
        "name": one.title,
        "number": str(number),
        "score": one.score,
        "max_score": one.points,
        "status": "passed" if one.passed else "failed",
        "output": _explanation(one.answer),
    }
    for position, (name, passed, said) in enumerate(_cases(one.answer), 1):
        yield {
            "name": f"{one.title}: {name}",
            "number": f"{number}.{position}",
            "status": "passed" if passed else "failed",
            "output": said,
        }


def _explanation(answer: Mapping[str, Any]) -> str:
    """The verdict in words, the fault, the compiler's remarks, and what the submission printed."""
    if "verdict" not in answer:
        return _shown("\n".join(filter(None, ("not graded: " + answer["error"], answer.get("hint")))))
    parts = [answer["headline"]]
    fault = answer.get("fault_details")
    if fault and fault.get("line"):
        parts.append(f"{answer['file']}:{fault['line']}: {fault['text'].strip()}")
    for remark in answer.get("diagnostics", [])[:MOST_REMARKS]:
        place = f"{answer['file']}:{remark['line']}: " if remark.get("line") else ""
        parts += [f"{place}{remark['severity']}: {remark['message']}", remark.get("hint", "")]
    parts += [*answer.get("explanation", ()), answer.get("pattern", "")]
    if answer.get("printed"):
        parts.append(f"It printed:\n{_shown(answer['printed'], MOST_TEXT // 2)}")
    return _shown("\n".join(part for part in parts if part))


def _cases(answer: Mapping[str, Any]) -> Iterator[tuple[str, bool, str]]:
    """The name of each case, whether it is right, and what is wrong with it."""
    for case in answer.get("cases", [])[:MOST_CASES]:
        passed = case["verdict"] == ACCEPTED
        said = "right" if passed else f"{label(case['verdict'])}: {case['message']}".rstrip(": ")
        yield sizes(case["sizes"]), passed, _shown(said)


def _shown(text: str, most: int = MOST_TEXT) -> str:
    shown = visible(str(text))
    return shown if len(shown) <= most else f"{shown[:most]} … (cut)"
