"""Checks what grading needs on this machine: what is here, what each missing part costs and how to get it.

It installs and changes nothing.
"""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import cache_from_source
from pathlib import Path

from grader.core.errors import UsageError
from grader.core.paths import cache_folder
from grader.doctor.cuda import COMPILER_PARTS, GPU_PARTS
from grader.doctor.part import Finding, Missing, Part, look_for
from grader.doctor.solve import SOLVE_PARTS
from grader.store.workspace import Workspace


def examine(workspace: Workspace, parts: Sequence[Part] | None = None) -> list[Finding]:
    """Looks for these parts, by default for every part that this machine can need."""
    findings = (look_for(part, workspace) for part in (PARTS if parts is None else parts))
    return [finding for finding in findings if finding is not None]


CONFINED = "run/emulator_child.py"
"""A module of kgrade that is loaded only in sandboxes."""


def can_grade(findings: list[Finding]) -> bool:
    return all(finding.here for finding in findings if finding.required)


def _python(_: Workspace) -> str:
    if sys.platform != "linux":
        raise Missing(f"{platform.system()}; kgrade runs on Linux")
    return f"{platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors"


def _byte_code(_: Workspace) -> str:
    """Checks that byte code is cached. NumPy stands for all packages, because an installer compiles all or none.

    For a checkout nobody compiles it, and processes in a sandbox can't write it, so a module that only they load is
    checked.
    """
    import numpy

    numpy_module, own = Path(numpy.__file__), Path(__file__).parents[1]
    for package, module, folder in (
        ("NumPy", numpy_module, numpy_module.parent.parent),
        ("kgrade", own / CONFINED, own),
    ):
        cached = Path(cache_from_source(str(module)))
        if cached.exists():
            continue
        compile_all = shlex.join([sys.executable, "-m", "compileall", "-q", str(folder)])
        if sys.dont_write_bytecode:
            raise Missing(f"{package}'s is not cached, and PYTHONDONTWRITEBYTECODE is set", compile_all)
        raise Missing(f"{package}'s is not in {cached.parent}", f"as the owner of it: {compile_all}")
    return "cached"


def _llvm(_: Workspace) -> str:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    wide = next((name for name in ("avx512f", "avx2", "avx", "neon") if features.get(name)), "no wide vectors")
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{version} for {llvm.get_host_cpu_name()} ({wide})"


def _cache(_: Workspace) -> str:
    try:
        folder = cache_folder()
    except UsageError as error:
        raise Missing(error.message, error.hint) from None
    return _writable(folder)


def _submissions(workspace: Workspace) -> str:
    return _writable(workspace.submissions)


def _writable(folder: Path) -> str:
    """Returns the folder's path after writing a file there, because permissions alone don't reveal a full disk.

    If the folder does not exist, its nearest existing parent is tried; nothing is created. Raises Missing.
    """
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"kgrade")
            probe.flush()
    except OSError as error:
        raise Missing(f"{folder}: {error.strerror}") from None
    return str(folder)


PARTS: tuple[Part, ...] = (
    Part("Python", _python, "nothing runs", "use Python 3.10 or newer on Linux", required=True),
    Part(
        "byte code", _byte_code, "each command compiles its Python anew, which takes it a second", "pip install numpy"
    ),
    *COMPILER_PARTS,
    Part("LLVM", _llvm, "no kernel can be emulated", "pip install --force-reinstall llvmlite", required=True),
    *GPU_PARTS,
    *SOLVE_PARTS,
    Part("cache", _cache, "each kernel is translated anew", "set KGRADE_CACHE to a folder you may write to"),
    Part(
        "workspace",
        _submissions,
        "'kgrade test' works, 'kgrade submit' can't record",
        "make one of your own: kgrade new DIR",
    ),
)
