"""The GPU's process on a machine where CUDA can't share memory between processes, as in WSL 2."""

from __future__ import annotations

from grader.run.gpu import child
from grader.run.gpu.mailbox import Mailbox


def no_handle(mailbox: Mailbox) -> None:
    """As where CUDA gives none."""


if __name__ == "__main__":
    Mailbox.handle = no_handle  # type: ignore[method-assign]
    child.main()
