"""Object code by a key of all that it depends on: what was compiled earlier, and what has been compiled since.

Whoever starts the emulator decides where it is kept and who shares it.
"""

from __future__ import annotations


class Objects:
    """Object code (ELF, bytes) by key, which `engine.key_of` makes of LLVM IR and all else that the code depends on.

    Modules that are given the same object share what they compile. Added code counts as new until `take_new`, so that
    it can be kept in a file. Nothing is checked: what `learn` is given will be executed.
    """

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}
        self._new: dict[str, bytes] = {}

    def find(self, key: str) -> bytes | None:
        """Returns the code of a key; None if it has to be compiled."""
        return self._known.get(key)

    def learn(self, known: dict[str, bytes]) -> None:
        """Adds code kept from earlier."""
        self._known.update(known)

    def add(self, key: str, code: bytes) -> None:
        """Adds code compiled now."""
        self._known[key] = self._new[key] = code

    def take_new(self) -> dict[str, bytes]:
        """Returns what was added since the last call, by key."""
        new, self._new = self._new, {}
        return new
