"""Checks what some submissions need: a sandbox that holds, for solve() files nvcc and a host compiler, for files in
Python their language's package.

The sandbox is tested by running attacks inside it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.boards.words import language
from grader.core.errors import ToolMissing
from grader.doctor.part import Misfit, Missing, Part, output_of
from grader.languages.python import PythonLanguage
from grader.languages.registry import LANGUAGES
from grader.machine.cuda_packages import SYSTEM_TOOLKIT
from grader.store.workspace import Workspace

if TYPE_CHECKING:
    from grader.sandbox import Sandbox
    from grader.sandbox.check import Outcome


def look_for_nvcc(_: Workspace, system: Path = SYSTEM_TOOLKIT) -> str:
    """Returns nvcc's release and folder. Raises ToolMissing, with the command to type, if it is not installed."""
    from grader.compile.toolkit import find_nvcc

    nvcc = find_nvcc(system)
    lines = output_of([str(nvcc.program), "--version"]).splitlines()
    version = next(line.strip() for line in lines if "release" in line)
    return f"{version}, {nvcc.root}"


def look_for_host_compiler(_: Workspace, system: Path = SYSTEM_TOOLKIT) -> str:
    """The version of the g++ that nvcc would take."""
    from grader.compile.toolkit import find_host_compiler, find_nvcc

    try:
        program = str(find_host_compiler(find_nvcc(system)))
    except ToolMissing:
        if shutil.which("g++") is None:
            raise Missing from None
        raise
    return output_of([program, "--version"]).splitlines()[0]


def _sandbox(_: Workspace) -> str:
    from grader.sandbox import Sandbox
    from grader.sandbox.check import check

    sandbox = Sandbox.find(required=True)
    return describe_sandbox(sandbox, list(check(sandbox)))


def describe_sandbox(sandbox: Sandbox, outcomes: Sequence[Outcome]) -> str:
    """Its version and how it held. Raises Misfit where it did not, or gives less than bubblewrap."""
    from grader.sandbox.sandbox import how_to_get_namespaces

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


def language_part(spoken: PythonLanguage) -> Part:
    """The row of a language in Python."""

    def look(_: Workspace) -> str:
        version = spoken.version()
        if not version:
            raise Missing(f"{spoken.distribution} is not installed")
        return f"{spoken.distribution} {version}"

    return Part(language(spoken.name), look, f"files in {language(spoken.name)} can't be graded", spoken.install)


LESS = "files and processes that are closed can still be seen to be there"
"""What Landlock does not provide but bubblewrap does."""

_COSTS = "files with their own solve() can't be graded"
_UPDATE = "update bubblewrap and the kernel; don't grade files of others here"

SOLVE_PARTS: tuple[Part, ...] = (
    Part("nvcc", look_for_nvcc, _COSTS, "pip install 'cuda-toolkit[nvcc]==13.0.*'"),
    Part("g++", look_for_host_compiler, _COSTS, "apt install g++"),
    Part(
        "sandbox",
        _sandbox,
        "a submission's code, and what compiles it, is not kept from this machine",
        "apt install bubblewrap",
    ),
    *(language_part(spoken) for spoken in LANGUAGES if isinstance(spoken, PythonLanguage)),
)
