"""What the tests of challenges share: the set beside them, what needs PyTorch, and challenges made at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from grader.problem.challenges.folder import ChallengeSet
from grader.problem.challenges.materialise import NO_TORCH
from grader.problem.challenges.problem import ChallengeProblem, load_challenge
from grader.problem.sizes import Budget

SET = Path(__file__).parent / "set"
SEED = 20261121

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason=f"PyTorch is not installed; {NO_TORCH}")

Make = Callable[..., ChallengeProblem]


@pytest.fixture(autouse=True)
def own_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each challenge imports the `core` of its own set, and leaves nothing there, as in a process of its own."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.partition(".")[0] == "core"]:
        del sys.modules[name]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """`make("1_saxpy")`: the challenge with its tests, by the code of the process with PyTorch, in this process."""

    def made(name: str, root: Path = SET, seed: int = SEED, **order: Any) -> ChallengeProblem:
        from grader.problem.challenges.running import Running
        from grader.problem.challenges.writing import Order, Writer

        found = ChallengeSet(root)
        challenge = found.find(name)
        folder = tmp_path / f"made-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        order = {"most_bytes": Budget().bytes, **order}
        running = Running(found.root, challenge.file)
        Writer(running, Order(folder, challenge.name, challenge.difficulty, seed, **order)).write()
        return load_challenge(folder)

    return made


@pytest.fixture
def write_set(tmp_path: Path) -> Callable[..., Path]:
    """`write_set(faulty="text of a challenge.py")`: a set of such challenges, numbered from 1, on the same base."""

    def written(**challenges: str) -> Path:
        root = tmp_path / "others"
        core = root / "challenges" / "core"
        core.mkdir(parents=True)
        base = "challenges/core/challenge_base.py"
        (root / base).write_text((SET / base).read_text())
        for number, (name, text) in enumerate(challenges.items(), 1):
            folder = root / "challenges" / "easy" / f"{number}_{name}"
            folder.mkdir(parents=True)
            (folder / "challenge.py").write_text(text)
        return root

    return written
