"""Counts lines and branches in each process of Python that `make coverage` starts, children included.

Python loads this by itself from PYTHONPATH. A child is killed when the judge needs it no more, so it writes down its
counts before each answer. Nothing is confined meanwhile: no sandbox would let a child write them. So what tests say of
sandboxes fails or is skipped here.
"""

from __future__ import annotations

import atexit
import os
from typing import Any

if root := os.environ.get("KGRADE_COVERAGE"):
    import coverage

    counts = coverage.Coverage(config_file=f"{root}/pyproject.toml", data_file=f"{root}/build/coverage/all")
    counts.start()

    from grader.sandbox import sandbox, serving

    send = serving.Channel.send

    def save_and_send(channel: serving.Channel, message: Any) -> None:
        counts.save()
        send(channel, message)

    def find(required: bool = False) -> sandbox.Sandbox:
        return sandbox.Sandbox(None, "lines are counted")

    serving.Channel.send = save_and_send  # type: ignore[method-assign]
    sandbox.Sandbox.find = staticmethod(find)  # type: ignore[method-assign]
    atexit.register(counts.save)
