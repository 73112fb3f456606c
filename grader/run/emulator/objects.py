"""Object code that was compiled before, by a key of all that it depends on, and what was compiled since.

Where it is kept, and who may see whose, is for the one who starts the emulator to say.
"""

from __future__ import annotations


class Objects:
    """Object code (ELF, bytes) by key, which `engine.key_of` makes of LLVM IR and all else that the code depends on.

    Give one to several modules, and they share what is compiled. What is added counts as new until `take_new`, so that
    it can be kept in a file. Nothing is checked: what `learn` is given is going to be executed.
    """

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}
        self._new: dict[str, bytes] = {}

    def find(self, key: str) -> bytes | None:
        """The code of a key; None where it has to be compiled."""
        return self._known.get(key)

    def learn(self, known: dict[str, bytes]) -> None:
        """Adds what was kept from earlier."""
        self._known.update(known)

    def add(self, key: str, code: bytes) -> None:
        """Adds what was compiled now."""
        self._known[key] = self._new[key] = code

    def take_new(self) -> dict[str, bytes]:
        """What was added since the last call, by key."""
        new, self._new = self._new, {}
        return new
