"""Builds what a grading needs once, when an autograder's image is made: python -m grader.autograders.prepare CACHE."""

from __future__ import annotations

import sys
from pathlib import Path

from grader.core.errors import KgradeError
from grader.core.verdict import Form, LanguageName
from grader.languages.registry import find_language


def main() -> None:
    try:
        find_language(LanguageName.CUDA, Form.SOLVE).prepare(Path(sys.argv[1]), print)
    except KgradeError as error:
        # Kernels are graded without it.
        print(f"a file with its own solve() can't be graded here: {error.message}")


if __name__ == "__main__":
    main()
