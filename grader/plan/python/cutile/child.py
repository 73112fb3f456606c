"""The process that records a submission in cutile, with what takes its import time loaded by a template."""

from __future__ import annotations

from grader.plan.python.child import main, preload_language


def preload() -> None:
    """Loads the language, if it is installed."""
    preload_language("cutile")


if __name__ == "__main__":
    main()
