"""Measures what the model of time needs to know of a GPU and no data sheet says, by kernels of its own.

    python benchmarks/calibrate_model.py --check                   # compiles, and looks at the machine code; no GPU
    python benchmarks/calibrate_model.py --output calibration.json # measures, in a few minutes

None of the kernels is one that the model is judged by. The table has the GPU, its driver and the date; `values` are
those that the model reads, `measured` everything.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from model_device import About, CudaDevice, MeasuredDevice
from model_kernels import Kernel, arithmetic_kernels, source_of
from model_measurements import CHASED, MOST_READ, measure, values_of
from model_memory_kernels import memory_kernels
from model_pattern_kernels import pattern_kernels
from model_patterns import pattern_values, patterns

from grader.compile.compiler import Compiler
from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError, KgradeError, UsageError
from grader.core.files import write_whole
from grader.core.paths import cache_folder
from grader.machine.gpus import Gpu, find_gpus, target_of
from grader.measure.datasheet import datasheet
from grader.run.gpu.lock import Turn
from grader.sass import MachineCode, disassemble

FILE = "calibrate.cu"
TARGET = "sm_90a"
"""The architecture that the kernels are written for: wgmma and bulk copies are Hopper's."""


def all_kernels() -> dict[str, Kernel]:
    """The kernels by name."""
    return {kernel.name: kernel for kernel in (*arithmetic_kernels(), *memory_kernels(), *pattern_kernels())}


def compile_all(kernels: Mapping[str, Kernel]) -> bytes:
    """The cubin of all kernels. Raises JudgeError."""
    compiled = Compiler(find_toolkit(), FILE).compile(source_of(kernels), target=TARGET)
    if not compiled.ok:
        raise JudgeError(f"the kernels do not compile for {TARGET}", compiled.log)
    return compiled.cubin


def wrong_code(kernels: Mapping[str, Kernel], code: Mapping[str, MachineCode]) -> list[str]:
    """What is not as the measurements take it: a kernel whose loop has other instructions than it should."""
    found = []
    for kernel in kernels.values():
        counts = [sum(one.opcode.startswith(kernel.opcode) for one in block.code) for block in code[kernel.name].blocks]
        if max(counts) != kernel.count:
            found.append(
                f"{kernel.name}: {max(counts)} {kernel.opcode} in an iteration, where {kernel.count} should be"
            )
        if code[kernel.name].facts.max_threads < kernel.threads:
            found.append(f"{kernel.name}: {code[kernel.name].facts.registers} registers, too many for its blocks")
        if code[kernel.name].spills:
            found.append(f"{kernel.name}: it accesses local memory")
    return found


def table(device: MeasuredDevice, measured: Mapping[str, Any]) -> dict[str, Any]:
    """What is written: who was measured, when, the values of the model, and all measurements."""
    about, values = device.about, values_of(measured, device)
    if "patterns" in measured:
        hertz = measured["clock"]["hertz"]
        values |= pattern_values(measured["patterns"], values, about.sms, hertz, about.bandwidth)
    return {
        "gpu": about.name,
        "driver": about.driver,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "sms": about.sms,
        "values": values,
        "measured": measured,
    }


def about_gpu(gpu: Gpu) -> About:
    """What NVML and the data sheet say of it."""
    import pynvml

    pynvml.nvmlInit()
    try:
        handle = pynvml.nvmlDeviceGetHandleByUUID(gpu.uuid)
        megahertz = pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM)
    finally:
        pynvml.nvmlShutdown()
    import cupy

    sheet = datasheet(gpu.name)
    sms = int(cupy.cuda.Device(gpu.index).attributes["MultiProcessorCount"])
    return About(gpu.name, gpu.driver, sms, megahertz * 1e6, None if sheet is None else sheet.bandwidth)


def calibrate(code: bytes, kernels: Mapping[str, Kernel]) -> dict[str, Any]:
    """Measures the first GPU. Raises UsageError without one that the kernels run on."""
    gpus = find_gpus()
    if not gpus or target_of(gpus[0]) != TARGET:
        found = f"{gpus[0].name} is {target_of(gpus[0])}" if gpus else "there is no GPU"
        raise UsageError(f"{found}, and the kernels are for {TARGET}", "type: --check")
    with Turn(gpus[0].uuid, lambda: print("waiting for the GPU: a grading uses it", file=sys.stderr)):
        # A little more than the largest working set, for the places of lanes behind it.
        device = CudaDevice(about_gpu(gpus[0]), code, kernels, MOST_READ + CHASED["dram"])
        measured = measure(device)
        measured["patterns"] = patterns(device, measured["clock"]["hertz"])
        return table(device, measured)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compile and look at the machine code only")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write the table; default: print it")
    asked = parser.parse_args()
    try:
        kernels = all_kernels()
        code = compile_all(kernels)
        wrong = wrong_code(kernels, disassemble(code, FILE, cache_folder()))
        if wrong:
            raise JudgeError("the compiler made something else of the kernels", "\n".join(wrong))
        if asked.check:
            print(f"{len(kernels)} kernels have the machine code that they should have")
            return
        text = json.dumps(calibrate(code, kernels), indent=1) + "\n"
        if asked.output is None:
            print(text, end="")
        else:
            write_whole(asked.output, text.encode())
    except KgradeError as error:
        sys.exit(f"{error.message}\n{error.hint}".strip())


if __name__ == "__main__":
    main()
