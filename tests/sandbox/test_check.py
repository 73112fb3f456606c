"""The doctor's attempts on the sandbox: that they are made, and that they see a sandbox which does not hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from grader.core.errors import JudgeError
from grader.sandbox import Profile, Sandbox, seccomp
from grader.sandbox.check import PROPERTIES, check
from grader.sandbox.places import View
from tests.sandbox.conftest import namespaces


def broken(sandbox: Sandbox) -> dict[str, str]:
    return {outcome.promised.name: outcome.got for outcome in check(sandbox) if not outcome.holds}


def test_this_machine_s_sandbox_holds(sandbox: Sandbox) -> None:
    # Root can give its rights away only where Python itself is open to others.
    expected = {"a limited number of processes"} if os.geteuid() == 0 else set()
    assert set(broken(sandbox)) <= expected


class Leaky(Sandbox):
    """One without a filter and without namespaces of its network, which shows more and may be written to."""

    def filter_of(self, profile: Profile) -> bytes:
        return seccomp._assemble([seccomp._Step(seccomp._RETURN, seccomp._ALLOW)])

    def bubblewrap_of(self, profile: Profile, view: View, filter_descriptor: int, status_descriptor: int) -> list[str]:
        words = super().bubblewrap_of(profile, view, filter_descriptor, status_descriptor)
        return list(leaking(words))


def leaking(words: Sequence[str]) -> Iterator[str]:
    left = iter(words)
    for word in left:
        if word == "--remount-ro":
            next(left)
            continue
        if word == "--dev":
            yield from ("--tmpfs", "/tmp", "--ro-bind", "/var", "/var", "--ro-bind", "/etc", "/etc")
        if word not in ("--unshare-net", "--disable-userns"):
            yield word


def test_a_sandbox_without_its_parts_is_seen() -> None:
    found = namespaces()
    seen = broken(Leaky(found.program, user=found.user))
    for name in ("no network", "hidden files", "read-only files", "no namespaces inside for the compiler"):
        assert name in seen
    assert "no other process, thread or program" in seen
    assert "/etc/passwd" in seen["hidden files"]


def test_without_a_sandbox_nothing_is_tried() -> None:
    with pytest.raises(JudgeError, match="no sandbox: bubblewrap is not installed"):
        next(check(Sandbox(None, "bubblewrap is not installed")))


def test_every_probe_is_used() -> None:
    from grader.sandbox.probe import PROBES

    assert {one.probe for one in PROPERTIES} == set(PROBES)
    assert (Path(__file__).parents[2] / "grader/sandbox/probe.py").is_file()
