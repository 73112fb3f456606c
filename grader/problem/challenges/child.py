"""The process with PyTorch: makes the tests of one challenge and exits. No submission's code ever runs in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from grader.core.errors import ToolMissing
from grader.sandbox.serving import Message, by_name, serve


def make(
    root: str,
    file: str,
    folder: str,
    name: str,
    difficulty: str,
    seed: int,
    most_bytes: int | None,
    asked: Sequence[int],
    asked_bytes: int,
) -> Message:
    """Writes the tests into `folder`; the other arguments are those of `writing.Order`."""
    from grader.problem.challenges.materialise import NO_TORCH

    try:
        from grader.problem.challenges.running import Running
        from grader.problem.challenges.writing import Order, Writer
    except ImportError as error:
        raise ToolMissing(f"PyTorch can't be loaded: {error}", NO_TORCH) from None
    order = Order(Path(folder), name, difficulty, seed, most_bytes, asked, asked_bytes)
    return asdict(Writer(Running(Path(root), Path(file)), order).write())


if __name__ == "__main__":
    serve(by_name(make))
