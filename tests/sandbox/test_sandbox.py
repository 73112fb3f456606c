"""Programs in the sandbox: what they see and may do, how they end, and what of them is left."""

from __future__ import annotations

import os
import signal
import socket
import stat
import time
from pathlib import Path

import pytest

from grader.errors import JudgeError, ToolMissing
from grader.sandbox import Ended, Profile, Sandbox, SandboxLimits, bubblewrap
from grader.sandbox import sandbox as module
from tests.sandbox.conftest import LIMITS, PYTHON, SHOWN, Run, run_in

BOTH = pytest.mark.parametrize("profile", list(Profile), ids=lambda profile: profile.value)


@BOTH
def test_prints_and_ends(run: Run, profile: Profile) -> None:
    ended = run("import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(3)", 10, profile)
    assert ended == Ended(3, None, False, "out\nerr\n")
    assert not ended.ok
    assert run("", 10, profile).ok


def test_output_is_cut_and_does_not_stop_the_program(run: Run) -> None:
    ended = run("import os\nfor _ in range(500): os.write(1, b'x' * 10_000)")
    assert ended.ok
    assert ended.output == "x" * LIMITS.output_bytes


@BOTH
def test_a_time_limit(run: Run, profile: Profile) -> None:
    begin = time.monotonic()
    ended = run("import time; print('here', flush=True); time.sleep(60)", 0.5, profile)
    assert (ended.timed_out, ended.signal, ended.output) == (True, signal.SIGKILL, "here\n")
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_signal(run: Run, name: str) -> None:
    ended = run(f"import signal; signal.raise_signal(signal.{name})")
    assert (ended.signal, ended.timed_out, ended.ok) == (signal.Signals[name], False, False)


def test_processor_time(run: Run) -> None:
    limits = SandboxLimits(cpu_seconds=1)
    ended = run("import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", 10, limits=limits)
    assert (ended.signal, ended.timed_out) == (signal.SIGKILL, False)


def test_memory(run: Run) -> None:
    ended = run("b = bytearray(3 << 30)")
    assert "MemoryError" in ended.output


def test_files_and_folders_that_are_shown(run: Run, tmp_path: Path) -> None:
    own = tmp_path / "shown.txt"
    own.write_text("text")
    (tmp_path / "hidden.txt").write_text("secret")
    text = (
        "import os\nprint(open('/given/given.txt').read(), os.listdir(%r))\n"
        "try: open('/given/given.txt', 'w')\nexcept OSError as error: print(error.strerror)"
    )
    ended = run(text % str(tmp_path), readable=[*SHOWN, own], files={"/given/given.txt": own})
    assert ended.output.splitlines() == ["text ['shown.txt']", "Read-only file system"]


def test_the_writable_folder(run: Run, tmp_path: Path) -> None:
    text = (
        "open('made', 'w').write('x' * 1000)\nimport os; print(os.getcwd())\nopen('large', 'w').write('x' * 2_000_000)"
    )
    ended = run(text, profile=Profile.COMPILE, writable=tmp_path)
    assert ended.output.splitlines()[0] == str(tmp_path)
    assert "File too large" in ended.output
    assert (tmp_path / "made").read_text() == "x" * 1000
    assert (tmp_path / "large").stat().st_size <= LIMITS.file_bytes


def test_no_links_lead_out_of_the_writable_folder(run: Run, tmp_path: Path) -> None:
    text = (
        "import os\nfor make in (os.symlink, os.link):\n"
        "  try: make('/etc/passwd', 'out')\n  except OSError: print('no')"
    )
    assert run(text, profile=Profile.COMPILE, writable=tmp_path).output == "no\nno\n"
    assert not (tmp_path / "out").is_symlink()


def test_nothing_gets_a_right_by_its_mode(run: Run, tmp_path: Path) -> None:
    text = "import os; open('made', 'w').close(); os.chmod('made', 0o4755)"
    assert run(text, profile=Profile.COMPILE, writable=tmp_path).ok
    assert (tmp_path / "made").stat().st_uid != 0 or os.geteuid() == 0
    assert stat.S_ISREG((tmp_path / "made").lstat().st_mode)


def test_the_channel_is_descriptor_3(sandbox: Sandbox) -> None:
    ours, theirs = socket.socketpair()
    text = (
        "import os\nos.write(3, os.read(3, 100).upper())\nfor n in range(64):\n"
        "  try: os.fstat(n)\n  except OSError: continue\n  print(n)"
    )
    with ours, sandbox.start([str(PYTHON), "-I", "-S", "-c", text], readable=SHOWN, channel=theirs) as process:
        theirs.close()
        ours.sendall(b"hello")
        assert ours.recv(100) == b"HELLO"
        assert process.wait(10).output == "0\n1\n2\n3\n"
        assert ours.recv(1) == b""


