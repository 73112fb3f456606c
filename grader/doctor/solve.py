"""Checks what other people's submissions need: a sandbox that holds, and for solve() files nvcc and a host compiler.

The sandbox is tested by running attacks inside it.
"""

from __future__ import annotations

import os
import shutil

from grader.core.errors import ToolMissing
from grader.doctor.part import Misfit, Missing, Part, output_of
from grader.store.workspace import Workspace


def _nvcc(_: Workspace) -> str:
    from grader.compile.toolkit import find_nvcc

    nvcc = find_nvcc()
    lines = output_of([str(nvcc.program), "--version"]).splitlines()
    version = next(line.strip() for line in lines if "release" in line)
    return f"{version}, {nvcc.root}"


def _host_compiler(_: Workspace) -> str:
    from grader.compile.toolkit import find_host_compiler, find_nvcc

    try:
        program = str(find_host_compiler(find_nvcc()))
    except ToolMissing:
        if shutil.which("g++") is None:
            raise Missing from None
        raise
    return output_of([program, "--version"]).splitlines()[0]


def _sandbox(_: Workspace) -> str:
    from grader.sandbox import Sandbox
    from grader.sandbox.check import check
    from grader.sandbox.sandbox import how_to_get_namespaces

    sandbox = Sandbox.find(required=True)
    outcomes = list(check(sandbox))
    broken = [outcome for outcome in outcomes if not outcome.holds]
    if sandbox.program is not None:
        version = output_of([sandbox.program, "--version"]).strip()
    else:
        version = f"Landlock, version {sandbox.landlock} ({sandbox.reason})"
    if not broken and sandbox.program is not None:
        return f"{version}, holds against {len(outcomes)} attempts"
    if not broken:
        raise Misfit(f"{version}, holds against {len(outcomes)} attempts; {LESS}", how_to_get_namespaces())
    what = ", ".join(f"{outcome.promised.name} (got {outcome.got})" for outcome in broken)
    # The kernel does not limit root's processes.
    only_root = os.geteuid() == 0 and {outcome.promised.probe for outcome in broken} == {"many"}
    raise Misfit(f"{version} does not give: {what}", "run kgrade as another user than root" if only_root else _UPDATE)


LESS = "files and processes that are closed can still be seen to be there"
"""What Landlock does not provide but bubblewrap does."""

_COSTS = "files with their own solve() can't be graded"
_UPDATE = "update bubblewrap and the kernel; don't grade files of others here"

SOLVE_PARTS: tuple[Part, ...] = (
    Part("nvcc", _nvcc, _COSTS, "pip install 'cuda-toolkit[nvcc]==13.0.*'"),
    Part("g++", _host_compiler, _COSTS, "apt install g++"),
    Part(
        "sandbox",
        _sandbox,
        "a submission's code, and what compiles it, is not kept from this machine",
        "apt install bubblewrap",
    ),
)
