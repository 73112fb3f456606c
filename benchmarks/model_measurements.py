"""What `calibrate_model.py` measures on a GPU, and which values of the model of time follow from it.

Latencies are in cycles from an instruction to the one that needs its result. Rates are those of one SM a cycle, unless
their names say otherwise. Two runs that differ in iterations alone are subtracted from each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from model_device import MeasuredDevice, Run, least
from model_kernels import CHAINS, LENGTH, OPERATIONS, PRODUCTS, WGMMA_COLUMNS, WGMMA_LENGTH, wgmma_work
from model_memory_kernels import STAGES, STEPS, STRIDES, WIDTHS

REPEATS = 3
FEW, MANY = 64, 320
"""Iterations of the two runs."""
WARPS = (1, 2, 4, 8, 16, 32)
KIB = 1 << 10
READERS = 512
"""Threads of a block that reads global memory: with four loads of 16 bytes each, enough are under way."""
CHASED = {"l1": 16 * KIB, "l2": 4 << 20, "dram": 256 << 20}
"""Sizes of the lists that are followed; the last is several times any L2."""
LINES = 512
BULK = (1 * KIB, 4 * KIB, 16 * KIB)
MOST_READ = 2 << 30
BIG_BLOCK = 120 * KIB
"""Shared memory of a block that has an SM for itself."""

Table = dict[str, Any]


def cycles_of(
    device: MeasuredDevice, name: str, *, threads: int = 32, extra: int = 0, few: int = FEW, many: int = MANY
) -> float:
    """Cycles of an iteration of one block."""

    def once() -> float:
        runs = [device.run(name, 1, threads, n, extra) for n in (few, many)]
        return (runs[1].cycles - runs[0].cycles) / (many - few)

    return least(REPEATS, once)


def seconds_of(device: MeasuredDevice, name: str, blocks: int, threads: int, extra: int, few: int, many: int) -> float:
    """Seconds of an iteration of all blocks."""

    def once() -> float:
        runs = [device.run(name, blocks, threads, n, extra) for n in (few, many)]
        return (runs[1].seconds - runs[0].seconds) / (many - few)

    return least(REPEATS, once)


def clock(device: MeasuredDevice) -> Table:
    """The clock in Hz with all SMs at work, by cycles and nanoseconds of the same loop."""
    for _ in range(2):
        # The first run also brings the GPU out of its rest.
        run = device.run("clocks", device.about.sms, 512, 1 << 20)
    first = run.times[0]
    return {"hertz": float(first[1] - first[0]) / float(first[3] - first[2]) * 1e9}


def pipes(device: MeasuredDevice) -> Table:
    """Latency of each instruction, and results a cycle: of threads, or multiply-adds of a product."""
    found: Table = {}
    for one in OPERATIONS:
        rates = [one.results * LENGTH * w / cycles_of(device, f"{one.name}_{CHAINS}", threads=32 * w) for w in WARPS]
        found[one.name] = {"latency": cycles_of(device, f"{one.name}_1") / LENGTH, "rate": max(rates)}
    count = LENGTH // 4
    for product in PRODUCTS:
        chains = min(CHAINS, 4)
        work = product.work * count
        rates = [work * w / cycles_of(device, f"{product.name}_{chains}", threads=32 * w) for w in WARPS]
        found[product.name] = {"latency": cycles_of(device, f"{product.name}_1") / count, "rate": max(rates)}
    for columns in WGMMA_COLUMNS:
        work = wgmma_work(columns) * WGMMA_LENGTH
        cycles = {groups: cycles_of(device, f"wgmma_{columns}", threads=128 * groups) for groups in (1, 2)}
        found[f"wgmma_{columns}"] = {"rate": max(work * groups / one for groups, one in cycles.items())}
    return found


def latencies(device: MeasuredDevice) -> Table:
    """Measures latencies: of loads from each place, of an atomic that returns its value, of a fence behind a store."""
    found: Table = {"shared": cycles_of(device, "chase_shared") / STEPS}
    for name, kernel in (("l1", "chase_l1"), ("l2", "chase_l2"), ("dram", "chase_l2")):
        device.follow(CHASED[name])
        lines = CHASED[name] // 128
        if name == "l2":
            # Once through all of it, to have it in L2.
            device.run(kernel, 1, 1, lines // STEPS, 0)
        found[name] = cycles_of(device, kernel, threads=1) / STEPS if name != "dram" else _cold(device, kernel)
    run = device.run("latency_by_line", 1, 1, LINES, 32, rows=LINES)
    each = run.times[:, 1] - run.times[:, 0]
    found["l2_near"], found["l2_far"] = (float(np.percentile(each, p)) for p in (10, 90))
    found["atomic"] = cycles_of(device, "chase_atomic", threads=1) / STEPS
    found["fence"] = cycles_of(device, "fences")
    return found


def _cold(device: MeasuredDevice, kernel: str) -> float:
    """Cycles of a step along lines that are in no cache."""
    # Each run goes over the same lines. Reading the list and three times as much behind it leaves none of it in L2.
    size = 4 * CHASED["dram"] // KIB
    found = []
    for _ in range(REPEATS):
        cycles = []
        for n in (FEW // 4, MANY // 4):
            device.run("read_l2", device.about.sms, READERS, 1, size)
            cycles.append(device.run(kernel, 1, 1, n, 0).cycles)
        found.append((cycles[1] - cycles[0]) / (MANY // 4 - FEW // 4) / STEPS)
    return min(found)


def shared_memory(device: MeasuredDevice) -> Table:
    """Cycles of a warp's access with a full SM, by width, and by the distance of lanes in accesses."""
    found: Table = {}
    for width in WIDTHS:
        for kind in ("load", "store"):
            name = f"shared_{kind}_{width}"
            found[f"{kind}_{width}"] = {
                str(stride): cycles_of(device, name, threads=1024, extra=stride) / STEPS / 32 for stride in STRIDES
            }
    for kind in ("counts", "atomics"):
        # By how many lanes of a warp update one address.
        found[kind] = {
            str(32 // different): cycles_of(device, f"shared_{kind}", threads=256, extra=different) / STEPS / 8
            for different in (1, 2, 4, 8, 16, 32)
        }
    return found


def bandwidths(device: MeasuredDevice) -> Table:
    """Bytes a second of all SMs by working set, and bytes a cycle of one SM."""
    sms = device.about.sms
    # What all threads read in one turn: four accesses of 16 bytes.
    turn = 4 * sms * READERS * 16
    found: Table = {"read": {}}
    factors = [1 << i for i in range(20) if turn << i <= MOST_READ]
    for factor in factors:
        few = max(1, 128 // factor)
        size = turn * factor
        seconds = seconds_of(device, "read_l2", sms, READERS, size // KIB, few, 4 * few)
        found["read"][str(size)] = size / seconds
    size = turn * factors[-1]
    found["write"] = size / seconds_of(device, "write_global", sms, READERS, size // KIB, 1, 3)
    for name, kib in (("l1", 64), ("l2", 1024)):
        cycles = cycles_of(device, f"read_{name}", threads=1024, extra=kib)
        found[f"{name}_bytes_per_cycle_of_one_sm"] = kib * KIB / cycles
    # Requests of 32 lanes to one line, and to 32 lines.
    found["l1_requests_per_cycle"] = 32 * STEPS / cycles_of(device, "l1_lines", threads=1024, extra=1)
    found["l1_lines_per_cycle"] = 32 * 32 * STEPS / cycles_of(device, "l1_lines", threads=1024, extra=32)
    return found


def copies(device: MeasuredDevice) -> Table:
    """Asynchronous copies from L2 to shared memory: latency, and bytes a cycle of one SM."""
    found: Table = {"cp_async_latency": cycles_of(device, "copy_async")}
    moved = 4 * 16 * 1024
    found["cp_async_bytes_per_cycle"] = moved / cycles_of(device, "copy_async", threads=1024)
    for size in BULK:
        found[f"bulk_{size}_latency"] = cycles_of(device, "copy_bulk_1", extra=size)
        found[f"bulk_{size}_bytes_per_cycle"] = size / cycles_of(device, f"copy_bulk_{STAGES}", extra=size)
    return found


def atomics(device: MeasuredDevice, hertz: float) -> Table:
    """Updates a cycle of the whole GPU in global memory: of one address, of neighbours, of a sector for each thread."""
    sms, threads = device.about.sms, 512
    found: Table = {}
    for name, extra in (("same", 0), ("neighbours", 1), ("sectors", 8)):
        seconds = seconds_of(device, "atomics", sms, threads, extra, 4, 12)
        found[name] = sms * threads * STEPS / (seconds * hertz)
    return found


def waiting(device: MeasuredDevice) -> Table:
    """Cycles of a barrier by the block's warps, of a block's successor; seconds of launches."""
    found: Table = {
        "barrier": {str(warps): cycles_of(device, "barriers", threads=32 * warps) / STEPS for warps in WARPS}
    }
    placed = device.run("places", device.about.sms * 8, 1024, 2000, shared=BIG_BLOCK)
    found["between_blocks"] = between_blocks(placed, 32)
    launches = (100, 400)
    found["launch_in_graph"] = least(
        REPEATS, lambda: (device.graph("nothing", launches[1]) - device.graph("nothing", launches[0])) / 300
    )
    blocks = (device.about.sms * 64, device.about.sms * 1024)
    found["empty_block"] = least(
        REPEATS,
        lambda: (
            (device.run("nothing", blocks[1], 128, 0).seconds - device.run("nothing", blocks[0], 128, 0).seconds)
            / (blocks[1] - blocks[0])
        ),
    )
    return found


def between_blocks(run: Run, warps: int) -> float:
    """The median of the cycles from a block's end to the next one's beginning on the same SM.

    Each block of so many warps has an SM for itself.
    """
    times = run.times.reshape(-1, warps, 4)
    rows = [(int(block[0, 2]), int(block[:, 0].min()), int(block[:, 1].max())) for block in times]
    gaps: list[int] = []
    last: dict[int, int] = {}
    for place, begin, end in sorted(rows, key=lambda row: (row[0], row[1])):
        if place in last:
            gaps.append(begin - last[place])
        last[place] = end
    return float(np.median(gaps))


def measure(device: MeasuredDevice) -> Table:
    """All measurements."""
    found: Table = {"clock": clock(device)}
    found["pipes"] = pipes(device)
    found["latencies"] = latencies(device)
    found["shared_memory"] = shared_memory(device)
    found["bandwidths"] = bandwidths(device)
    found["copies"] = copies(device)
    found["atomics"] = atomics(device, found["clock"]["hertz"])
    found["waiting"] = waiting(device)
    return found


def values_of(measured: Mapping[str, Any], device: MeasuredDevice) -> dict[str, float]:
    """The values that grader.model.calibration knows, by their names."""
    about, hertz = device.about, measured["clock"]["hertz"]
    pipe, late, wide = measured["pipes"], measured["latencies"], measured["bandwidths"]
    sizes = sorted((int(size), rate) for size, rate in wide["read"].items())
    waits, shared = measured["waiting"], measured["shared_memory"]
    found = {
        "clock_share": hertz / about.clock,
        # Working sets that fill neither a block's registers nor more than half of any L2.
        "l2_bytes_per_cycle": max(_between(sizes, 4 << 20, 20 << 20)) / (about.sms * hertz),
        "l2_port_bytes_per_cycle": wide["l2_bytes_per_cycle_of_one_sm"],
        "l1_lines_per_cycle": wide["l1_lines_per_cycle"],
        "latency_arithmetic": pipe["ffma"]["latency"],
        "latency_double": pipe["dfma"]["latency"],
        "latency_special": pipe["mufu"]["latency"],
        "latency_tensor": pipe["mma_f16"]["latency"],
        "latency_shuffle": pipe["shuffle"]["latency"],
        "latency_shared": late["shared"],
        "latency_l1": late["l1"],
        "latency_l2": late["l2"],
        "latency_dram": late["dram"],
        "latency_atomic": late["atomic"],
        "latency_fence": late["fence"],
        "latency_barrier": waits["barrier"]["8"],
        "barrier_warp_cycles": (waits["barrier"]["32"] - waits["barrier"]["8"]) / 24,
        "atomics_per_cycle": measured["atomics"]["same"],
        "atomic_sectors_per_cycle": measured["atomics"]["sectors"] / about.sms,
        "block_start": waits["between_blocks"],
        "launch_seconds": waits["launch_in_graph"],
        "shared_atomic_cycles": shared["atomics"]["32"] / 32,
    }
    if about.bandwidth is not None:
        found["dram_share"] = sizes[-1][1] / about.bandwidth
    return found


def _between(sizes: Sequence[tuple[int, float]], least_size: int, most: int) -> list[float]:
    return [rate for size, rate in sizes if least_size <= size <= most]
