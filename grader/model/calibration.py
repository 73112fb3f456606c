"""What no data sheet says of a GPU: latencies, and how much of a rate is reached.

`benchmarks/calibrate_model.py` measures these with kernels of its own and writes them as JSON: an object with `gpu`,
`date`, `driver`, and `values`, which has the fields of Calibration by name. What it leaves out keeps its default.
Defaults are from published measurements:

- latencies of the caches: Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
  Microbenchmarking" (2024), table of H100, A100 and RTX 4090; of arithmetic: Abdelkhalik et al., "Demystifying the
  Nvidia Ampere Architecture through Microbenchmarking and Instruction-level Analysis" (2022)
- bandwidth of L2: Chips and Cheese, "Nvidia's H100: Funny L2, and Tons of Bandwidth" (2023); the A100's white paper
- 64 bytes a cycle between L2 and an SM, 128 from L1, one wavefront of shared memory a cycle: Nsight Compute's
  documentation, "Hardware Model"
- four tags of L1 a cycle: NVIDIA's developer forum, on Volta's L1
- cycles between the beginnings of blocks, of constants, of floats' updates, sectors written in part: as on the H200
- 0.9 of the data sheet's bandwidth: what BabelStream's results for A100 and H100 come to
- the launch: what saxpy of 1,000 elements takes in a graph on an H200 (docs/benchmarks.md), less its latencies
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from grader.model.gpus import ModelGpu, table_path


@dataclass(frozen=True)
class Calibration:
    """Latencies in cycles from issue to use; rates as named. One field is one key of the table."""

    clock_share: float = 1.0
    """The clock under load, as a share of the boost clock."""
    dram_share: float = 0.90
    """The bandwidth that is reached, as a share of the data sheet's."""
    l2_bytes_per_cycle: float = 28.0
    """What each SM gets if all SMs read from L2 at once."""
    l2_port_bytes_per_cycle: float = 64.0
    """Between L2 and one SM."""
    l1_lines_per_cycle: float = 1.0
    """Sectors at one place of their lines of 128 bytes that L1 delivers."""
    l1_tags_per_cycle: float = 4.0
    """Lines that it looks up."""
    latency_arithmetic: float = 4.0
    latency_double: float = 8.0
    latency_special: float = 18.0
    constant_cycles: float = 2.0
    """What each word of constant memory takes that the lanes of a warp ask for."""
    partial_sectors: float = 0.9
    """What a sector costs DRAM besides its own bytes, in sectors, that a store writes in part..."""
    shared_sectors: float = 2.7
    """...and where two stores of neighbours write it."""
    latency_tensor: float = 33.0
    latency_shuffle: float = 23.0
    latency_shared: float = 29.0
    latency_l1: float = 40.0
    latency_l2: float = 263.0
    latency_dram: float = 550.0
    latency_atomic: float = 300.0
    latency_barrier: float = 20.0
    """From one barrier of a block of 8 warps to the next, with nothing between them."""
    barrier_warp_cycles: float = 0.0
    """How much longer that is for each warp more: they arrive one after another, those of all schedulers."""
    latency_branch: float = 8.0
    latency_fence: float = 500.0
    latency_special_register: float = 20.0
    atomics_per_cycle: float = 1.0
    """Updates of one line of 128 bytes that L2 does in a cycle, by all SMs together."""
    float_atomics_per_cycle: float = 0.29
    """The same, of sums of floats."""
    atomic_line_sectors_per_cycle: float = 0.16
    """Sectors with updates of different words that L2 does in a cycle of one line."""
    atomic_sectors_per_cycle: float = 0.4
    """Sectors with updates that L2 does in a cycle, for each SM, all of them different."""
    block_start: float = 300.0
    """Cycles from one block's end to its successor's first instruction."""
    block_apart: float = 155.0
    """Cycles between the beginnings of two blocks on an SM, whatever their threads."""
    launch_seconds: float = 0.5e-6
    """What a launch in a graph takes besides its blocks."""
    shared_atomic_cycles: float = 4.0
    """What each turn of an atomic in shared memory takes."""


_BY_TARGET: Mapping[str, Mapping[str, float]] = {
    "sm_75": {"latency_l1": 32, "latency_l2": 188, "latency_dram": 434, "latency_shared": 19, "launch_seconds": 1.5e-6},
    "sm_80": {"latency_l1": 38, "latency_l2": 262, "latency_dram": 540, "l2_bytes_per_cycle": 40.0},
    "sm_86": {"latency_l1": 38, "latency_l2": 240, "latency_dram": 520, "l2_bytes_per_cycle": 20.0},
    "sm_89": {"latency_l1": 43, "latency_l2": 273, "latency_dram": 620, "l2_bytes_per_cycle": 16.0},
}


def calibration_of(gpu: ModelGpu, measured: Path | None = None) -> Calibration:
    """The defaults for a GPU, with the values of a table of measurements: `measured`, or the one kept for it."""
    found = replace(Calibration(), **_BY_TARGET.get(gpu.target, {}))
    if measured is None and gpu.calibrated:
        measured = table_path(gpu)
    if measured is None:
        return found
    told = json.loads(measured.read_text(encoding="utf-8"))
    known = {field.name for field in fields(Calibration)}
    return replace(found, **{name: float(value) for name, value in told["values"].items() if name in known})
