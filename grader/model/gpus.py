"""The GPUs that model time is told for: figures of their data sheets, and what an SM of their capability does a cycle.

Sizes, clocks and bandwidths are from the sources named in each row. Results a cycle are from the table "Throughput of
Native Arithmetic Instructions" of the CUDA C++ Programming Guide (version 12.9), multiply-adds of tensor cores from the
architectures' white papers. What no data sheet says is in `calibration`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.core.errors import UsageError


@dataclass(frozen=True)
class Sm:
    """Results of one SM a cycle, and its latencies in cycles.

    `fp32` to `shuffle` are the table's results of threads; `half` counts instructions on pairs. `tensor` are
    multiply-adds of halves with sums in single precision, without sparsity, by `mma`; `tensor_of` the factors of other
    types, by the type's name in PTX.
    """

    fp32: int
    fp64: int
    half: int
    integer: int
    multiply: int
    special: int
    convert: int
    shuffle: int
    tensor: int
    tensor_of: Mapping[str, float]


_TENSOR = {"f16": 1.0, "bf16": 1.0, "tf32": 0.5, "s8": 2.0, "u8": 2.0, "e4m3": 2.0, "e5m2": 2.0, "f64": 1 / 16}

SMS: Mapping[str, Sm] = {
    "sm_75": Sm(64, 2, 64, 64, 64, 16, 16, 32, 512, {**_TENSOR, "tf32": 0, "bf16": 0, "f64": 0}),
    "sm_80": Sm(64, 32, 128, 64, 64, 16, 16, 32, 1024, {**_TENSOR, "f64": 1 / 16}),
    "sm_86": Sm(128, 2, 64, 64, 64, 16, 16, 32, 512, _TENSOR),
    "sm_89": Sm(128, 2, 64, 64, 64, 16, 16, 32, 512, _TENSOR),
    # mma.sync reaches 62.9 % of the 2,048 that wgmma reaches (Luo et al., "Benchmarking and Dissecting the Nvidia
    # Hopper GPU Architecture via Microbenchmarking", 2024).
    "sm_90": Sm(128, 64, 128, 64, 64, 16, 64, 32, 1288, {**_TENSOR, "f64": 1 / 8}),
}


@dataclass(frozen=True)
class ModelGpu:
    """A GPU by its data sheet: `clock` in Hz is the boost clock, `bandwidth` in bytes per second, sizes in bytes.

    `cached` is what L1 and shared memory of an SM have together. `calibrated` names the microbenchmarks' run; empty
    where there was none. `tensor_share` is the part of its SMs' tensor throughput that the product has.
    """

    name: str
    target: str
    sms: int
    clock: float
    bandwidth: float
    l2: int
    cached: int
    source: str
    tensor_share: float = 1.0
    calibrated: str = ""

    @property
    def sm(self) -> Sm:
        return SMS[self.target]


_KB, _MB = 1 << 10, 1 << 20


def _gpu(
    name: str, target: str, sms: int, mhz: int, gigabytes: float, l2: int, cached: int, source: str, share: float = 1.0
) -> ModelGpu:
    return ModelGpu(name, target, sms, mhz * 1e6, gigabytes * 1e9, l2 * _MB, cached * _KB, source, share)


_H100 = "NVIDIA H100 Tensor Core GPU Architecture white paper and data sheet"
_A100 = "NVIDIA A100 Tensor Core GPU Architecture white paper and data sheet"
_ADA = "NVIDIA Ada GPU Architecture white paper"

GPUS: tuple[ModelGpu, ...] = (
    _gpu("H200", "sm_90", 132, 1980, 4800, 50, 256, "NVIDIA H200 data sheet; H100 white paper"),
    _gpu("H100", "sm_90", 132, 1980, 3350, 50, 256, _H100),
    _gpu("H100 PCIe", "sm_90", 114, 1755, 2000, 50, 256, _H100),
    _gpu("A100", "sm_80", 108, 1410, 2039, 40, 192, _A100),
    _gpu("A100 40GB", "sm_80", 108, 1410, 1555, 40, 192, _A100),
    _gpu("L40S", "sm_89", 142, 2520, 864, 96, 128, "NVIDIA L40S data sheet; Ada white paper", 2.0),
    _gpu("L4", "sm_89", 58, 2040, 300, 48, 128, "NVIDIA L4 data sheet; Ada white paper", 2.0),
    _gpu("A10", "sm_86", 72, 1695, 600, 6, 128, "NVIDIA A10 data sheet; GA102 white paper", 2.0),
    _gpu("RTX 4090", "sm_89", 128, 2520, 1008, 72, 128, _ADA),
    _gpu("RTX 3090", "sm_86", 82, 1695, 936, 6, 128, "NVIDIA Ampere GA102 GPU Architecture white paper"),
    _gpu("T4", "sm_75", 40, 1590, 320, 4, 96, "NVIDIA T4 data sheet; Turing white paper"),
)
TABLES = Path(__file__).parent / "tables"
"""What benchmarks/calibrate_model.py has measured, by GPU."""
_OTHER_NAMES = {"h100sxm": "H100", "a10080gb": "A100", "a100sxm": "A100", "4090": "RTX 4090", "3090": "RTX 3090"}


def table_path(gpu: ModelGpu, folder: Path = TABLES) -> Path:
    """Where the measurements of a GPU are kept, if there are any."""
    return folder / f"{_key(gpu.name)}.json"


def gpu_named(text: str, folder: Path = TABLES) -> ModelGpu:
    """The GPU of that name, whatever its case, spaces and hyphens. Raises UsageError."""
    key = _key(text)
    name = _OTHER_NAMES.get(key, text)
    found = next((gpu for gpu in GPUS if _key(gpu.name) == _key(name)), None)
    if found is None:
        known = ", ".join(gpu.name for gpu in GPUS)
        raise UsageError(f"no figures of a GPU {text!r} are known", f"use one of: {known}")
    table = table_path(found, folder)
    if not table.is_file():
        return found
    told = json.loads(table.read_text(encoding="utf-8"))
    return replace(found, calibrated=f"{told['gpu']}, driver {told['driver']}, {told['date']}")


def _key(name: str) -> str:
    plain = "".join(letter for letter in name.lower() if letter.isalnum())
    return plain.removeprefix("nvidia").removeprefix("geforce").removeprefix("tesla")
