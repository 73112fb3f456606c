"""The judge's side of making a challenge's tests: runs the process with PyTorch and returns the Problem.

That process has a time limit, and the folder of the tests is temporary.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from grader.core.errors import ProblemError, ToolMissing
from grader.problem.cases import MOST_BYTES
from grader.problem.challenges.folder import Challenge, ChallengeSet
from grader.problem.challenges.problem import ChallengeProblem, load_challenge
from grader.problem.sizes import Budget
from grader.sandbox.children import Child, ChildDied, ChildFailed, ChildTimeout

MODULE = "grader.problem.challenges.child"
SECONDS, LARGE_SECONDS = 120.0, 600.0
"""Time limits for making a challenge's tests, without large ones and with them."""
NO_TORCH = (
    "type: pip install torch, or, for the smaller build without CUDA, "
    "pip install torch --index-url https://download.pytorch.org/whl/cpu"
)


@contextmanager
def materialised(
    challenges: ChallengeSet,
    challenge: Challenge,
    seed: int,
    *,
    large: bool,
    asked: Sequence[int] = (),
    seconds: float | None = None,
) -> Iterator[ChallengeProblem]:
    """Yields the challenge as a Problem with tests made from this seed; `large` includes those that only a GPU can run.

    `asked` are the numbers of tests wanted although they are large for the emulator. Raises ProblemError if the
    challenge is faulty, ToolMissing without PyTorch.
    """
    if find_spec("torch") is None:
        raise ToolMissing(f"{challenge.short_name} needs PyTorch, which is not installed", NO_TORCH)
    limit = seconds or (LARGE_SECONDS if large else SECONDS)
    with tempfile.TemporaryDirectory(prefix="kgrade-challenge-") as name:
        folder = Path(name).resolve()
        request = {
            "do": "make",
            "root": str(challenges.root),
            "file": str(challenge.file),
            "folder": str(folder),
            "name": challenge.name,
            "difficulty": challenge.difficulty,
            "seed": seed,
            "most_bytes": None if large else Budget().bytes,
            "asked": list(asked),
            "asked_bytes": MOST_BYTES,
        }
        # Write no __pycache__ into the problem set, and keep PyTorch off the GPU.
        environment = {"PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
        with Child(MODULE, environment=environment) as child:
            try:
                child.send(request)
                child.receive(limit)
            except ChildTimeout:
                message = f"{challenge.file}: it made no tests within {limit:g} seconds"
                raise ProblemError(message, "look for a loop without an end, or a very slow reference") from None
            except ChildDied as died:
                raise ProblemError(f"{challenge.file}: its process ended: {_reason(died)}") from None
            except ChildFailed as failed:
                raise ProblemError(f"{challenge.file}: {failed.message}") from None
        yield load_challenge(folder)


def _reason(died: ChildDied) -> str:
    if died.signal is not None:
        return f"{died.signal.name}, most likely because memory ran out"
    last = died.output.strip().splitlines()[-1:]
    return last[0] if last else f"exit code {died.returncode}"
