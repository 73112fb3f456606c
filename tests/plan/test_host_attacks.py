"""Hostile host programs: each file of tests/attacks_host/record ends in its declared verdict and leaves nothing behind.

`wrong_answer` stands for an attack without effect: solve() is recorded, and what was asked for writes no right result.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.plan import Launch
from grader.plan.stopped import RecordingStopped
from grader.sandbox import Sandbox
from tests.plan.recorded import RECORDING, Shelf, expected_of, host_program, record_it

FILES = sorted((RECORDING.parent / "attacks_host" / "record").glob("*.cu"))
HONEST = RECORDING / "faulty" / "divides_by_zero.cu"

SHORT, LONG = 1.0, 20.0
"""Seconds for what has to be stopped, and for what ends by itself."""


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    sandbox = Sandbox.find()
    if not sandbox.protects:
        pytest.skip(f"{sandbox.reason} (scripts/install-test-packages installs bubblewrap)")
    return sandbox


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_an_attack_ends_in_its_verdict(path: Path, cache: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    expected = expected_of(path.read_text())
    program = host_program(path, tmp_path)
    seconds = SHORT if expected.verdict == "time_limit_exceeded" else LONG
    device = Shelf()
    if expected.verdict == "wrong_answer":
        recording = record_it(program, cache, device, seconds=seconds, sandbox=sandbox)
        assert not any(isinstance(step, Launch) for step in recording.plan.steps)
    else:
        with pytest.raises(RecordingStopped) as raised:
            record_it(program, cache, device, seconds=seconds, sandbox=sandbox)
        assert raised.value.verdict.value == expected.verdict, raised.value.message
        assert (raised.value.fault.value if raised.value.fault else "") == expected.fault


def test_each_recording_is_a_first_call(cache: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    program = host_program(FILES[0].with_name("behaves_on_the_first_call.cu"), tmp_path)
    first, second = (record_it(program, cache, sandbox=sandbox).plan for _ in range(2))
    assert first == second and len(first.steps) == 1


def test_there_are_enough() -> None:
    assert len(FILES) >= 40
