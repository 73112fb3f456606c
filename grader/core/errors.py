"""The one tree of errors that library code raises and commands print.

KgradeError
├── UsageError        the caller asked for something that is not there or not possible (exit code 2)
│   ├── ProblemError      a problem's folder has a mistake; names file and field
│   ├── SourceError       the submitted file can't be read as CUDA source
│   └── WorkspaceError    the workspace can't be found, read or written
└── JudgeError        the judge itself failed; never the student's fault (exit code 3)
    ├── ToolMissing       a part that grading needs is not installed; says how to get it
    └── StoreError        the database can't be opened, read or written
        └── DiskFull          no space is left to record anything
"""

from __future__ import annotations


class KgradeError(Exception):
    """Base of every error that kgrade raises on purpose: a message, and a hint with the next thing to type."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(KgradeError):
    """Wrong usage: the message names the value and what was expected."""

    exit_code = 2


class ProblemError(UsageError):
    """A mistake in a problem's folder."""


class SourceError(UsageError):
    """A submitted file that can't be read as source text."""


class WorkspaceError(UsageError):
    """A workspace that can't be found, read or written."""


class JudgeError(KgradeError):
    """A failure of the judge; retrying or repairing the installation helps, changing the kernel does not."""


class ToolMissing(JudgeError):
    """A compiler or library that is not installed."""


class StoreError(JudgeError):
    """The database of submissions can't be opened, read or written."""


class DiskFull(StoreError):
    """No space is left on the disk; nothing was recorded."""
