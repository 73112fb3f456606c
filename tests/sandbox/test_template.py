"""Processes that a template forks: each is confined, knows nothing of the others, and ends with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from grader.sandbox import Confinement, Profile, Sandbox
from grader.sandbox.check import FORKED, check_forked
from grader.sandbox.children import Child
from grader.sandbox.places import View
from grader.sandbox.template import Forked, Part, Template, drop_template, template_of, use_template
from tests.sandbox.conftest import namespaces

MODULE = "timeit"
"""One of the standard library that runs the code that it is given."""

SLEEPS = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"

JUDGE = f"""
import os, sys, time
from grader.sandbox import Confinement, Profile, Sandbox
from grader.sandbox.template import Part, Template
template = Template(Confinement(Sandbox.find(), Profile.COMPUTE), Part({MODULE!r}))
# It prints too, and may be the first.
nothing = os.open(os.devnull, os.O_RDWR)
files = (nothing, nothing, nothing)
arguments = ["-n1", "-r1", {SLEEPS!r}]
print(template.fork({MODULE!r}, arguments, {{}}, {{}}, files, template.confinement, False).pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    found = Template(Confinement(namespaces(), Profile.COMPILE), Part(MODULE))
    yield found
    found.close()


def fork(template: Template, code: str, writes: bool = False, given: tuple[Path, ...] = ()) -> tuple[Forked, int]:
    """The process that runs this code, and the descriptor of what it prints."""
    read_end, write_end = os.pipe()
    confinement = Confinement(template.confinement.sandbox, template.confinement.profile, given=given)
    with Path(os.devnull).open("rb") as nothing:
        descriptors = (nothing.fileno(), nothing.fileno(), write_end)
        process = template.fork(MODULE, ["-n1", "-r1", code], {}, {}, descriptors, confinement, writes)
    os.close(write_end)
    return process, read_end


def said(template: Template, code: str, writes: bool = False, given: tuple[Path, ...] = ()) -> str:
    process, read_end = fork(template, code, writes, given)
    process.wait()
    with os.fdopen(read_end) as output:
        return output.readline().strip()


def is_gone(pid: int) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if "Z (zombie)" in status:
            return True
        time.sleep(0.02)
    return False


def test_forked_processes_keep_what_is_promised() -> None:
    outcomes = list(check_forked(namespaces()))
    assert len(outcomes) == len(FORKED)
    assert [outcome for outcome in outcomes if not outcome.holds] == []


def test_nothing_of_one_is_seen_by_the_next(template: Template) -> None:
    leave = "import builtins, os; builtins.kept = 1; open('kept', 'w').write('1'); print(os.listdir('.'))"
    look = "import builtins, os; print(hasattr(builtins, 'kept'), os.listdir('.'), os.listdir('/proc'), os.getpid())"
    assert said(template, leave, writes=True) == "['kept']"
    assert said(template, look, writes=True) == "False [] [] 1"


def test_one_sees_what_it_is_given_and_can_not_change_it(template: Template, tmp_path: Path) -> None:
    file = tmp_path / "problem" / "size.py"
    file.parent.mkdir()
    file.write_text("N = 3")
    place = str(template.shown(file))
    assert said(template, f"print(open({place!r}).read())", given=(file,)) == "N = 3"
    assert "Read-only" in said(template, f"try: open({place!r}, 'w')\nexcept OSError as e: print(e)", given=(file,))
    assert (
        said(template, f"import os; print(os.path.exists({str(file)!r}), os.path.exists({place!r}))") == "False False"
    )


def test_how_one_ends_is_told(template: Template) -> None:
    crashes = "import ctypes; ctypes.string_at(0)"
    for code, ended in (("pass", 0), ("1 / 0", 1), ("import os; os._exit(3)", 3), (crashes, -signal.SIGSEGV)):
        process, read_end = fork(template, code)
        process.wait()
        os.close(read_end)
        assert process.returncode == ended, code


def test_a_killed_one_is_gone_with_what_it_started(template: Template) -> None:
    process, read_end = fork(template, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPS!r}])")
    with os.fdopen(read_end) as output:
        assert output.readline().strip() == "2"
        assert not process.ends_within(0)
        process.kill()
        process.wait()
        assert process.returncode == -signal.SIGKILL
        # Whoever had it open is gone.
        assert output.read() == ""


def test_all_end_with_the_judge() -> None:
    namespaces()
    judge = subprocess.Popen([sys.executable, "-c", JUDGE], stdout=subprocess.PIPE, text=True)
    assert judge.stdout is not None
    pid = int(judge.stdout.readline())
    assert Path(f"/proc/{pid}").exists()
    judge.kill()
    judge.wait()
    judge.stdout.close()
    assert is_gone(pid)


class Ending(Sandbox):
    """Its templates end at once."""

    def open_template(
        self, command: Sequence[str], view: View, profile: Profile, environment: Mapping[str, str], descriptor: int
    ) -> subprocess.Popen[bytes]:
        return super().open_template(["/bin/sh", "-c", "exit 1"], view, profile, environment, descriptor)


def test_without_its_template_a_process_is_started_by_itself() -> None:
    found = namespaces()
    confinement = Confinement(Ending(found.program, user=found.user), Profile.COMPUTE, (Path("/etc/hostname"),))
    template = Template(confinement, Part("grader.run.emulator_child"))
    use_template(template)
    try:
        with Child("grader.run.emulator_child", confinement=confinement) as child:
            child.send({"do": "load", "image": "", "symbols": {}, "objects": {}})
            assert child.receive(60) == {"kernels": []}
        assert template_of("grader.run.emulator_child", confinement) is None
    finally:
        drop_template(template)
