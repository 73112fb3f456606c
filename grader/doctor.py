"""What grading needs on this machine: what is here, what each missing part costs and how to get it.

It looks and says; it installs and changes nothing.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grader.errors import KgradeError
from grader.workspace import Workspace, cache_folder


@dataclass(frozen=True)
class Part:
    """One row of the doctor's table. `required` parts must be there for any grading.

    `look` says what was found, as a version or a path, and raises Missing where nothing was.
    """

    name: str
    look: Callable[[Workspace], str]
    costs: str
    get: str
    required: bool = False


class Missing(Exception):
    """A part is not there; the message says what was seen instead, if anything."""


@dataclass(frozen=True)
class Finding:
    """What the doctor saw of one part. `costs` and `get` are empty for a part that is there."""

    name: str
    here: bool
    required: bool
    found: str
    costs: str = ""
    get: str = ""


def examine(workspace: Workspace) -> list[Finding]:
    """Look for every part."""
    return [_examine(part, workspace) for part in PARTS]


def can_grade(findings: list[Finding]) -> bool:
    return all(finding.here for finding in findings if finding.required)


def _examine(part: Part, workspace: Workspace) -> Finding:
    try:
        return Finding(part.name, True, part.required, part.look(workspace))
    except Missing as missing:
        found = str(missing)
    except KgradeError as error:
        found = error.message
    except Exception as error:
        # A broken installation fails in any way it likes; what it said is what the person needs.
        found = f"{type(error).__name__}: {error}".splitlines()[0]
    return Finding(part.name, False, part.required, found or "not found", part.costs, part.get)


def _python(_: Workspace) -> str:
    if sys.platform != "linux":
        raise Missing(f"{platform.system()}; kgrade runs on Linux")
    return f"{platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors"


def _nvrtc(_: Workspace) -> str:
    from grader.compile.nvrtc import compile_kernel
    from grader.compile.toolkit import find_toolkit

    library = find_toolkit().nvrtc
    # A library may be there and not load, so it is put to work.
    compile_kernel("__global__ void probe(int n) {}", "probe.cu", "probe", [("int", "n")], {})
    return f"compiles, {library.name}" if library else "compiles"


def _headers(_: Workspace) -> str:
    from grader.compile.toolkit import find_toolkit

    toolkit = find_toolkit()
    if not toolkit.headers:
        raise Missing
    return str(toolkit.includes[0])


def _llvm(_: Workspace) -> str:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    wide = next((name for name in ("avx512f", "avx2", "avx", "neon") if features.get(name)), "no wide vectors")
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{version} for {llvm.get_host_cpu_name()} ({wide})"


def _gpu(_: Workspace) -> str:
    from grader.run.gpu.devices import find_gpus, target_of

    gpus = find_gpus()
    if not gpus:
        # What the system's own tool says tells a machine without a GPU from one whose driver fails.
        raise Missing(f"{_nvidia_smi('name')}, but the driver's library NVML does not show it")
    return ", ".join(f"gpu:{gpu.index} {gpu.name} ({target_of(gpu)}, {gpu.memory >> 30} GiB)" for gpu in gpus)


def _driver(_: Workspace) -> str:
    return _nvidia_smi("driver_version")


def _nvidia_smi(field: str) -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        raise Missing
    lines = _output([program, f"--query-gpu={field}", "--format=csv,noheader"]).splitlines()
    return ", ".join(dict.fromkeys(line.strip() for line in lines))


def _nvcc(_: Workspace) -> str:
    program = shutil.which("nvcc")
    if program is None:
        # NVIDIA's wheels put it below the package's folder and not on the path.
        packages = find_spec("nvidia")
        folders = [Path(place) for place in packages.submodule_search_locations or ()] if packages else []
        program = next((str(path) for folder in folders for path in folder.glob("*/bin/nvcc")), None)
    if program is None:
        raise Missing
    return _version_line(_output([program, "--version"]), "release")


def _gxx(_: Workspace) -> str:
    return _version_line(_output([_program("g++"), "--version"]), "")


def _bubblewrap(_: Workspace) -> str:
    return _version_line(_output([_program("bwrap"), "--version"]), "")


def _cache(_: Workspace) -> str:
    return _writable(cache_folder())


def _submissions(workspace: Workspace) -> str:
    return _writable(workspace.submissions)


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Missing
    return path


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except subprocess.TimeoutExpired:
        raise Missing(f"{Path(command[0]).name} does not answer") from None
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).strip().splitlines()
        raise Missing(said[0] if said else f"{Path(command[0]).name} fails") from None
    return done.stdout


def _version_line(text: str, word: str) -> str:
    return next(line.strip() for line in text.splitlines() if word in line)


def _writable(folder: Path) -> str:
    """The folder's path, after a file was written there: permissions alone don't tell of a full disk.

    A folder that is not there yet is tried by the nearest one that is, and not made.
    """
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"kgrade")
            probe.flush()
    except OSError as error:
        raise Missing(f"{folder}: {error.strerror}") from None
    return str(folder)


_INSTALL_NVRTC = "pip install 'cupy-cuda13x>=14.0,<15' 'cuda-toolkit[nvrtc,cudart,cccl,crt]==13.0.*'"
_SOLVE = "nothing in this release, which grades kernels; files with their own solve() will need it"

PARTS: tuple[Part, ...] = (
    Part("Python", _python, "nothing runs", "use Python 3.10 or newer on Linux", required=True),
    Part(
        "NVRTC",
        _nvrtc,
        "no kernel can be compiled",
        _INSTALL_NVRTC,
        required=True,
    ),
    Part("CUDA headers", _headers, "no #include of cuda_fp16.h, cooperative_groups.h and others", _INSTALL_NVRTC),
    Part(
        "LLVM",
        _llvm,
        "no kernel can be emulated",
        "pip install --force-reinstall llvmlite",
        required=True,
    ),
    Part(
        "GPU",
        _gpu,
        "kernels run on the emulator: verdicts, but no times",
        "a machine with an NVIDIA GPU",
    ),
    Part("driver", _driver, "a GPU can't be used", "install NVIDIA's driver; 'nvidia-smi' then answers"),
    Part(
        "nvcc",
        _nvcc,
        _SOLVE,
        "pip install 'cuda-toolkit[nvcc]==13.0.*'",
    ),
    Part("g++", _gxx, _SOLVE, "apt install g++"),
    Part("sandbox", _bubblewrap, _SOLVE, "apt install bubblewrap"),
    Part("cache", _cache, "each kernel is translated anew", "set KGRADE_CACHE to a folder you may write to"),
    Part(
        "workspace",
        _submissions,
        "'kgrade test' works, 'kgrade submit' can't record",
        "make one of your own: kgrade new DIR",
    ),
)
