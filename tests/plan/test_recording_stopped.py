"""Launch code that gives no plan: each file of tests/recording/faulty and what is said of it, with the line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from grader.core.verdict import Verdict
from grader.plan.advice import advice_for
from grader.plan.stopped import RecordingStopped, stop_of_death
from grader.sandbox import Ended
from tests.plan.recorded import RECORDING, expected_of, program_of, record_it

FILES = sorted((RECORDING / "faulty").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_mistake_is_explained_with_its_line(path: Path, cache: Path) -> None:
    expected = expected_of(path.read_text())
    program = program_of(path, cache)
    with pytest.raises(RecordingStopped) as raised:
        record_it(program, cache)
    stopped = raised.value
    assert stopped.verdict.value == expected.verdict
    assert (stopped.fault.value if stopped.fault else "") == expected.fault
    assert expected.says in stopped.message
    assert expected.hint in stopped.hint
    assert expected.prints in stopped.printed
    assert stopped.line == expected.line


@pytest.mark.parametrize(
    ("call", "word"),
    [
        ("cudaMallocManaged", "cudaMalloc()"),
        ("cudaHostAlloc", "ordinary array"),
        ("cudaGraphAddKernelNode", "capturing"),
        ("cudaCreateTextureObject", "__ldg()"),
        ("cudaMemcpyPeer", "one device"),
        ("cuMemAlloc_v2", "CUDA runtime"),
        ("cublasSgemm_v2", "no library"),
        ("cudaMemcpyAsync_ptsz", "cudaStreamCreate()"),
        ("cudaSomethingNew", "streams, events"),
    ],
)
def test_each_call_has_its_advice(call: str, word: str) -> None:
    assert word in advice_for(call)


def test_the_end_of_a_process_is_told_apart() -> None:
    assert stop_of_death(Ended(-9, signal.SIGKILL, False, ""), 5, 10.0).verdict is Verdict.TIME_LIMIT_EXCEEDED
    assert stop_of_death(Ended(137, None, False, ""), 5, 10.0).verdict is Verdict.TIME_LIMIT_EXCEEDED
    assert stop_of_death(Ended(0, None, True, ""), 5, 10.0).verdict is Verdict.TIME_LIMIT_EXCEEDED
    assert "exit code 0" in stop_of_death(Ended(0, None, False, ""), 5, 10.0).message
    assert "SIGSEGV" in stop_of_death(Ended(139, None, False, ""), 5, 10.0).message
    assert "freed twice" in stop_of_death(Ended(134, None, False, ""), 5, 10.0).hint
    assert stop_of_death(Ended(139, None, False, ""), 5, 10.0).hint == ""
