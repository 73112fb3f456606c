"""How long the steps of the solve form take for a plain file, in milliseconds: compiling, cold and
from the cache, and recording.

    python benchmarks/solve_form.py [FILE.cu] [--repeats 5] [--target sm_90a]

Each line is one step: its median, its best and its worst, and what is to be reached. A step is a function that
returns its seconds; adding one is adding a row to STEPS.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.compile.nvcc import compile_solve
from grader.compile.program import Program
from grader.core.plan import Step as PlanStep
from grader.plan.device_table import EMULATED
from grader.plan.recorder import LibraryRecorder
from grader.plan.recorder_build import build_recorder
from grader.plan.recording import Argument
from grader.sandbox import Profile, Sandbox

PLAIN = Path(__file__).parent / "kernels" / "solve_matmul.cu"


@dataclass(frozen=True)
class Setting:
    """What every step gets: the file, where it is compiled for, and one compiled Program with its cache."""

    source: str
    target: str | None
    sandbox: Sandbox
    cache: Path
    program: Program


@dataclass(frozen=True)
class Step:
    """`goal` is in seconds."""

    name: str
    run: Callable[[Setting], object]
    goal: float


def start_nothing(setting: Setting) -> None:
    with setting.sandbox.start(["/bin/sh", "-c", ":"], profile=Profile.COMPILE) as process:
        process.wait(10)


def compile_cold(setting: Setting) -> None:
    compile_solve(setting.source, "plain.cu", gpu_target=setting.target, sandbox=setting.sandbox)


class Shelf:
    """A device that has addresses and no memory."""

    next = 0x7F4000000000

    def allocate(self, size: int) -> int | None:
        self.next += size + 4096
        return self.next - size

    def extend(self, program: Program) -> tuple[()]:
        raise AssertionError("a library has all of its kernels from the start")

    def time(self, steps: Sequence[PlanStep]) -> float:
        raise AssertionError("CUDA C++ has no tuner")

    def symbol(self, name: str) -> int | None:
        return self.allocate(4096)

    def read(self, steps: Sequence[PlanStep], address: int, size: int) -> bytes:
        return bytes(size)


ARRAY = 1 << 20
ARGUMENTS = (
    *(Argument(name, "int64", 0x7F3000000000 + 2 * ARRAY * place, ARRAY) for place, name in enumerate("ABC")),
    *(Argument(name, "int64", 512) for name in "MNK"),
)


def record_once(setting: Setting) -> None:
    LibraryRecorder(setting.program, setting.sandbox, setting.cache).record(ARGUMENTS, EMULATED, Shelf())


def record_and_find_lines(setting: Setting) -> None:
    recorder = LibraryRecorder(setting.program, setting.sandbox, setting.cache)
    recorder.lines(recorder.record(ARGUMENTS, EMULATED, Shelf()).at)


STEPS = (
    Step("sandbox, nothing in it", start_nothing, 0.02),
    Step("compile", compile_cold, 1.5),
    Step("record", record_once, 0.1),
    Step("record, with lines", record_and_find_lines, 0.2),
)


def measure(step: Step, setting: Setting, repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        step.run(setting)
        times.append(time.perf_counter() - begin)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=PLAIN)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--target", help="a GPU's target, such as sm_90a; without it the emulator's alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source, sandbox, cache = arguments.file.read_text(), Sandbox.find(), Path(name)
        program = compile_solve(source, "plain.cu", gpu_target=arguments.target, sandbox=sandbox)
        begin = time.perf_counter()
        build_recorder(cache)
        print(f"the recorder was built in {time.perf_counter() - begin:.1f} s, which is done once")
        setting = Setting(source, arguments.target, sandbox, cache, program)
        print(f"{'step':<28}{'median':>9}{'best':>9}{'worst':>9}{'goal':>9}   ms")
        for step in STEPS:
            times = measure(step, setting, arguments.repeats)
            row = (statistics.median(times), min(times), max(times), step.goal)
            print(f"{step.name:<28}" + "".join(f"{1000 * value:>9.1f}" for value in row))


if __name__ == "__main__":
    main()
