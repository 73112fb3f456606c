"""Messages for students without paths of the machine that judges: each is shown as the name of its file."""

from __future__ import annotations

import re

_PATH = re.compile(r"(?<![\w./])/(?!(?:etc|proc|dev|sys)/)(?:[\w.+@-]+/)+([\w.+@-]+)")
"""An absolute path in a folder. Nothing of kgrade is in those that are left out: such a path is a submission's own."""


def without_paths(text: str) -> str:
    return _PATH.sub(r"\1", text)
