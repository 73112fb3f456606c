"""On a slow machine the tests of worked files end early, so that the others come to their end within CI's time.

`KGRADE_TEST_MINUTES`, which `.ci/run` sets, is how many minutes after the start of the tests the last may begin.
Without it all run, however long they take.
"""

import os
import time

import pytest

LIMIT, BEGAN = "KGRADE_TEST_MINUTES", "KGRADE_TESTS_BEGAN"


def note_the_start() -> None:
    """Called by the process that starts the others, which find the time in their environment."""
    os.environ.setdefault(BEGAN, str(time.time()))


def skip_if_late(instead: str) -> None:
    """Skips a test once the time is up; `instead` is the command that does what it does."""
    limit = os.environ.get(LIMIT)
    if limit and time.time() - float(os.environ[BEGAN]) > 60 * float(limit):
        pytest.skip(f"the tests have taken more than {limit} minutes on this machine ({LIMIT}); type: {instead}")
