"""What `calibrate_model.py` measures of accesses whose lanes touch places apart, and of launches on all SMs.

Rates are those of the whole GPU a cycle, unless their names say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from model_device import LINE_WORDS, MeasuredDevice, least
from model_measurements import KIB, REPEATS, cycles_of, seconds_of
from model_memory_kernels import STEPS
from model_pattern_kernels import FAR, LOADS, TOGETHER, UPDATES

STRIDES = (*(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28, 32, 33, 34, 36, 40, 44, 48, 56), *range(60, 69))
WIDE_STRIDES = (72, 80, 96, 100, 112, 124, 126, 127, 128)
"""Distances of lanes in words, of loads from L1."""
ROOMS = (64, 128, 160, 192, 208, 224, 240, 256, 288, 320, 384, 512)
"""KiB of lists with a word in each line of 128 bytes."""
APART = (256, 512, 1024, 1152, 2048, 4096, 4224, 8192, 12288, 12416, 16384, 32768, 65536, 131072)
"""Bytes between lines that may have the same place in L1."""
FARTHER = (128, 256, 512, 1024, 2048)
"""MiB of lists that are followed through DRAM."""
PLACES = (19, 20, 21, 23, 25, 26)
"""Powers of two of places at random, of 32 bytes or more."""
WORDS = (0, 1, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26)
"""Powers of two of words that are updated at random."""
THREADS = 512

Table = dict[str, Any]


def caches(device: MeasuredDevice) -> Table:
    """L1 by distances of lanes, in cycles of a request, and by the lines that it holds, in cycles of a load."""
    found: Table = {
        "strides": {
            str(stride): cycles_of(device, "l1_lines", threads=1024, extra=stride) / STEPS / 32
            for stride in (*STRIDES, *WIDE_STRIDES)
        },
        "random": {
            str(words): cycles_of(device, "l1_random", threads=1024, extra=words) / 32 / 32
            for words in (32, 64, 128, 256, 512, 1024, 2048, 4000)
        },
        "room": {},
    }
    for kib in ROOMS:
        device.follow(kib * KIB)
        device.run("chase_l1", 1, 1, kib * KIB // 128 // STEPS + 1, 0)
        found["room"][str(kib)] = cycles_of(device, "chase_l1", threads=1) / STEPS
    return found


def conflicts(device: MeasuredDevice) -> Table:
    """Cycles of a load from one of so many lines, by their distance in bytes: whether L1 has room for all of them."""
    found: Table = {}
    for apart in APART:
        for lines in (4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 256):
            device.follow(lines * apart, apart)
            found[f"{lines}_lines_{apart}"] = cycles_of(device, "chase_l1", threads=1) / STEPS
    return found


def distances(device: MeasuredDevice) -> Table:
    """Cycles of a load that needs the one before it, by the MiB in which the lines lie; none of them is in a cache."""
    found: Table = {}
    for mib in FARTHER:
        device.follow(mib << 20)
        device.run("read_l2", device.about.sms, THREADS, 1, 4 * 256 * KIB)
        starts = iter(range(0, mib << 18, (mib << 18) // 64 // LINE_WORDS * LINE_WORDS))

        def once(starts: Iterator[int] = starts) -> float:
            # Each run begins elsewhere on the list, or the second would find what the first has brought.
            runs = [device.run("chase_l2", 1, 1, n, next(starts)).cycles for n in (16, 80)]
            return (runs[1] - runs[0]) / 64 / STEPS

        found[str(mib)] = least(REPEATS, once)
    return found


def gathers(device: MeasuredDevice, hertz: float) -> Table:
    """Sectors a cycle of loads from places at random, by how many neighbours are loaded and by the places' power."""
    sms = device.about.sms
    found: Table = {}
    for together in TOGETHER:
        for places in PLACES:
            power = places - (together.bit_length() - 1)
            seconds = seconds_of(device, f"gather_{together}", 2 * sms, 1024, power, 16, 80)
            found[f"{together}_of_{places}"] = 2 * sms * 1024 * LOADS / (seconds * hertz)
    # One SM alone: what it can have under way.
    for places in PLACES:
        found[f"one_sm_{places}"] = 1024 * LOADS / cycles_of(device, "gather_1", threads=1024, extra=places)
    return found


def loaded(device: MeasuredDevice, hertz: float) -> Table:
    """Cycles of a load with so many threads of each SM waiting for one, in L2 and in DRAM: from few to a full load."""
    sms, found = device.about.sms, {}
    for name, power in (("l2", 22), ("dram", FAR)):
        for blocks, threads in ((1, 32), (1, 64), (1, 128), (1, 256), (1, 512), (1, 1024), (2, 768), (2, 1024)):
            few, many = (16, 80) if name == "l2" else (32, 160)
            seconds = seconds_of(device, "waiting_reads", blocks * sms, threads, power, few, many)
            found[f"{name}_{blocks * threads}"] = seconds * hertz / LOADS
    return found


