"""Checking: outputs against the reference. `check_case` is the way in."""

from grader.check.case import check_case

__all__ = ["check_case"]
