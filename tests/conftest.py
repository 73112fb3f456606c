"""What all tests share: how hypothesis draws."""

import os

from hypothesis import settings

# In continuous integration the same examples every time: a new find there would blame the wrong change.
settings.register_profile("kgrade", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("kgrade")
