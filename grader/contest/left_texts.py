"""Texts that were not handed in because their sender's session had ended, while their sender signs in.

They stand in the sign-in page. The way to an identity provider and back holds no text: meanwhile they are kept here, in
this process alone.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from grader.core.verdict import LanguageName

SECONDS = 900.0
"""How long a text is kept for a browser that is at an identity provider."""
MOST = 64
"""Texts kept at a time: by the largest form of a problem's page they take at most 192 MB."""


@dataclass(frozen=True)
class Kept:
    """What was typed in which language, and the address of its problem's page."""

    back: str
    language: LanguageName
    text: str

    @property
    def contest(self) -> str:
        return self.back.split("/")[2]

    @property
    def problem(self) -> str:
        return self.back.rpartition("/")[2]


class LeftTexts:
    """The newest texts, by browser. Each is given back once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._clock, self._most = clock, most
        self._texts: OrderedDict[str, tuple[float, Kept]] = OrderedDict()
        # Requests run in threads.
        self._lock = threading.Lock()

    def leave(self, browser: str, kept: Kept) -> None:
        with self._lock:
            self._texts.pop(browser, None)
            self._texts[browser] = self._clock() + SECONDS, kept
            while len(self._texts) > self._most:
                self._texts.popitem(last=False)

    def take(self, browser: str) -> Kept | None:
        """The text that this browser left; None if there is none, or it is too old."""
        with self._lock:
            until, kept = self._texts.pop(browser, (0.0, None))
        return kept if self._clock() < until else None
