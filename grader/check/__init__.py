"""Checking: compares outputs with the reference. Start at `check_case`."""

from grader.check.case import check_case

__all__ = ["check_case"]
