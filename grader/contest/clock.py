"""The server's clock: wall time that never goes back while a process runs.

Deadlines, leases and the order of submissions depend on it. It sets no clock and asks no network.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from grader.core.errors import StoreError

TOLERATED = timedelta(seconds=5)
"""How far the clock may be behind the newest row: servers that share a database may differ by this much."""


def utc_now() -> datetime:
    return datetime.now(timezone.utc)


class Clock:
    """Aware UTC times. If the machine's clock is set back, time continues from where it was.

    It counts with the monotonic clock from the latest wall time seen; a wall clock that is ahead is followed, as after
    a machine wakes up.
    """

    def __init__(self, wall: Callable[[], datetime] = utc_now, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._anchor, self._since = wall(), monotonic()

    def now(self) -> datetime:
        """The current time, never earlier than one returned before."""
        wall, count = self._wall(), self._monotonic()
        steady = self._anchor + timedelta(seconds=count - self._since)
        if wall > steady:
            self._anchor, self._since = wall, count
            return wall
        return steady

    def seconds(self) -> float:
        """The current time as seconds, for what counts by the minute: it never goes back either."""
        return self.now().timestamp()

    @property
    def set_back(self) -> timedelta:
        """How far the machine's clock is behind this one; about zero unless it was set back."""
        return max(self.now() - self._wall(), timedelta(0))

    def check(self, newest: datetime | None) -> None:
        """Raises StoreError if the clock is behind the `newest` time on record.

        With such a clock, a contest would accept submissions after its end.
        """
        if newest is None or self.now() >= newest - TOLERATED:
            return
        behind = newest - self.now()
        raise StoreError(
            f"this machine's clock is {_words(behind)} behind the newest submission on record ({newest:%F %T} UTC); "
            "nothing was changed",
            "set the clock (timedatectl set-ntp true), then start again",
        )


def _words(span: timedelta) -> str:
    seconds = span.total_seconds()
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
