"""Finding GPUs, against an NVML made up for the test."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from grader.machine.gpus import Gpu, find_gpus, target_of, visible

UUIDS = ["GPU-aaaa", "GPU-abcd", "GPU-bbbb"]


class NVMLError(Exception):
    pass


def nvml(fails=""):
    """A module like pynvml, for a machine with the three GPUs; `fails` is the call that raises."""
    calls = {
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: b"580.1",
        "nvmlDeviceGetCount": lambda: len(UUIDS),
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetUUID": lambda handle: UUIDS[handle],
        "nvmlDeviceGetName": lambda handle: f"NVIDIA Card {handle}",
        "nvmlDeviceGetCudaComputeCapability": lambda handle: (8 + handle, 0),
        "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=(handle + 1) << 30),
    }

    def fail(*_):
        raise NVMLError

    if fails:
        calls[fails] = fail
    return SimpleNamespace(NVMLError=NVMLError, **calls)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setitem(sys.modules, "pynvml", nvml())


def test_all_that_is_needed_is_known_of_each():
    assert find_gpus()[1] == Gpu(1, "GPU-abcd", "NVIDIA Card 1", "580.1", (9, 0), 2 << 30)
    assert [gpu.index for gpu in find_gpus()] == [0, 1, 2]


def test_hidden_gpus_are_not_there_and_the_others_are_numbered_anew(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,0")
    assert [(gpu.index, gpu.uuid) for gpu in find_gpus()] == [(0, "GPU-bbbb"), (1, "GPU-aaaa")]


@pytest.mark.parametrize("fails", ["nvmlInit", "nvmlDeviceGetCount", "nvmlDeviceGetName"])
def test_a_driver_that_does_not_answer_is_no_gpu(monkeypatch, fails):
    monkeypatch.setitem(sys.modules, "pynvml", nvml(fails))
    assert find_gpus() == []


def test_without_the_package_there_is_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert find_gpus() == []


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (None, [0, 1, 2]),
        ("", []),
        ("1", [1]),
        (" 2 , 0", [2, 0]),
        ("0,7,1", [0]),
        ("-1", []),
        ("0,0,1", [0]),
        ("GPU-b", [2]),
        ("GPU-a", []),
        ("GPU-ab,1", [1]),
    ],
)
def test_visible_devices_are_read_as_cuda_reads_them(wanted, chosen):
    assert visible(UUIDS, wanted) == chosen


@pytest.mark.parametrize(
    ("capability", "target"),
    [((7, 5), "sm_75"), ((8, 9), "sm_89"), ((9, 0), "sm_90a"), ((10, 3), "sm_103a"), ((12, 0), "sm_120a")],
)
def test_the_target_is_the_gpus_own(capability, target):
    assert target_of(Gpu(0, "u", "n", "d", capability, 1)) == target
