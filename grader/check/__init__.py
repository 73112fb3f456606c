"""Checking: compares outputs with the reference. Start at `check_case`."""

from grader.check.case import check_case, check_outputs

__all__ = ["check_case", "check_outputs"]
