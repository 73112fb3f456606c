"""Taking back pinned L2 lines: which answers of the driver are errors, and that it happens on a GPU."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from grader.core.errors import JudgeError
from grader.machine.gpus import find_gpus
from grader.run.gpu import persisting
from grader.run.gpu.persisting import LIMIT_PERSISTING_L2_CACHE_SIZE, reset_persisting_l2


def driver(reset: int = 0, limit: int = 0) -> tuple[Any, list[Any]]:
    """A driver that answers with these numbers, and the calls that it saw."""
    calls: list[Any] = []

    def answer(name: str, status: int) -> Any:
        def call(*arguments: Any) -> int:
            calls.append((name, *arguments))
            return status

        return call

    def name_of(status: int, name: Any) -> int:
        ctypes.cast(name, ctypes.POINTER(ctypes.c_char_p))[0] = b"CUDA_ERROR_INVALID_CONTEXT"
        return 0

    fake = SimpleNamespace(
        cuCtxResetPersistingL2Cache=answer("reset", reset), cuCtxSetLimit=answer("limit", limit), cuGetErrorName=name_of
    )
    return fake, calls


@pytest.mark.parametrize(("reset", "limit"), [(0, 0), (801, 0), (801, 215), (0, 801)])
def test_old_gpus_without_such_lines_are_fine(reset: int, limit: int) -> None:
    fake, calls = driver(reset, limit)
    reset_persisting_l2(fake)
    assert calls == [("reset",), ("limit", 6, 0)]


@pytest.mark.parametrize(("reset", "limit", "call"), [(201, 0, "cuCtxResetPersistingL2Cache"), (0, 201, "SetLimit")])
def test_other_answers_are_errors_with_their_name(reset: int, limit: int, call: str) -> None:
    fake, _ = driver(reset, limit)
    with pytest.raises(JudgeError, match=rf"{call} fails with CUDA_ERROR_INVALID_CONTEXT \(201\)"):
        reset_persisting_l2(fake)


def test_a_machine_without_a_driver_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    persisting._driver.cache_clear()
    with pytest.raises(JudgeError, match=r"driver library can't be loaded: libcuda\.so\.1"):
        reset_persisting_l2()


@pytest.mark.gpu
@pytest.mark.alone
@pytest.mark.skipif(not find_gpus(), reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu")
def test_what_was_set_aside_is_given_back() -> None:
    import cupy
    from cupy.cuda import runtime

    runtime.setDevice(0)
    runtime.free(0)
    driver, size = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t(0)
    driver.cuCtxSetLimit(LIMIT_PERSISTING_L2_CACHE_SIZE, ctypes.c_size_t(1 << 20))
    known = driver.cuCtxGetLimit(ctypes.byref(size), LIMIT_PERSISTING_L2_CACHE_SIZE) == 0
    if int(cupy.cuda.Device().compute_capability) >= 80:
        assert known
        assert size.value >= 1 << 20
    reset_persisting_l2()
    if known:
        assert driver.cuCtxGetLimit(ctypes.byref(size), LIMIT_PERSISTING_L2_CACHE_SIZE) == 0
    assert size.value == 0