def stores(device: MeasuredDevice, hertz: float) -> Table:
    """Stored words a cycle by their distance, and bytes a second of copies."""
    sms, found = device.about.sms, {}
    for name, words in (("far", 1 << FAR), ("near", 4 << 20)):
        for extra in (1, 2, 4, 8, 16, 32):
            few, many = (1, 3) if name == "far" else (16, 80)
            seconds = seconds_of(device, f"store_apart_{name}", 2 * sms, 1024, extra, few, many)
            found[f"{name}_{extra}"] = words / extra / (seconds * hertz)
    for extra in (0, 1, 4, 8, 16):
        seconds = seconds_of(device, "store_shifted", 2 * sms, 1024, extra, 1, 3)
        found[f"shifted_{extra}"] = (1 << FAR) / (seconds * hertz)
    for extra in (4096, 4100, 4104, 4093, 512, 10007):
        seconds = seconds_of(device, "store_columns", 2 * sms, 1024, extra, 1, 3)
        found[f"columns_{extra}"] = (1 << FAR) / (seconds * hertz)
    for loads in (1, 2):
        seconds = seconds_of(device, f"copy_{loads}", 2 * sms, 1024, 0, 1, 3)
        found[f"copy_{loads}_bytes_per_second"] = (1 + loads) * (1 << FAR) / (seconds)
    return found


def updates(device: MeasuredDevice, hertz: float) -> Table:
    """Updates a cycle, by type and by which addresses they have."""
    sms = device.about.sms
    found: Table = {}
    for kind in ("u32", "f32"):
        for extra in (0, 1, 2, 4, 8, 16, 32, 64):
            seconds = seconds_of(device, f"updates_{kind}", sms, THREADS, extra, 4, 12)
            found[f"{kind}_apart_{extra}"] = sms * THREADS * UPDATES / (seconds * hertz)
            seconds = seconds_of(device, f"lone_updates_{kind}", sms, THREADS, extra, 16, 48)
            found[f"{kind}_lone_{extra}"] = sms * THREADS / 32 * UPDATES / (seconds * hertz)
        for power in WORDS:
            seconds = seconds_of(device, f"random_updates_{kind}", sms, THREADS, power, 4, 12) if power else 0.0
            found[f"{kind}_random_{power}"] = sms * THREADS * UPDATES / (seconds * hertz) if power else 0.0
        # With few lanes under way: how far the rate is that of what waits.
        for blocks in (1, 8, 32):
            seconds = seconds_of(device, f"updates_{kind}", blocks, 32, 1, 16, 48)
            found[f"{kind}_cycles_of_a_warp_in_{blocks}"] = seconds * hertz / UPDATES
    for extra in (1, 8, 32):
        seconds = seconds_of(device, "returning_updates", sms, THREADS, extra, 4, 12)
        found[f"returning_{extra}"] = sms * THREADS * UPDATES / (seconds * hertz)
    return found


def constants(device: MeasuredDevice) -> Table:
    """Cycles of a warp's load from constant memory, by different words of lanes, and by the bytes that are read."""
    found: Table = {"lanes": {}, "lanes_of_one_warp": {}, "room": {}, "room_of_one_warp": {}}
    for different in (1, 2, 4, 8, 16, 32):
        for name, threads in (("lanes", 1024), ("lanes_of_one_warp", 32)):
            cycles = cycles_of(device, "constant_lanes", threads=threads, extra=different)
            found[name][str(different)] = cycles / 32 / (threads / 32)
    for words in (256, 512, 1024, 2048, 4096, 8192, 16384):
        for name, threads in (("room", 1024), ("room_of_one_warp", 32)):
            cycles = cycles_of(device, "constant_room", threads=threads, extra=words, few=4, many=12)
            found[name][str(4 * words)] = cycles / words / (threads / 32)
    return found


def launches(device: MeasuredDevice) -> Table:
    """Seconds of a launch in a graph of many, and of a block without work, by their threads."""
    sms, found = device.about.sms, {}

    def each(name: str, blocks: int, threads: int, apart: int) -> float:
        def once() -> float:
            runs = [device.graph(name, count, blocks, threads, apart) for count in (60, 180)]
            return (runs[1] - runs[0]) / 120

        return least(REPEATS, once)

    for factor, threads in ((1, 32), (1, 1024), (2, 1024), (8, 256), (16, 128), (4, 256), (32, 256)):
        name = f"{factor}_of_{threads}"
        found[f"nothing_{name}"] = each("nothing", factor * sms, threads, 0)
        for apart in (0, 8 << 20):
            found[f"touch_{name}_{apart}"] = each("touch", factor * sms, threads, apart)
            found[f"touch_and_write_{name}_{apart}"] = each("touch_and_write", factor * sms, threads, apart)
    for threads in (32, 64, 128, 256, 512, 1024):
        blocks = (sms * 64, sms * 1024)
        found[f"empty_block_{threads}"] = least(
            REPEATS,
            lambda blocks=blocks, threads=threads: (  # type: ignore[misc]
                (
                    device.run("nothing", blocks[1], threads, 0, rows=1).seconds
                    - device.run("nothing", blocks[0], threads, 0, rows=1).seconds
                )
                / (blocks[1] - blocks[0])
            ),
        )
    return found


