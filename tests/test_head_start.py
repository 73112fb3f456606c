"""Processes that start ahead of the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.machine.gpus import Gpu, environment_of
from grader.run import head_start
from grader.run.confined import compute, on_gpu, own_code
from grader.run.head_start import HeadStart
from grader.sandbox import Sandbox
from tests.played_gpus import install_gpus

MAP = Path(__file__).parents[1] / "problems" / "map"
SANDBOX = Sandbox("/usr/bin/bwrap")
GPUS = [Gpu(i, f"GPU-{i}", f"Card {i}", "580.0", (9, 0), 8 << 30) for i in range(2)]


class FakeChild:
    """Remembers what it was started as."""

    def __init__(self, module: str, environment: dict[str, str], confinement: object) -> None:
        self.module, self.environment, self.closed = module, dict(environment), False
        self.confinement = confinement

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def started() -> list[FakeChild]:
    return []


@pytest.fixture
def ahead(started: list[FakeChild], monkeypatch: pytest.MonkeyPatch) -> HeadStart:
    """Notes its processes in `started`."""

    def start(module: str, environment: dict[str, str], confinement: object, scratch: object) -> Any:
        started.append(FakeChild(module, environment, confinement))
        return started[-1]

    install_gpus(monkeypatch, GPUS)
    return HeadStart(start)


@pytest.mark.parametrize(
    ("device", "gpu"), [("auto", 0), ("gpu", 0), ("gpu:1", 1), ("gpu:2", None), ("gpu:x", None), ("emulator", None)]
)
def test_what_a_device_needs(ahead: HeadStart, started: list[FakeChild], device: str, gpu: int | None) -> None:
    ahead.begin(device, MAP, SANDBOX)
    modules = [head_start.EMULATOR] + ([head_start.GPU, head_start.REFEREE] if gpu is not None else [])
    assert [child.module for child in started] == modules
    assert all(child.environment == environment_of(GPUS[gpu or 0]) for child in started[1:])
    # The referee runs nothing of a submission.
    expected = [compute(SANDBOX, MAP), on_gpu(SANDBOX, MAP), None][: len(modules)]
    assert [child.confinement for child in started] == expected


def test_each_is_taken_once_and_the_rest_ends(ahead: HeadStart, started: list[FakeChild]) -> None:
    ahead.begin("gpu:1", MAP, SANDBOX)
    emulator, runner, referee = started
    wanted = (head_start.GPU, environment_of(GPUS[1]), on_gpu(SANDBOX, MAP), own_code())
    assert ahead.take(*wanted) is runner
    again = ahead.take(*wanted)
    assert again is started[-1] and again not in (emulator, runner, referee)
    ahead.end()
    assert [child.closed for child in started] == [True, False, True, False]


def test_one_for_another_gpu_is_not_taken(ahead: HeadStart, started: list[FakeChild]) -> None:
    ahead.begin("gpu:0", MAP, SANDBOX)
    ahead.take(head_start.REFEREE, environment_of(GPUS[1]))
    assert len(started) == 4


def test_one_that_sees_another_problem_is_not_taken(ahead: HeadStart, started: list[FakeChild]) -> None:
    ahead.begin("emulator", MAP, SANDBOX)
    other = compute(SANDBOX, MAP.parent / "zip")
    assert ahead.take(head_start.EMULATOR, {}, other) is not started[0]
    assert ahead.take(head_start.EMULATOR, {}, None) is not started[0]


def test_worked_submissions_are_not_shown() -> None:
    confinement = compute(SANDBOX, MAP)
    assert confinement is not None
    names = {path.name for path in (*confinement.readable, *confinement.given)}
    assert "problem.py" in names
    assert "submissions" not in names
