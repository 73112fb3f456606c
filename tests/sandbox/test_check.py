"""The doctor's attempts on the sandbox: that they are made, and that they see a sandbox which does not hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import JudgeError
from grader.sandbox import Profile, Sandbox, bubblewrap, seccomp
from grader.sandbox import sandbox as module
from grader.sandbox.check import PROPERTIES, check
from grader.sandbox.places import View
from tests.sandbox.conftest import namespaces


def broken(sandbox: Sandbox) -> dict[str, str]:
    return {outcome.promised.name: outcome.got for outcome in check(sandbox) if not outcome.holds}


def test_this_machine_s_sandbox_holds(sandbox: Sandbox) -> None:
    # Root can give its rights away only where Python itself is open to others.
    expected = {"a limited number of processes"} if os.geteuid() == 0 else set()
    assert set(broken(sandbox)) <= expected


def test_a_sandbox_without_its_parts_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = namespaces()

    def no_filter(profile: Profile, machine: str) -> bytes:
        return seccomp._assemble([seccomp._Step(seccomp._RETURN, seccomp._ALLOW)])

    options = bubblewrap._namespaces
    file_system = bubblewrap._file_system

    def fewer(program: str, nested: bool = False) -> list[str]:
        return [word for word in options(program, nested) if word not in ("--unshare-net", "--disable-userns")]

    def everything(profile: Profile, view: View, processes: bool = False) -> Iterator[str]:
        words = list(file_system(profile, view, processes))
        for place in range(len(words) - 1):
            if words[place] == "--remount-ro":
                return
            if words[place] == "--dev":
                yield from ("--tmpfs", "/tmp", "--ro-bind", "/var", "/var", "--ro-bind", "/etc", "/etc")
            yield words[place]

    monkeypatch.setattr(module, "filter_program", no_filter)
    monkeypatch.setattr(bubblewrap, "_namespaces", fewer)
    monkeypatch.setattr(bubblewrap, "_file_system", everything)
    seen = broken(sandbox)
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
