"""Turns what `kgrade test --json` prints into GitHub's annotations, as a filter behind it: see action.yml.

Format: GitHub Actions, "Workflow commands": ::error file=FILE,line=LINE::MESSAGE. All else that a submission chose is
left out of the log, where a line beginning with :: is a command.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from grader.autograders.results import ACCEPTED
from grader.boards.words import visible

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
MOST = 50
ACCEPTED_CODE, OTHER_CODE, FAILED_CODE = 0, 1, 3


def annotate(answer: Mapping[str, Any], file: str) -> tuple[list[str], int]:
    """The lines to print, and the exit code: 0 if it is accepted, 1 with another verdict, 3 if it was not graded."""
    if "verdict" not in answer:
        return [_command("error", {}, f"{answer['error']}\n{answer.get('hint', '')}")], FAILED_CODE
    passed = answer["verdict"] == ACCEPTED
    words = "\n".join((answer["headline"], *answer.get("explanation", ()), answer.get("pattern") or "")).strip()
    place = {"file": file, "line": answer.get("line")}
    lines = [_command("notice" if passed else "error", place, words), *_remarks(answer, file)]
    return lines[:MOST], ACCEPTED_CODE if passed else OTHER_CODE


def main() -> None:
    try:
        answer = json.load(sys.stdin)
    except ValueError:
        answer = {"error": "kgrade ended without an answer"}
    lines, code = annotate(answer, sys.argv[1])
    print("\n".join(lines))
    sys.exit(code)


def _remarks(answer: Mapping[str, Any], file: str) -> Iterator[str]:
    for remark in answer.get("diagnostics", []):
        place = {"file": file, "line": remark.get("line"), "col": remark.get("column")}
        yield _command(LEVELS[remark["severity"]], place, f"{remark['message']}\n{remark.get('hint', '')}".strip())


def _command(level: str, place: Mapping[str, Any], words: str) -> str:
    properties = ",".join(
        f"{key}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in place.items() if value
    )
    return f"::{level} {properties}::{_escaped(words)}" if properties else f"::{level}::{_escaped(words)}"


def _escaped(value: object) -> str:
    return visible(str(value)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    main()
