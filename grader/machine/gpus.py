"""Lists this machine's NVIDIA GPUs through NVML, without initialising CUDA.

A machine without a driver has none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FIRST_WITH_OWN_TARGETS = 9
"""From compute capability 9.0 on, targets with suffix `a` allow architecture-specific instructions."""


@dataclass(frozen=True)
class Gpu:
    """One GPU. `index` is the number after `gpu:` on the command line; `memory` is in bytes."""

    index: int
    uuid: str
    name: str
    driver: str
    capability: tuple[int, int]
    memory: int


def find_gpus() -> list[Gpu]:
    """The GPUs that this process may use, in the order of CUDA_VISIBLE_DEVICES or else NVML's, numbered from 0."""
    try:
        import pynvml
    except ImportError:
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        # No driver, or one that does not respond: kgrade then works as on a machine without a GPU.
        return []
    try:
        driver = _text(pynvml.nvmlSystemGetDriverVersion())
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        uuids = [_text(pynvml.nvmlDeviceGetUUID(handle)) for handle in handles]
        chosen = visible(uuids, os.environ.get("CUDA_VISIBLE_DEVICES"))
        return [_describe(pynvml, handles[i], number, uuids[i], driver) for number, i in enumerate(chosen)]
    except pynvml.NVMLError:
        return []
    finally:
        pynvml.nvmlShutdown()


def environment_of(gpu: Gpu) -> dict[str, str]:
    """Environment variables for a process that should see only this GPU."""
    return {"CUDA_VISIBLE_DEVICES": gpu.uuid}


def gpu_like(target: str) -> Gpu:
    """A Gpu of a target such as "sm_90" to compile for; no such GPU need be present."""
    digits = target.removeprefix("sm_")
    return Gpu(0, "", target, "", (int(digits[:-1]), int(digits[-1])), 0)


def target_of(gpu: Gpu) -> str:
    """The compiler's target for exactly this GPU, such as "sm_90a"."""
    major, minor = gpu.capability
    return f"sm_{major}{minor}" + ("a" if major >= FIRST_WITH_OWN_TARGETS else "")


def visible(uuids: Sequence[str], wanted: str | None) -> list[int]:
    """Indices of the GPUs named by CUDA_VISIBLE_DEVICES (`wanted`); all if it is not set.

    As in CUDA (CUDA C++ Programming Guide, environment variables), the first invalid entry ends the list.
    """
    if wanted is None:
        return list(range(len(uuids)))
    chosen: list[int] = []
    for word in (part.strip() for part in wanted.split(",")):
        if word.isdecimal():
            found = [int(word)] if int(word) < len(uuids) else []
        else:
            found = [i for i, uuid in enumerate(uuids) if word and uuid.startswith(word)]
        if len(found) != 1 or found[0] in chosen:
            break
        chosen += found
    return chosen


def _describe(pynvml: Any, handle: Any, number: int, uuid: str, driver: str) -> Gpu:
    major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        index=number,
        uuid=uuid,
        name=_text(pynvml.nvmlDeviceGetName(handle)),
        driver=driver,
        capability=(major, minor),
        memory=int(pynvml.nvmlDeviceGetMemoryInfo(handle).total),
    )


def _text(value: str | bytes) -> str:
    # Older releases of pynvml return bytes.
    return value.decode() if isinstance(value, bytes) else value