def test_many_at_once_with_low_numbers(sandbox: Sandbox) -> None:
    # The channel may have any number in the judge, 3 too.
    pairs = [socket.socketpair() for _ in range(5)]
    text = "import os; os.write(3, os.read(3, 10))"
    started = [
        sandbox.start([str(PYTHON), "-I", "-S", "-c", text], readable=SHOWN, channel=theirs) for _, theirs in pairs
    ]
    for number, (ours, theirs) in enumerate(pairs):
        theirs.close()
        ours.sendall(b"%d" % number)
        assert ours.recv(10) == b"%d" % number
        ours.close()
    for process in started:
        assert process.wait(10).ok


def test_the_environment_is_only_what_is_given(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_TOKEN", "secret")
    ended = run("import os; print(sorted(os.environ))", environment={"GIVEN": "1"})
    assert "GIVEN" in ended.output
    assert "KGRADE_TOKEN" not in ended.output


def test_killing_ends_what_it_started(run: Run, sandbox: Sandbox, tmp_path: Path) -> None:
    text = (
        "import os, time\nif os.fork() == 0:\n  os.setsid()\n  while True:\n"
        "    open('beat', 'a').write('x'); time.sleep(0.01)\nprint('started', flush=True)\ntime.sleep(60)"
    )
    ended = run(text, 1.0, Profile.COMPILE, writable=tmp_path)
    assert ended.timed_out
    size = (tmp_path / "beat").stat().st_size
    assert size > 0
    time.sleep(0.2)
    assert (tmp_path / "beat").stat().st_size == size


def test_what_outlives_its_starter_is_ended_too(run: Run, tmp_path: Path) -> None:
    text = "import os, time\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(60)"
    begin = time.monotonic()
    assert run(text, 30, Profile.COMPILE, writable=tmp_path).ok
    assert time.monotonic() - begin < 5


def test_leaving_the_block_ends_it(sandbox: Sandbox) -> None:
    with sandbox.start([str(PYTHON), "-I", "-S", "-c", "import time; time.sleep(60)"], readable=SHOWN) as process:
        assert process.running
    assert not process.running
    process.kill()
    assert process.wait(1).returncode != 0


def test_no_descriptors_are_left(sandbox: Sandbox, run: Run) -> None:
    run("")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        run("")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_sandbox_that_cannot_be_made_is_no_fault_of_the_program(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = module.command_line

    def wrong(program: str, *more: object) -> list[str]:
        return [program, "--ro-bind", "/nonexistent", "/x", *make(program, *more)[1:]]  # type: ignore[arg-type]

    monkeypatch.setattr(module, "command_line", wrong)
    with sandbox.start(["/bin/true"]) as process, pytest.raises(JudgeError, match="could not be made") as caught:
        process.wait(10)
    assert "/nonexistent" in caught.value.hint


def test_a_place_that_is_not_there(sandbox: Sandbox) -> None:
    with pytest.raises(JudgeError, match="can't show /nonexistent/file: there is no such"):
        sandbox.start(["/bin/true"], readable=[Path("/nonexistent/file")])


def test_a_program_that_is_missing(run: Run, sandbox: Sandbox) -> None:
    with sandbox.start(["/nonexistent"]) as process:
        try:
            assert not process.wait(10).ok
        except JudgeError as error:
            assert "nonexistent" in error.hint


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A machine without bubblewrap."""
    monkeypatch.setattr(module, "find_program", lambda: None)
    return Sandbox.find()


def test_without_bubblewrap_limits_are_left(bare: Sandbox, tmp_path: Path) -> None:
    assert (bare.protects, bare.reason) == (False, "bubblewrap is not installed")
    text = "import os; print(os.getcwd(), sorted(os.environ)[:1]); b = bytearray(3 << 30)"
    ended = run_in(bare, text, 10, Profile.COMPILE, writable=tmp_path)
    assert ended.output.startswith(f"{tmp_path} ['LC_ALL']")
    assert "MemoryError" in ended.output
    assert run_in(bare, "import signal; signal.raise_signal(9)", 10, Profile.RECORD).signal == signal.SIGKILL
    assert run_in(bare, "import time; time.sleep(60)", 0.3, Profile.RECORD).timed_out


def test_without_bubblewrap_files_are_where_they_are(bare: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print('own')")
    with bare.start([str(PYTHON), "/given/shown.py"], files={"/given/shown.py": tmp_path / "own.py"}) as process:
        assert process.wait(10).output == "own\n"


def test_one_that_is_required_and_missing(bare: Sandbox) -> None:
    with pytest.raises(ToolMissing, match="bubblewrap is not installed") as caught:
        Sandbox.find(required=True)
    assert caught.value.hint == "type: apt install bubblewrap"


def test_one_that_does_not_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(module, "find_program", lambda: str(program))
    found = Sandbox.find()
    assert (found.protects, found.reason) == (False, "bwrap: No permissions to create a new namespace")
    with pytest.raises(ToolMissing, match="No permissions"):
        Sandbox.find(required=True)


def test_another_machine_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    # The filter is a table of numbers, which differ by machine.
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert bubblewrap.find_program() is None
