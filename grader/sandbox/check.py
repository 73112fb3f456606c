"""Checks that the sandbox holds: attacks each of its properties from inside, with a small program that should fail.

Nothing is concluded from settings.
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

from grader.core.errors import JudgeError
from grader.sandbox.confinement import Confinement
from grader.sandbox.limits import SandboxLimits
from grader.sandbox.probe import TRIED
from grader.sandbox.process import Ended
from grader.sandbox.python import python_places
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.seccomp import Profile
from grader.sandbox.template import Part, Template, TemplateFailed

PROBE = "grader.sandbox.probe"

_SECONDS = 10.0
_LIMITS = SandboxLimits(memory=1 << 30, cpu_seconds=1, file_bytes=8 << 20, processes=32, output_bytes=4096)


@dataclass(frozen=True)
class Property:
    """A property that the sandbox promises for a profile, and the probe that attacks it.

    `namespace` marks properties that need namespaces, which Landlock can't provide.
    """

    name: str
    probe: str
    profile: Profile = Profile.RECORD
    namespace: bool = False


_COMPILER = Profile.COMPILE
_DEVICE = Profile.COMPUTE
_DRIVER = Profile.GPU

PROPERTIES = (
    Property("no network", "network"),
    Property("no network for the compiler", "network", _COMPILER),
    Property("no network for the emulator", "network", _DEVICE),
    Property("no network beside a GPU", "network", _DRIVER),
    Property("hidden files", "files", namespace=True),
    Property("files hidden from the compiler", "files", _COMPILER, namespace=True),
    Property("closed files", "reading"),
    Property("files closed to the compiler", "reading", _COMPILER),
    Property("files closed to the emulator", "reading", _DEVICE),
    Property("files closed beside a GPU", "reading", _DRIVER),
    Property("read-only files", "writing"),
    Property("read-only files for the compiler", "writing", _COMPILER),
    Property("read-only files for the emulator", "writing", _DEVICE),
    Property("read-only files beside a GPU", "writing", _DRIVER),
    Property("hidden processes", "processes", namespace=True),
    Property("processes hidden from the compiler", "processes", _COMPILER, namespace=True),
    Property("processes out of reach", "reaching"),
    Property("processes out of the compiler's reach", "reaching", _COMPILER),
    Property("processes out of the emulator's reach", "reaching", _DEVICE),
    Property("processes out of reach beside a GPU", "reaching", _DRIVER),
    Property("a clean environment", "environment"),
    Property("a clean environment beside a GPU", "environments", _DRIVER),
    Property("no rights of root", "rights"),
    Property("no rights of root for the compiler", "rights", _COMPILER),
    Property("no rights of root for the emulator", "rights", _DEVICE),
    Property("no rights of root beside a GPU", "rights", _DRIVER),
    Property("no namespaces inside", "namespaces"),
    Property("no namespaces inside for the compiler", "namespaces", _COMPILER),
    Property("no namespaces inside for the emulator", "namespaces", _DEVICE),
    Property("no namespaces inside beside a GPU", "namespaces", _DRIVER),
    Property("no descriptors of the judge", "descriptors"),
    Property("no other process, thread or program", "starting"),
    Property("limited memory", "memory"),
    Property("limited processor time", "processor"),
    Property("limited files", "file size", _COMPILER),
    Property("a limited number of processes", "many", _COMPILER),
)

FORKED = tuple(
    Property(f"{words} {whose} that is forked", probe, profile)
    for profile, whose in ((_COMPILER, "for a compiler"), (_DEVICE, "for an emulator"))
    for words, probe in (
        *(("no network", "network"), ("closed files", "reading"), ("read-only files", "writing")),
        *(("hidden processes", "processes"), ("processes out of reach", "reaching"), ("no rights of root", "rights")),
        *(("no namespaces inside", "namespaces"), ("no descriptors of others", "descriptors")),
    )
)
"""Properties of processes forked from a template, if there are templates."""


@dataclass(frozen=True)
class Outcome:
    """The result of a probe; `got` is what it got, empty for a property that holds."""

    promised: Property
    got: str

    @property
    def holds(self) -> bool:
        return not self.got


def check(sandbox: Sandbox) -> Iterator[Outcome]:
    """Tests every property, which takes some seconds. Raises JudgeError if a probe can't run at all.

    Without a sandbox it raises too, because the attacks would succeed and reach the host.
    """
    if not sandbox.protects:
        raise JudgeError(f"there is no sandbox: {sandbox.reason}")
    for one in PROPERTIES:
        if one.namespace and sandbox.program is None:
            continue
        yield _outcome(one, _try(sandbox, one))
    yield from check_forked(sandbox)


def check_forked(sandbox: Sandbox) -> Iterator[Outcome]:
    """The same for processes forked from templates; yields nothing if the system does not allow templates."""
    if sandbox.program is None:
        return
    templates = {profile: Template(Confinement(sandbox, profile), Part(PROBE)) for profile in (_COMPILER, _DEVICE)}
    try:
        for one in FORKED:
            yield _outcome(one, _try_forked(templates[one.profile], one))
    except TemplateFailed:
        return
    finally:
        for template in templates.values():
            template.close()


def _outcome(one: Property, ended: Ended) -> Outcome:
    lines = ended.output.splitlines()
    if TRIED not in lines:
        raise JudgeError(f"the probe '{one.probe}' does not run in the sandbox", ended.output.strip())
    # A probe stopped by a limit got nothing more.
    got = lines[lines.index(TRIED) + 1 :] + (["more time than allowed"] if ended.timed_out else [])
    return Outcome(one, "; ".join(got[:4]))


def _try_forked(template: Template, one: Property) -> Ended:
    read_end, write_end = os.pipe()
    with (
        os.fdopen(read_end, "rb") as output,
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryDirectory(prefix="kgrade-") as name,
    ):
        try:
            arguments = [one.probe, *_arguments(Path(name), python_places()).get(one.probe, ())]
            arguments += [str(template.folder)] if one.probe == "writing" else []
            descriptors = (nothing.fileno(), nothing.fileno(), write_end)
            process = template.fork(PROBE, arguments, {}, {}, descriptors, template.confinement, writes=False)
        finally:
            os.close(write_end)
        timed_out = not process.ends_within(_SECONDS)
        process.kill()
        process.wait()
        return Ended(process.returncode, None, timed_out, output.read().decode(errors="replace"))


def _try(sandbox: Sandbox, one: Property) -> Ended:
    program = Path(sys.executable).resolve()
    script = Path(__file__).with_name("probe.py").resolve()
    libraries = sorted((program.parent.parent / "lib").glob("libpython3*.so*"))
    shown = [program, Path(sysconfig.get_path("stdlib")).resolve(), *libraries, script]
    with tempfile.TemporaryDirectory(prefix="kgrade-") as name:
        folder = Path(name).resolve()
        arguments = _arguments(folder, shown).get(one.probe, ())
        process = sandbox.start(
            [str(program), "-I", "-S", "-B", str(script), one.probe, *arguments],
            readable=shown,
            writable=folder if one.probe == "file size" else None,
            limits=_LIMITS,
            profile=one.profile,
        )
        with process:
            return process.wait(_SECONDS)


def _arguments(folder: Path, shown: Sequence[Path]) -> dict[str, list[str]]:
    """Extra targets by probe; `folder` is the judge's, `shown` is what the probe may see."""
    numbers = [str(os.getpid()), str(os.getppid())]
    return {
        "files": [str(folder), *_host_files(shown)],
        "writing": [str(folder)],
        "reading": [str(folder), *_host_files(shown)],
        "processes": numbers,
        "reaching": numbers,
        "file size": [str(folder)],
    }


def _host_files(shown: Sequence[Path]) -> Iterator[str]:
    """Yields some entries of the user's own folders, except those that lead to what the probe is shown."""
    for folder in {Path.home(), Path.cwd()} - {Path("/")}:
        if folder.is_dir() and not folder.is_relative_to("/usr"):
            entries = (entry for entry in folder.iterdir() if not any(one.is_relative_to(entry) for one in shown))
            yield from map(str, islice(entries, 20))
