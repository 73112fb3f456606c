"""What a process on a GPU does ahead: CUDA is started once, and its failure is CUDA's own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from grader.machine.gpus import find_gpus

STARTED = """
import ctypes, sys
from grader.run.gpu.rehearsal import start_cuda
try:
    start_cuda()
except RuntimeError as error:
    sys.exit(f"CUDA's own: {type(error).__name__} {error.status}")
flags, active = ctypes.c_uint(), ctypes.c_int()
ctypes.CDLL("libcuda.so.1").cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
print("context", active.value, "cupyx", "cupyx._rsqrt" in sys.modules)
"""


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", STARTED], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60
    )


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu")
def test_cuda_is_started_beside_what_cupy_loads() -> None:
    done = start()
    assert done.stdout == "context 1 cupyx True\n", done.stderr


def test_without_a_gpu_the_error_is_cudas() -> None:
    done = start(CUDA_VISIBLE_DEVICES="-1")
    assert done.returncode == 1
    assert done.stderr.startswith("CUDA's own: CUDARuntimeError "), done.stderr
