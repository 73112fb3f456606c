"""Whether the sandbox holds: each of its properties is tried from inside, by a small program that should fail.

It does what attacks do; nothing is concluded from settings.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.errors import JudgeError
from grader.sandbox.limits import SandboxLimits
from grader.sandbox.probe import TRIED
from grader.sandbox.process import Ended
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.seccomp import Profile

_SECONDS = 10.0
_LIMITS = SandboxLimits(memory=1 << 30, cpu_seconds=1, file_bytes=8 << 20, processes=32, output_bytes=4096)


@dataclass(frozen=True)
class Property:
    """One thing that the sandbox promises for a profile, and the probe that tries the contrary."""

    name: str
    probe: str
    profile: Profile = Profile.RECORD


_COMPILER = Profile.COMPILE

PROPERTIES = (
    Property("no network", "network"),
    Property("no network for the compiler", "network", _COMPILER),
    Property("hidden files", "files"),
    Property("files hidden from the compiler", "files", _COMPILER),
    Property("read-only files", "writing"),
    Property("read-only files for the compiler", "writing", _COMPILER),
    Property("hidden processes", "processes"),
    Property("processes hidden from the compiler", "processes", _COMPILER),
    Property("a clean environment", "environment"),
    Property("no rights of root", "rights"),
    Property("no rights of root for the compiler", "rights", _COMPILER),
    Property("no namespaces inside", "namespaces"),
    Property("no namespaces inside for the compiler", "namespaces", _COMPILER),
    Property("no descriptors of the judge", "descriptors"),
    Property("no other process, thread or program", "starting"),
    Property("limited memory", "memory"),
    Property("limited processor time", "processor"),
    Property("limited files", "file size", _COMPILER),
    Property("a limited number of processes", "many", _COMPILER),
)


@dataclass(frozen=True)
class Outcome:
    """What a probe got where it should have got nothing; `got` is empty for a property that holds."""

    promised: Property
    got: str

    @property
    def holds(self) -> bool:
        return not self.got


def check(sandbox: Sandbox) -> Iterator[Outcome]:
    """Try every property, in some seconds. Raises JudgeError where a probe can't run at all.

    Without bubblewrap nothing is tried: what the probes do would succeed, and reach the host.
    """
    if not sandbox.protects:
        raise JudgeError(f"there is no sandbox: {sandbox.reason}")
    for one in PROPERTIES:
        ended = _try(sandbox, one)
        lines = ended.output.splitlines()
        if TRIED not in lines:
            raise JudgeError(f"the probe '{one.probe}' does not run in the sandbox", ended.output.strip())
        # One that a limit stopped got no further.
        got = lines[lines.index(TRIED) + 1 :] + (["more time than allowed"] if ended.timed_out else [])
        yield Outcome(one, "; ".join(got[:4]))


def _try(sandbox: Sandbox, one: Property) -> Ended:
    program = Path(sys.executable).resolve()
    script = Path(__file__).with_name("probe.py").resolve()
    libraries = sorted((program.parent.parent / "lib").glob("libpython3*.so*"))
    shown = [program, Path(sysconfig.get_path("stdlib")).resolve(), *libraries, script]
    with tempfile.TemporaryDirectory(prefix="kgrade-") as name:
        folder = Path(name).resolve()
        arguments: dict[str, Sequence[str]] = {
            "files": [str(folder), *_host_files(shown)],
            "writing": [str(folder)],
            "processes": [str(os.getpid()), str(os.getppid())],
            "file size": [str(folder)],
        }
        process = sandbox.start(
            [str(program), "-I", "-S", "-B", str(script), one.probe, *arguments.get(one.probe, ())],
            readable=shown,
            writable=folder if one.probe == "file size" else None,
            limits=_LIMITS,
            profile=one.profile,
        )
        with process:
            return process.wait(_SECONDS)


def _host_files(shown: Sequence[Path]) -> Iterator[str]:
    """Some of what lies in the user's own folders, but not the way to what the probe is shown."""
    for folder in {Path.home(), Path.cwd()} - {Path("/")}:
        if folder.is_dir() and not folder.is_relative_to("/usr"):
            entries = (entry for entry in folder.iterdir() if not any(one.is_relative_to(entry) for one in shown))
            yield from map(str, islice(entries, 20))
