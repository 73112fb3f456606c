"""Checks that a recorded plan does the same on the GPU as the file itself with CUDA's own runtime.

    python benchmarks/replay_equality.py PROBLEM=FILE.cu ...

Each file with its own solve() is run twice on the same inputs: its solve() directly, in a process of its own and linked
to libcudart, and as a plan that was recorded without a GPU and is replayed. The outputs are compared bit by bit. Where
they differ, the direct run is repeated: sums in any order differ from themselves. With no file, the problems' accepted
ones are taken and those below tests/solve that compute what they are to, if with less precision.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from grader.compile.nvcc import EXTENSIONS
from grader.compile.toolkit import find_nvcc
from grader.core.paths import cache_folder
from grader.core.verdict import Form
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu, find_gpus, target_of
from grader.plan.device_table import EMULATED
from grader.problem import Problem, load_problem
from grader.problem.cases import draw_cases, gpu_limits_of, limits_of
from grader.problem.inputs import make_inputs
from grader.run.emulator_runner import EmulatorRunner
from grader.run.gpu.gpu_runner import GpuRunner
from grader.sandbox import Sandbox

REPOSITORY = Path(__file__).resolve().parent.parent
AGAIN = 3
FAMILY, SEED = "normal", 20260102
PROBLEM = re.compile(r"^// problem: (\w+)$", re.MULTILINE)
RIGHT = re.compile(r"^// expect: (accepted|wrong_answer low_precision)$", re.MULTILINE)
OWN_SIZES = re.compile(r"^// sizes:.*?(\S+)$", re.MULTILINE)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", nargs="*", metavar="PROBLEM=FILE.cu")
    arguments.add_argument("--direct", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.direct:
        run_directly(json.loads(given.direct))
        return
    gpus = find_gpus()
    if not gpus:
        sys.exit("there is no NVIDIA GPU here, and this compares two runs on one")
    chosen = [tuple(each.split("=", 1)) for each in given.files] or list(all_files())
    equal = sum(compare(name, Path(file), gpus[0]) for name, file in chosen)
    print(f"{equal} of {len(chosen)} equal bit by bit")


def all_files() -> Iterator[tuple[str, str]]:
    for file in sorted((REPOSITORY / "problems").glob("*/submissions/accepted/*.cu")):
        if read_submission(file).form is Form.SOLVE:
            yield file.parents[2].name, str(file)
    for file in sorted((REPOSITORY / "tests" / "solve").glob("*/*.cu")):
        text = file.read_text()
        found = PROBLEM.search(text)
        if found and RIGHT.search(text):
            yield found[1], str(file)


def compare(name: str, file: Path, gpu: Gpu) -> bool:
    """One line about one file."""
    problem = load_problem(REPOSITORY / "problems" / name)
    sizes = sizes_for(problem, file)
    label = f"{file.parent.name}/{file.name}"
    try:
        replayed = replay(problem, file, sizes, gpu)
        direct = run_apart(problem, file, sizes, gpu)
    except Exception as error:
        print(f"{label:50} {type(error).__name__}: {str(error)[:200]}", flush=True)
        return False
    difference = worst(replayed, direct)
    if difference is None:
        print(f"{label:50} equal bit by bit", flush=True)
        return True
    again = [worst(run_apart(problem, file, sizes, gpu), direct) for _ in range(AGAIN)]
    own = max((found for found in again if found is not None), default=None)
    of_itself = "direct runs give the same bits" if own is None else f"direct runs by {own:.1e}"
    print(f"{label:50} differs by at most {difference:.1e}; {of_itself}", flush=True)
    return False


def worst(found: Mapping[str, Any], other: Mapping[str, Any]) -> float | None:
    """The largest relative difference; None if all bits are equal."""
    if all(found[name].tobytes() == other[name].tobytes() for name in other):
        return None
    wide = [(found[name].astype(np.float64), other[name].astype(np.float64)) for name in other]
    return max(float(np.max(np.abs(a - b) / np.maximum(np.abs(b), 1e-30))) for a, b in wide)


def sizes_for(problem: Problem, file: Path, on_gpu: bool = True) -> Mapping[str, int]:
    """Those that the file names in its opening lines, else the largest of twelve that are drawn; without a GPU the
    fourth, which an interpreter comes to the end of."""
    own = OWN_SIZES.search(file.read_text())
    if own:
        return {size: int(value) for size, value in (pair.split("=") for pair in own[1].split(","))}
    return draw_cases(problem, SEED, 12, given=(), on_gpu=on_gpu)[-1 if on_gpu else 3].sizes


def replay(
    problem: Problem, file: Path, sizes: Mapping[str, int], gpu: Gpu | None, family: str = FAMILY
) -> dict[str, Any]:
    """The outputs of the plan of a file in any language, on a GPU or, without one, on the emulator."""
    sandbox, cache = Sandbox.find(), cache_folder()
    submission = read_submission(file)
    language = language_of(submission)
    program = language.compile(problem, submission, cache, gpu, sandbox)
    with closing(_runner(problem, gpu, sandbox, cache)) as runner:
        runner.load(program)
        addresses = runner.prepare(problem, sizes, family, SEED)
        ask_table = runner.device_table if isinstance(runner, GpuRunner) else lambda: EMULATED
        limits = gpu_limits_of if gpu else limits_of
        with closing(language.planner(problem, program, ask_table, sandbox, cache)) as planner:
            run = runner.execute(planner.plan(sizes, addresses, runner), limits(problem, sizes))
        if not run.outputs:
            raise RuntimeError(run.fault.message if run.fault else run.message)
        return dict(run.outputs)


def _runner(problem: Problem, gpu: Gpu | None, sandbox: Sandbox, cache: Path) -> GpuRunner | EmulatorRunner:
    if gpu is None:
        return EmulatorRunner(problem.folder, sandbox, cache / "kernels")
    return GpuRunner(gpu, problem.folder, sandbox)


def run_apart(problem: Problem, file: Path, sizes: Mapping[str, int], gpu: Gpu) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "direct.so"
        nvcc, target = find_nvcc(), target_of(gpu)
        includes = [word for place in nvcc.includes for word in ("-isystem", str(place))]
        code = f"arch={target.replace('sm_', 'compute_')},code={target}"
        command = [str(nvcc.program), "-shared", "-Xcompiler", "-fPIC", "-cudart", "static", "-std=c++17", *EXTENSIONS]
        subprocess.run([*command, "-gencode", code, *includes, "-o", str(library), str(file)], check=True)
        asked = {"problem": str(problem.folder), "library": str(library), "sizes": dict(sizes), "folder": folder}
        subprocess.run([sys.executable, __file__, "--direct", json.dumps(asked)], check=True, timeout=120)
        return {name: np.load(Path(folder) / f"{name}.npy") for name in problem.outputs}


def run_directly(asked: Mapping[str, Any]) -> None:
    """Calls solve() of a library that is linked to CUDA's runtime, in a process of its own."""
    import cupy

    problem, sizes = load_problem(Path(asked["problem"])), asked["sizes"]
    arrays = {name: cupy.asarray(array) for name, array in make_inputs(problem, sizes, FAMILY, SEED).items()}
    for name, output in problem.outputs.items():
        arrays[name] = cupy.full(output.nbytes(sizes), 0xA5, cupy.uint8).view(output.dtype.numpy)
        arrays[name] = arrays[name].reshape(output.shape(sizes))
    cupy.cuda.Device().synchronize()
    solve = ctypes.CDLL(asked["library"]).solve
    solve(*(ctypes.c_void_p(arrays[n].data.ptr) if n in arrays else ctypes.c_int(sizes[n]) for n in problem.params))
    cupy.cuda.Device().synchronize()
    for name in problem.outputs:
        np.save(Path(asked["folder"]) / f"{name}.npy", arrays[name].get())


if __name__ == "__main__":
    main()
