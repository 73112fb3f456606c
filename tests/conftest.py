"""What all tests share: how hypothesis draws, and a cache that is not the user's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from minutes import note_the_start

from grader.core.memory import keep_freed_memory
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.template import end_templates

pytest_plugins = ["quick"]
note_the_start()

# In continuous integration the same examples every time: a new find there would blame the wrong change.
settings.register_profile("kgrade", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("kgrade")

# Kept for the next run: what is in it is found by its content.
os.environ.setdefault("KGRADE_CACHE", str(Path(__file__).parents[1] / "build" / "test-cache"))

# Tests run beside each other, and their references are small. Set before NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
keep_freed_memory()


@pytest.fixture(scope="session", autouse=True)
def templates() -> Iterator[None]:
    """What is graded in a test's own process gets its processes from templates, as in a worker."""
    use_templates(Sandbox.find())
    yield
    end_templates()
