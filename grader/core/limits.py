"""Limits on one run of a submission."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on everything that runs after one `prepare`.

    `seconds` is wall time on a GPU and the seconds of `LaunchResult` on the emulator; `instructions` is warp
    instructions per launch, where the device counts them.
    """

    seconds: float = 10.0
    instructions: int = 64_000_000


USUAL_LIMITS = Limits()

SANITIZED_THREADS = 1 << 18
"""Threads of the largest launch whose accesses the emulator checks for races: that takes it several times as long."""
