"""What one run of a submission may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What all may take that is run after a `prepare`: seconds, on a GPU of the wall and on the emulator those of
    `LaunchResult`; and warp instructions a launch where they are counted."""

    seconds: float = 10.0
    instructions: int = 64_000_000


USUAL_LIMITS = Limits()

SANITIZED_THREADS = 1 << 18
"""Threads of the largest launch whose accesses the emulator checks for races: that takes it several times as long."""
