"""Launches one file under `ncu` and returns what it counted; run as a script, it is the process that launches.

A kernel alone is loaded and launched as the GPU's runner does it, a file with its own solve() is called without a plan.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ncu_table import HEADING, METRICS, NO_PERMISSION, UNKNOWN, read_csv

from grader.compile.nvcc import EXTENSIONS
from grader.compile.toolkit import find_nvcc
from grader.core.paths import cache_folder
from grader.core.plan import step_to_json
from grader.core.verdict import Form
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu, target_of
from grader.problem import Problem, load_problem
from grader.problem.harness import build_plan
from grader.problem.inputs import make_inputs
from grader.run.child_runner import symbols_of
from grader.sandbox import Sandbox

SECONDS = 300
TRIES = 3
OPTIONS = (
    *("--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "mangled", "--rename-kernels", "0"),
    *("--target-processes", "all", "--cache-control", "none", "--clock-control", "none"),
)
PLACES = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute")
ALLOW = (
    "ncu may not read this GPU's counters. Run this as root (in a container: with --cap-add=SYS_ADMIN), or let "
    "everybody read them: write 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' to "
    "/etc/modprobe.d/nvidia-profiling.conf and load the driver anew (https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
)


def measure(
    problem: Problem, file: Path, asked: Mapping[str, Any], ncu: str, gpu: Gpu, keep: Path | None = None
) -> dict[str, dict[str, int]]:
    """ncu's counts by the symbol of each kernel, of all its launches; its own words are kept in the file `keep`.

    `asked` has the `sizes`, and the `family` and `seed` of the inputs. Exits where ncu may not read counters.
    """
    submission = read_submission(file)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        more: dict[str, Any] = {"problem": str(problem.folder)}
        if submission.form is Form.SOLVE:
            more["library"] = str(build_library(file, target_of(gpu), folder))
        else:
            program = language_of(submission).compile(problem, submission, cache_folder(), gpu, Sandbox.find())
            (folder / "kernel.cubin").write_bytes(program.cubin)
            more |= {"cubin": str(folder / "kernel.cubin"), "symbols": symbols_of(program)}
            more["constants"] = dict(program.constants)
        said = profile(ncu, {**asked, **more}, folder / "ncu.csv")
    if keep is not None:
        keep.write_text(said)
    try:
        return read_csv(said)
    except ValueError as error:
        raise RuntimeError(f"{error}:\n{said.strip()[-1500:]}") from None


def build_library(file: Path, target: str, folder: Path) -> Path:
    nvcc, library = find_nvcc(), folder / "direct.so"
    includes = [word for place in nvcc.includes for word in ("-isystem", str(place))]
    # In the wheels CUDA's libraries are beside nvcc, where it does not look.
    libraries = [f"-L{nvcc.root / 'lib'}"]
    code = f"arch={target.replace('sm_', 'compute_')},code={target}"
    command = [str(nvcc.program), "-shared", "-Xcompiler", "-fPIC", "-cudart", "static", "-std=c++17", *EXTENSIONS]
    subprocess.run([*command, "-gencode", code, *includes, *libraries, "-o", str(library), str(file)], check=True)
    return library


def profile(ncu: str, asked: Mapping[str, Any], log: Path) -> str:
    """Runs ncu and returns its output. Metrics reported as unknown are left out, or else all that may be missing."""
    names, said = [metric.ncu for metric in METRICS], ""
    sure = [metric.ncu for metric in METRICS if metric.everywhere]
    for _ in range(TRIES):
        watched = [sys.executable, __file__, json.dumps(dict(asked))]
        command = [ncu, *OPTIONS, "--log-file", str(log), "--metrics", ",".join(names), *watched]
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        said = (log.read_text() if log.exists() else "") + run.stdout + run.stderr
        if NO_PERMISSION in said:
            sys.exit(ALLOW)
        unknown = {found[1] for found in UNKNOWN.finditer(said)}
        left = [name for name in names if name not in unknown]
        if left == names:
            left = sure
        if HEADING in said or left == names or not left:
            break
        names = left
    return said


def launch(asked: Mapping[str, Any]) -> None:
    """Makes the arrays and launches once, in the process that ncu watches."""
    import cupy

    problem, sizes = load_problem(Path(asked["problem"])), asked["sizes"]
    given = {**make_inputs(problem, sizes, asked["family"], asked["seed"]), **problem.start_contents(sizes)}
    arrays = {name: cupy.asarray(array) for name, array in given.items()}
    for name, output in problem.outputs.items():
        arrays.setdefault(name, cupy.full(output.nbytes(sizes), 0xA5, cupy.uint8))
    cupy.cuda.Device().synchronize()
    if "library" in asked:
        words = (
            ctypes.c_void_p(arrays[name].data.ptr) if name in arrays else ctypes.c_int(sizes[name])
            for name in problem.params
        )
        ctypes.CDLL(asked["library"]).solve(*words)
    else:
        from grader.run.gpu.replay import Kernels, Replay

        addresses = {name: array.data.ptr for name, array in arrays.items()}
        plan = build_plan(problem, asked["constants"], sizes, addresses)
        kernels = Kernels(Path(asked["cubin"]).read_bytes(), asked["symbols"])
        Replay(kernels, [step_to_json(step) for step in plan.steps]).enqueue(0)
    cupy.cuda.Device().synchronize()


def find_ncu() -> str:
    newest = sorted(Path(PLACES[1]).glob("*"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), PLACES[0], *map(str, newest)])
    found = shutil.which("ncu", path=path)
    if found is None:
        sys.exit(
            f"there is no ncu in PATH nor in {' or '.join(PLACES)}: it comes with the CUDA toolkit, Nsight Compute"
        )
    return found


def version_of(ncu: str) -> str:
    said = subprocess.run([ncu, "--version"], capture_output=True, text=True).stdout.splitlines()
    return next((line for line in said if line.startswith("Version")), "an unknown version")


if __name__ == "__main__":
    launch(json.loads(sys.argv[1]))