def leaving(device: MeasuredDevice) -> Table:
    """Blocks of which one warp stays: how many of them are on an SM at once, and how its schedulers share them."""
    sms, found = device.about.sms, {}
    for threads in (64, 256, 512):
        for factor in (8, 16, 31, 32, 200):
            run = device.run("leavers", factor * sms, threads, 400, rows=factor * sms)
            begins, ends, places, warps = run.times.T
            own = places == places[0]
            at_once = [int(np.count_nonzero((begins[own] <= t) & (ends[own] > t))) for t in begins[own]]
            found[f"{factor}_of_{threads}"] = {
                "cycles": float(np.median(ends - begins)),
                "seconds": run.seconds,
                "at_once": max(at_once),
                "median_at_once": float(np.median(at_once)),
                "schedulers": np.bincount(warps[own] % 4, minlength=4).tolist(),
                "slots": warps[own].tolist()[:40],
                "blocks_of_sms": np.bincount(places, minlength=sms).tolist(),
            }
    return found


def rounds(device: MeasuredDevice) -> Table:
    """Cycles between a block's end and its successor's beginning with a full SM, and between its first blocks'."""
    sms, found = device.about.sms, {}
    for threads in (32, 64, 128, 256, 512, 1024):
        at_once, waves = min(32, 2048 // threads), 10
        for n in (200, 2000):
            warps = threads // 32
            blocks = sms * at_once * waves
            run = device.run("places", blocks, threads, n, shared=0, rows=blocks * warps)
            times = run.times.reshape(-1, warps, 4)
            own = times[times[:, 0, 2] == times[0, 0, 2]]
            begins, ends = np.sort(own[:, :, 0].min(1)), own[:, :, 1].max(1)
            lasted = float(np.median(ends - own[:, :, 0].min(1)))
            share = len(own) / at_once
            found[f"{threads}_{n}"] = {
                "lasted": lasted,
                "between": (float(ends.max() - begins[0]) - share * lasted) / max(share - 1, 1.0),
                "first": [float(begin - begins[0]) for begin in begins[: at_once + 4]],
                "blocks": len(own),
            }
    return found


def patterns(device: MeasuredDevice, hertz: float) -> Table:
    """All of them."""
    return {
        "caches": caches(device),
        "conflicts": conflicts(device),
        "distances": distances(device),
        "gathers": gathers(device, hertz),
        "loaded": loaded(device, hertz),
        "stores": stores(device, hertz),
        "updates": updates(device, hertz),
        "constants": constants(device),
        "launches": launches(device),
        "leaving": leaving(device),
        "rounds": rounds(device),
    }


def pattern_values(found: Table, values: Mapping[str, float], sms: int, hertz: float, bandwidth: float | None) -> Table:
    """The values of the model that follow from `found`; `values` are those that follow from the other measurements."""
    stores, updated, loads = found["stores"], found["updates"], found["loaded"]
    # Cycles of the whole GPU for a sector that is written as a whole.
    sector = 8 / stores["shifted_0"]
    # What a loop of loads that wait for one another has besides: three instructions.
    besides = 3 * values["latency_arithmetic"]
    # Of 32 lanes' updates of 256 words, which are 32 sectors in 8 lines, so many are of different sectors.
    different = 32 * (1 - (31 / 32) ** 32)
    own = {
        "l1_tags_per_cycle": 32 / found["caches"]["strides"]["33"],
        "latency_l2": loads["l2_512"] - besides,
        "latency_dram": loads["dram_512"] - besides,
        "float_atomics_per_cycle": updated["f32_apart_0"],
        "atomic_line_sectors_per_cycle": updated["u32_random_8"] / 32 * different / 8,
        "block_apart": found["launches"]["empty_block_256"] * sms * hertz,
        "constant_cycles": found["constants"]["lanes"]["32"] / 32,
        "partial_sectors": 1 / stores["far_8"] / sector - 1,
        # Of the five sectors of a request that begins behind a line's beginning two are written by neighbours, too.
        "shared_sectors": 32 * (1 / stores["shifted_1"] - 1 / stores["shifted_0"]) / 2 / sector,
    }
    if bandwidth is not None:
        # Of kernels that read, and of those that write as much.
        own["dram_share"] = (values["dram_share"] + stores["copy_1_bytes_per_second"] / bandwidth) / 2
    return own
