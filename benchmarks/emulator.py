"""Compares the emulator with scalar C (g++ -O2) and with numba-cuda's simulator on matmul, all in one run.

    pip install '.[bench]' && python benchmarks/emulator.py

All bounds and alignments are checked while the emulator runs; a second table has the cost of all its checks.
Times are the best of several runs, in milliseconds;
the simulator runs a few blocks of the grid, and its time is scaled to all of them, since they cost the same.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from grader.compile.nvrtc import compile_kernel
from grader.run.emulator import Limits, Memory, Module

KERNELS = Path(__file__).parent / "kernels"
PARAMETERS = [("const float*", "A"), ("const float*", "B"), ("float*", "C"), ("int", "M"), ("int", "N"), ("int", "K")]
UNLIMITED = Limits(instructions=1 << 60)


def best(run: Callable[[], object], seconds: float, least: int) -> float:
    """The shortest of repeated runs, in seconds."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def matrices(size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    a, b = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    return a, b


def check(result: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    reference = a.astype(np.float64) @ b
    if not np.allclose(result, reference, rtol=1e-4, atol=1e-3):
        raise SystemExit("a result is wrong: the times mean nothing")


def emulate(
    source: Path, size: int, workers: int | None, seconds: float, least: int, everything: bool = False
) -> tuple[float, int]:
    """(Seconds of a launch, thread instructions); with `everything` all that the emulator checks is checked."""
    program = compile_kernel(source.read_text(), source.name, "matmul", PARAMETERS, {})
    module = Module(program.image, sanitize=everything)
    a, b = matrices(size)
    memory = Memory()
    addresses = [memory.place("A", a), memory.place("B", b), memory.place("C", np.full_like(a, np.nan))]
    arguments = [struct.pack("<Q", address) for address in addresses] + [struct.pack("<i", size)] * 3
    grid = (-(-size // 16), -(-size // 16), 1)
    symbol, executed = program.kernels[0].symbol, 0

    def launch() -> None:
        nonlocal executed
        result = module.launch(symbol, grid, (16, 16, 1), arguments, memory, limits=UNLIMITED, workers=workers)
        if result.status != "done":
            raise SystemExit(f"the emulator ended with {result}")
        executed = result.instructions * 32

    launch()
    check(memory.read("C"), a, b)
    return best(launch, seconds, least), executed


def scalar_c(size: int, seconds: float, least: int) -> float | None:
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "loop.so"
        command = [compiler, "-O2", "-shared", "-fPIC", str(KERNELS / "matmul_loop.cpp"), "-o", str(library)]
        subprocess.run(command, check=True)
        matmul = ctypes.CDLL(str(library)).matmul
        a, b = matrices(size)
        c = np.zeros_like(a)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
        matmul(*pointers, size, size, size)
        check(c, a, b)
        return best(lambda: matmul(*pointers, size, size, size), seconds, least)


def simulate(size: int) -> float | None:
    """Seconds of numba-cuda's simulator for the whole grid, from two of its blocks; None where it is not installed."""
    script = Path(__file__).parent / "numba_simulator.py"
    run = subprocess.run([sys.executable, str(script), str(size), "2"], capture_output=True, text=True)
    if run.returncode:
        return None
    return float(run.stdout) / 2 * (size // 16) ** 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 256, 512])
    parser.add_argument("--seconds", type=float, default=1.5, help="time for the repeats of each figure")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    table = Table(title=f"matmul fp32, ms ({cores} cores)")
    columns = ["N", "C, g++ -O2", "naive, 1 core", "÷ C", f"naive, {cores} cores"]
    for column in [*columns, "tiled, 1 core", "÷ C", f"tiled, {cores} cores", "numba-cuda"]:
        table.add_column(column, justify="right")
    for size in options.sizes:
        c = scalar_c(size, options.seconds, 5)
        row = [str(size), "no g++" if c is None else f"{c * 1e3:.1f}"]
        for name in ("matmul_naive.cu", "matmul_tiled.cu"):
            one, _ = emulate(KERNELS / name, size, 1, options.seconds, 5)
            every, _ = emulate(KERNELS / name, size, None, options.seconds, 5)
            row += [f"{one * 1e3:.1f}", "" if c is None else f"{one / c:.2f}", f"{every * 1e3:.1f}"]
        simulated = simulate(size)
        row.append("not installed" if simulated is None else f"≈ {simulated * 1e3:,.0f}")
        table.add_row(*row)
    Console(width=160).print(table)
    Console(width=160).print(checks(options.sizes, options.seconds))


def checks(sizes: list[int], seconds: float) -> Table:
    """What looking for races and uninitialised reads costs, on one core."""
    table = Table(title="all checks, 1 core: instructions are those of threads")
    for column in ("kernel", "N", "bounds, ms", "all, ms", "all ÷ bounds", "bounds, G/s", "all, G/s"):
        table.add_column(column, justify="right")
    for name in ("matmul_naive.cu", "matmul_tiled.cu"):
        for size in sizes:
            bounds, executed = emulate(KERNELS / name, size, 1, seconds, 5)
            every, _ = emulate(KERNELS / name, size, 1, seconds, 5, everything=True)
            figures = [f"{bounds * 1e3:.1f}", f"{every * 1e3:.1f}", f"{every / bounds:.1f}"]
            rates = [f"{executed / bounds / 1e9:.2f}", f"{executed / every / 1e9:.2f}"]
            table.add_row(name, str(size), *figures, *rates)
    return table


if __name__ == "__main__":
    main()
