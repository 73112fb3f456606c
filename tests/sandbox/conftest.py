"""The sandbox of this machine, and Python as the program that runs in it."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox import Ended, Profile, Sandbox, SandboxLimits
from grader.sandbox.landlock import landlock_version

LIMITS = SandboxLimits(memory=1 << 30, cpu_seconds=5, file_bytes=1 << 20, processes=40, output_bytes=10_000)
PYTHON = Path(sys.executable).resolve()
SHOWN = (
    PYTHON,
    Path(sysconfig.get_path("stdlib")).resolve(),
    *sorted((PYTHON.parent.parent / "lib").glob("libpython3*.so*")),
)
"""What Python needs of itself, in the standard library alone."""

Run = Callable[..., Ended]


@pytest.fixture(scope="session", params=["bubblewrap", "Landlock"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of sandbox."""
    if request.param == "Landlock":
        return landlock()
    return namespaces()


def namespaces() -> Sandbox:
    found = Sandbox.find()
    if found.program is None:
        pytest.skip(f"{found.reason}; type: scripts/install-test-packages")
    return found


def landlock() -> Sandbox:
    version = landlock_version()
    if not version:
        pytest.skip("this kernel has no Landlock: it needs Linux 5.13 with Landlock switched on")
    return Sandbox(None, "for a test", landlock=version)


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Runs a Python text in the sandbox, and gives how it ended."""

    def run_text(text: str, seconds: float = 60.0, profile: Profile = Profile.RECORD, **more: object) -> Ended:
        return run_in(sandbox, text, seconds, profile, **more)

    return run_text


def run_in(sandbox: Sandbox, text: str, seconds: float, profile: Profile, **more: object) -> Ended:
    settings: dict[str, object] = {"readable": SHOWN, "limits": LIMITS, "profile": profile, **more}
    with sandbox.start([str(PYTHON), "-I", "-S", "-B", "-u", "-c", text], **settings) as process:  # type: ignore[arg-type]
        return process.wait(seconds)
