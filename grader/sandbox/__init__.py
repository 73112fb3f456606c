"""Runs programs that may be hostile: in a sandbox if there is one, and always with limits."""

from grader.sandbox.confinement import Confinement
from grader.sandbox.limits import SandboxLimits
from grader.sandbox.process import Ended, SandboxedProcess
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.seccomp import Profile

__all__ = ["Confinement", "Ended", "Profile", "Sandbox", "SandboxLimits", "SandboxedProcess"]
