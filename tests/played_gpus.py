"""NVIDIA's management library as a machine with made-up GPUs has it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

from grader.machine.gpus import Gpu


class NVMLError(Exception):
    """As pynvml's."""


class Nvml(ModuleType):
    """pynvml, where these GPUs are."""

    NVMLError = NVMLError

    def __init__(self, gpus: Sequence[Gpu]) -> None:
        super().__init__("pynvml")
        self._gpus = gpus

    def nvmlInit(self) -> None: ...  # noqa: N802

    def nvmlShutdown(self) -> None: ...  # noqa: N802

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        return self._gpus[0].driver if self._gpus else "580"

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self._gpus)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Gpu:  # noqa: N802
        return self._gpus[index]

    def nvmlDeviceGetUUID(self, gpu: Gpu) -> str:  # noqa: N802
        return gpu.uuid

    def nvmlDeviceGetName(self, gpu: Gpu) -> str:  # noqa: N802
        return gpu.name

    def nvmlDeviceGetCudaComputeCapability(self, gpu: Gpu) -> tuple[int, int]:  # noqa: N802
        return gpu.capability

    def nvmlDeviceGetMemoryInfo(self, gpu: Gpu) -> Any:  # noqa: N802
        return _Memory(gpu.memory)


class _Memory:
    def __init__(self, total: int) -> None:
        self.total = total


def install_gpus(monkeypatch: pytest.MonkeyPatch, gpus: Sequence[Gpu]) -> None:
    """Makes this the machine with these GPUs, for this process; what is put into the sequence later is there too."""
    monkeypatch.setitem(sys.modules, "pynvml", Nvml(gpus))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
